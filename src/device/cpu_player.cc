// Requests to a CPU player and the judgement of what comes back.
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_player.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/rng.h"
#include "base/text.h"
#include "device/cpu_buffer.h"
#include "device/stop.h"
#include "platform/files.h"
#include "player/transport.h"

namespace kw::device {
namespace {

using platform::Nanoseconds;
using player::Answer;
using player::Kind;
using player::Trouble;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSetupTimeout = 10 * kSecond;
constexpr std::int64_t kLoadTimeout = 10 * kSecond;  ///< Constructors of an object included.
constexpr std::int64_t kEmptyTimeout = 2 * kSecond;
constexpr std::int64_t kDeathPatience = kSecond / 2;  ///< From last words to the end.
constexpr std::size_t kObjectCap = std::size_t{256} << 20;

/// Unpredictable, so that an answer cannot be sent ahead of its request.
std::uint64_t fresh_sequence() { return Seed::from_os().low; }

/// A request of fixed layout as bytes.
template <class T>
std::span<const std::byte> seal(T& request, Kind kind) {
  request.header.kind = kind;
  request.header.bytes = sizeof request;
  request.header.sequence = fresh_sequence();
  return std::as_bytes(std::span(&request, 1));
}

void copy_name(char (&to)[player::kNameBytes], std::string_view name) {
  KW_ASSERT(name.size() < sizeof to);
  std::memcpy(to, name.data(), name.size());
}

static_assert(kMostArguments * sizeof(player::WireArgument) + sizeof(player::CallHead) +
                  sizeof(player::Launch) <=
              player::kMaxMessage);

std::string signal_words(int number) {
  const char* description = ::sigdescr_np(number);
  return fmt::format("signal {} ({})", number, description != nullptr ? description : "unknown");
}

}  // namespace

CpuPlayer::CpuPlayer(BlankPlayer blank, const Setup& setup)
    : blank_(std::move(blank)), name_(setup.name) {}

Result<std::unique_ptr<CpuPlayer>> CpuPlayer::prepare(BlankPlayer blank, const Setup& setup) {
  std::unique_ptr<CpuPlayer> p(new CpuPlayer(std::move(blank), setup));
  const auto refuse = [&](const Exchange& e) {
    return fail(fmt::format("the {} player did not start: {}", setup.name,
                            e.result.detail.empty() ? "no answer" : e.result.detail),
                "player", Advice::Retry);
  };
  Exchange hello;
  p->await(hello, 0, Kind::Hello, platform::real_clock().now_ns(), kSetupTimeout);
  if (!hello.answer) return refuse(hello);
  KW_TRY(p->map_buffers(setup));
  player::PrepareRequest request;
  request.memory_bytes = static_cast<std::uint64_t>(setup.memory_bytes);
  request.threads = static_cast<std::uint32_t>(setup.threads);
  const auto ready = p->exchange(seal(request, Kind::Prepare), {}, Kind::Ready, kSetupTimeout);
  if (!ready.answer) return refuse(ready);
  return p;
}

Result<> CpuPlayer::map_buffers(const Setup& setup) {
  for (std::size_t first = 0; first < setup.buffers.size(); first += player::kMaxBuffersPerMap) {
    const std::size_t end = std::min(first + player::kMaxBuffersPerMap, setup.buffers.size());
    std::vector<player::MapEntry> entries;
    std::vector<int> descriptors;
    for (std::size_t i = first; i < end; ++i) {
      const bool writable = i < setup.writable.size() && setup.writable[i];
      entries.push_back(setup.buffers[i]->map_entry(writable));
      descriptors.push_back(setup.buffers[i]->descriptor(writable));
    }
    const auto mapped = exchange(player::encode_map(fresh_sequence(), entries), descriptors,
                                 Kind::Ready, kSetupTimeout);
    if (!mapped.answer)
      return fail(fmt::format("cannot map buffers: {}", mapped.result.detail), name_,
                  Advice::Retry);
  }
  return {};
}

CpuPlayer::Exchange CpuPlayer::exchange(std::span<const std::byte> request,
                                        std::span<const int> descriptors, Kind expected,
                                        std::int64_t timeout_ns) {
  Exchange e;
  if (!is_alive_) {
    e.result = {.fate = Fate::Exited, .detail = "the player has ended before"};
    return e;
  }
  std::byte stray[1];
  const auto early = player::receive_packet(blank_.channel.get(), stray, {}, false);
  if (early.error != EAGAIN && early.bytes > 0) {
    e.result = end(Fate::BadProtocol, "it answered before it was asked");
    return e;
  }
  // Queued while the process is stopped: nothing of it runs before the clock does.
  const int error = player::send_packet(blank_.channel.get(), request, descriptors, false);
  if (error != 0) {
    e.result = reap(kDeathPatience);
    return e;
  }
  const auto header = player::decode_header(request);
  KW_ASSERT(header.has_value());
  const std::int64_t start = platform::real_clock().now_ns();
  if (blank_.process.signal(SIGCONT).has_value())
    await(e, header->sequence, expected, start, timeout_ns);
  else
    e.result = reap(kDeathPatience);
  if (e.answer && !stop()) {
    e.answer.reset();
    const double elapsed = e.result.elapsed_ns;
    e.result = end(Fate::Crashed, "it ended right after its answer");
    e.result.elapsed_ns = elapsed;
  }
  // Read only now: the clock of a thread still on a processor lags by up to a tick (4 ms at 250
  // Hz), which would later look like work done after the answer. A clock that cannot be read blames
  // nobody.
  if (e.answer)
    cpu_at_answer_ns_ = blank_.process.cpu_ns().value_or(std::numeric_limits<std::int64_t>::max());
  return e;
}

void CpuPlayer::await(Exchange& into, std::uint64_t sequence, Kind expected, std::int64_t start_ns,
                      std::int64_t timeout_ns) {
  pollfd watched[2] = {{blank_.channel.get(), POLLIN, 0}, {blank_.process.pidfd(), POLLIN, 0}};
  const auto& clock = platform::real_clock();
  for (;;) {
    const std::int64_t left = start_ns + timeout_ns - clock.now_ns();
    if (left <= 0) {
      into.result = end(Fate::TimedOut, fmt::format("no answer within {}",
                                                    format_ns(static_cast<double>(timeout_ns))));
      return;
    }
    const timespec wait{left / kSecond, left % kSecond};
    if (::ppoll(watched, 2, &wait, nullptr) > 0) break;
  }
  // Stopped before the clock is read, so that work between answer and stop gains no time; one that
  // has hung up may end as it likes.
  if ((watched[0].revents & (POLLIN | POLLHUP)) == POLLIN) (void)blank_.process.signal(SIGSTOP);
  into.result.elapsed_ns = static_cast<double>(clock.now_ns() - start_ns);
  if ((watched[0].revents & POLLIN) != 0) {
    judge_answer(into, sequence, expected);
  } else {
    const double elapsed = into.result.elapsed_ns;
    into.result = reap(kDeathPatience);
    into.result.elapsed_ns = elapsed;
  }
}

void CpuPlayer::judge_answer(Exchange& into, std::uint64_t sequence, Kind expected) {
  const double elapsed = into.result.elapsed_ns;
  std::byte bytes[sizeof(Answer)];
  const auto received = player::receive_packet(blank_.channel.get(), bytes, {}, false);
  const auto answer = player::decode_answer(std::span(bytes, received.bytes));
  if (received.error != 0 || received.bytes == 0) {
    into.result = reap(kDeathPatience);
  } else if (received.is_truncated || !answer || answer->header.sequence != sequence ||
             (answer->header.kind != expected && answer->header.kind != Kind::Failed)) {
    into.result = end(Fate::BadProtocol, "its answer is none that a player gives");
  } else if (answer->header.kind == expected) {
    into.answer = *answer;
  } else {
    const std::string words = sanitise(answer->words(), player::kTextBytes);
    switch (answer->trouble) {
      case Trouble::LoadRefused:
        if (expected != Kind::Loaded) {
          into.result = end(Fate::BadProtocol, "it refused a load that nobody asked for");
          break;
        }
        into.answer = *answer;  // the process lives on
        into.result.fate = Fate::LoadRefused;
        into.result.detail = words;
        break;
      case Trouble::Signal:
        into.result = end(Fate::Crashed, signal_words(answer->signal));
        into.result.signal = answer->signal;
        into.result.fault_in_guard = answer->in_guard != 0;
        break;
      case Trouble::Exception:
        into.result = end(Fate::Crashed, fmt::format("uncaught exception ({})", words));
        into.result.signal = SIGABRT;
        break;
      case Trouble::OutOfMemory:
        into.result = end(Fate::OutOfMemory, "an allocation failed");
        break;
      default:
        into.result = end(Fate::BadProtocol, words.empty() ? "it refused the request" : words);
    }
  }
  into.result.elapsed_ns = elapsed;
}

CallResult CpuPlayer::reap(std::int64_t patience_ns) {
  if (!is_alive_) return {.fate = Fate::Exited, .detail = "the player has ended before"};
  is_alive_ = false;
  const auto exit = blank_.process.wait(Nanoseconds(patience_ns));
  blank_.process.kill_tree();
  CallResult result;
  if (!exit.has_value()) {
    result = {.fate = Fate::Exited, .detail = exit.error().what};
  } else if (exit->timed_out) {
    result = {.fate = Fate::BadProtocol, .detail = "it closed its channel"};
  } else {
    // bubblewrap reports a signal as 128 + number, like a shell.
    const int number = exit->signal != 0                           ? exit->signal
                       : exit->code > 128 && exit->code < 128 + 65 ? exit->code - 128
                                                                   : 0;
    if (number == SIGKILL)
      result = {.fate = Fate::OutOfMemory, .signal = number, .detail = "killed by the system"};
    else if (number != 0)
      result = {.fate = Fate::Crashed, .signal = number, .detail = signal_words(number)};
    else
      result = {.fate = Fate::Exited, .detail = fmt::format("exit code {}", exit->code)};
  }
  return result;
}

CallResult CpuPlayer::end(Fate fate, std::string detail) {
  if (is_alive_) {
    is_alive_ = false;
    blank_.process.kill_tree();
  }
  CallResult result;
  result.fate = fate;
  result.detail = std::move(detail);
  return result;
}

bool CpuPlayer::stop() { return stop_all_threads(blank_.process); }

Result<std::string> CpuPlayer::stage(const BuiltObject& object) {
  const std::string bytes = KW_TRY(platform::read_file(object.path, kObjectCap));
  std::string name = fmt::format("{}.so", ++staged_);
  const auto path = blank_.folder.path() / name;
  KW_TRY(platform::write_file_atomic(path, bytes, false));
  std::error_code trouble;
  std::filesystem::permissions(path, std::filesystem::perms(0755), trouble);
  if (trouble) return platform::fail_errno("open to the player", path, trouble.value());
  return name;
}

LoadResult CpuPlayer::load(const BuiltObject& object) {
  if (object.format != "elf-so")
    return {.fate = Fate::LoadRefused, .detail = "not an object for a cpu: " + object.format};
  const auto staged = stage(object);
  if (!staged.has_value()) return {.fate = Fate::LoadRefused, .detail = describe(staged.error())};
  player::LoadRequest request;
  copy_name(request.file, *staged);
  copy_name(request.entry, "kw_entry");
  const auto e = exchange(seal(request, Kind::Load), {}, Kind::Loaded, kLoadTimeout);
  return {
      .fate = e.result.fate, .object = e.answer ? e.answer->object : -1, .detail = e.result.detail};
}

CallResult CpuPlayer::call(const Call& call) {
  std::vector<player::WireArgument> arguments;
  KW_ASSERT(!call.argument_sets.empty());
  const std::size_t per_set = call.argument_sets.front().size();
  for (const auto& set : call.argument_sets) {
    KW_ASSERT(set.size() == per_set);
    for (const Argument& a : set)
      arguments.push_back(
          {.buffer = a.buffer,
           .value = a.buffer < 0 ? a.scalar : static_cast<std::uint64_t>(a.offset)});
  }
  player::Launch launch;
  launch.arguments = static_cast<std::uint32_t>(per_set);
  KW_ASSERT(arguments.size() <= kMostArguments);
  const auto request = player::encode_call(fresh_sequence(), call.object, std::span(&launch, 1),
                                           call.argument_sets.size(), arguments);
  return exchange(request, {}, Kind::Done, call.timeout_ns).result;
}

CallResult CpuPlayer::call_empty() {
  struct {
    player::Header header;
  } request;
  return exchange(seal(request, Kind::Empty), {}, Kind::Done, kEmptyTimeout).result;
}

Result<AfterReturn> CpuPlayer::watch_after_return(std::int64_t ns) {
  if (!is_alive_) return fail("the player has ended", name_);
  const bool is_running = blank_.process.signal(SIGCONT).has_value();
  if (is_running) platform::real_clock().sleep_for(Nanoseconds(ns));
  // Being stopped may itself cost a thread a millisecond of CPU time where both want one lock of a
  // busy kernel, so threads that sleep are read before; one that never sleeps has only itself to
  // blame.
  constexpr std::int64_t kPatience = 10;
  std::int64_t at_rest = -1;
  if (is_running && await_sleep(blank_.process, kPatience * ns))
    at_rest = blank_.process.cpu_ns().value_or(-1);
  if (!is_running || !stop()) {
    end(Fate::Exited, {});
    return AfterReturn{.has_ended = true};
  }
  const std::int64_t cpu = at_rest >= 0 ? at_rest : KW_TRY(blank_.process.cpu_ns());
  AfterReturn after;
  after.late_cpu_ns = static_cast<double>(std::max<std::int64_t>(0, cpu - cpu_at_answer_ns_));
  after.processes_left = count_children(blank_.process);
  return after;
}

}  // namespace kw::device

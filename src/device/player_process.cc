// Sends requests to a player process and judges its answers.
// SPDX-License-Identifier: Apache-2.0
#include "device/player_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/defence.h"
#include "base/foreign_text.h"
#include "base/rng.h"
#include "base/text.h"
#include "platform/files.h"
#include "player/transport.h"

namespace kw::device {
namespace {

using platform::Nanoseconds;
using player::Answer;
using player::Kind;
using player::Trouble;

constexpr std::int64_t kSetupTimeout = 10 * kSecond;
/// Longest wait for the end of a process after its message about a crash.
constexpr std::int64_t kDeathPatience = kSecond / 2;
/// Time for which an answer is awaited without sleeping, since waking up takes a virtual machine up
/// to 0.1 ms.
constexpr std::int64_t kSpinNs = kSecond / 10;
constexpr int kLooksPerPoll = 64;  ///< A look takes some 40 ns, a poll a microsecond.
constexpr std::int64_t kTeardownPatience = 10 * kSecond;

static_assert(kMostArguments * sizeof(player::WireArgument) + sizeof(player::CallHead) +
                  sizeof(player::Launch) <=
              player::kMaxMessage);

void copy_name(char (&to)[player::kNameBytes], std::string_view name) {
  KW_ASSERT(name.size() < sizeof to);
  std::memcpy(to, name.data(), name.size());
}

std::string signal_words(int number) {
  const char* description = ::sigdescr_np(number);
  return fmt::format("signal {} ({})", number, description != nullptr ? description : "unknown");
}

}  // namespace

std::uint64_t fresh_sequence() { return Seed::from_os().low; }

PlayerProcess::PlayerProcess(BlankPlayer blank, std::string name)
    : blank_(std::move(blank)),
      brake_(blank_.process, std::move(blank_.freezer)),
      name_(std::move(name)) {}

PlayerProcess::~PlayerProcess() { kill(); }

void PlayerProcess::kill() {
  blank_.process.kill_tree();
  if (!awaits_death_) return;
  constexpr std::int64_t kStep = kSecond / 2000;
  for (std::int64_t waited = 0; waited < kTeardownPatience; waited += kStep) {
    if (!blank_.process.is_payload_running()) return;
    platform::real_clock().sleep_for(Nanoseconds(kStep));
  }
}

Result<> PlayerProcess::greet() {
  Exchange hello;
  await(hello, 0, Kind::Hello, platform::real_clock().now_ns(), kSetupTimeout, {});
  if (hello.answer) return {};
  return fail(ErrorCode::Ended, About{"start"},
              fmt::format("the process that runs the {} did not start: {}", name_,
                          hello.result.detail.empty() ? "it did not answer" : hello.result.detail),
              "player", Advice::Retry);
}

Result<> PlayerProcess::require(const char* action, std::span<const std::byte> request,
                                std::span<const int> descriptors) {
  const auto e = exchange(request, descriptors, Kind::Ready, kSetupTimeout);
  if (e.answer) return {};
  return fail(ErrorCode::Ended, About{action},
              fmt::format("the process that runs the {} cannot {}: {}", name_, action,
                          e.result.detail.empty() ? "it did not answer" : e.result.detail),
              "player", Advice::Retry);
}

Result<> PlayerProcess::map(std::span<const player::MapEntry> entries,
                            std::span<const int> descriptors) {
  KW_ASSERT(entries.size() == descriptors.size());
  for (std::size_t first = 0; first < entries.size(); first += player::kMaxBuffersPerMap) {
    const std::size_t n = std::min(player::kMaxBuffersPerMap, entries.size() - first);
    const auto request = player::encode_map(fresh_sequence(), entries.subspan(first, n));
    KW_TRY(require("map buffers", request, descriptors.subspan(first, n)));
  }
  return {};
}

Result<> PlayerProcess::prepare(std::int64_t memory_bytes, int threads) {
  player::PrepareRequest request;
  request.memory_bytes = static_cast<std::uint64_t>(memory_bytes);
  request.threads = static_cast<std::uint32_t>(threads);
  return require("lock itself down", seal(request, Kind::Prepare), {});
}

Result<std::string> PlayerProcess::stage(const BuiltObject& object) {
  const std::string bytes = KW_TRY(platform::read_file(object.path, kObjectCap));
  std::string name = fmt::format("{}.so", ++staged_);
  const auto path = folder() / name;
  KW_TRY(platform::write_file_atomic(path, bytes, false));
  std::error_code trouble;
  std::filesystem::permissions(path, std::filesystem::perms(0755), trouble);
  if (trouble)
    return platform::fail_errno("make this file accessible to the process that runs candidates",
                                path, trouble.value());
  return name;
}

LoadResult PlayerProcess::load_shared(const BuiltObject& object, std::int64_t timeout_ns) {
  const auto staged = stage(object);
  if (!staged.has_value()) return {.fate = Fate::LoadRefused, .detail = describe(staged.error())};
  player::LoadRequest request;
  copy_name(request.file, *staged);
  copy_name(request.entry, "kw_entry");
  const auto e = exchange(seal(request, Kind::Load), {}, Kind::Loaded, timeout_ns);
  return {
      .fate = e.result.fate, .object = e.answer ? e.answer->object : -1, .detail = e.result.detail};
}

PlayerProcess::Exchange PlayerProcess::exchange(std::span<const std::byte> request,
                                                std::span<const int> descriptors, Kind expected,
                                                std::int64_t timeout_ns, const Watch& watch) {
  return collect(ask(request, descriptors), expected, timeout_ns, watch);
}

PlayerProcess::Asked PlayerProcess::ask(std::span<const std::byte> request,
                                        std::span<const int> descriptors) {
  Asked asked;
  Exchange& e = asked.so_far;
  if (!is_alive_) {
    e.result = {.fate = Fate::Exited,
                .detail = "the process that runs the kernel had ended before this request"};
    return asked;
  }
  std::byte stray[1];
  while (player::receive_packet(blank_.channel.get(), stray, {}, false).bytes > 0) {
    if (!is_on(Defence::StrayAnswers)) continue;
    e.result =
        end(Fate::BadProtocol, "the process that runs the kernel answered before it was asked");
    return asked;
  }
  brake_.note_rest();
  // The request is queued while the process is stopped, so the process works on it only after the
  // clock has started. Where a positive control lets the process run on, it begins at once.
  asked.start_ns = platform::real_clock().now_ns();
  const int error = player::send_packet(blank_.channel.get(), request, descriptors, false);
  if (error != 0) {
    e.result = reap(kDeathPatience);
    return asked;
  }
  const auto header = player::decode_header(request);
  KW_ASSERT(header.has_value());
  asked.sequence = header->sequence;
  if (is_on(Defence::StoppedAtAnswer)) asked.start_ns = platform::real_clock().now_ns();
  asked.is_open = brake_.release();
  if (!asked.is_open) e.result = reap(kDeathPatience);
  return asked;
}

PlayerProcess::Exchange PlayerProcess::collect(Asked asked, Kind expected, std::int64_t timeout_ns,
                                               const Watch& watch) {
  Exchange e = std::move(asked.so_far);
  if (!asked.is_open) return e;
  await(e, asked.sequence, expected, asked.start_ns, timeout_ns, watch);
  if (e.answer && !brake_.await_rest()) {
    e.answer.reset();
    const double elapsed = e.result.elapsed_ns;
    e.result = end(Fate::Crashed, "the process that runs the kernel ended right after its answer");
    e.result.elapsed_ns = elapsed;
  }
  // CPU time is read only now: the clock of a thread still on a processor lags by up to a tick (4
  // ms at 250 Hz), which would later look like work after the answer. If the clock cannot be read,
  // the process is not accused of such work.
  if (e.answer) {
    cpu_at_answer_ns_ = blank_.process.cpu_ns().value_or(std::numeric_limits<std::int64_t>::max());
    e.result.outside_ns = brake_.outside_ns(e.result.elapsed_ns);
  }
  return e;
}

void PlayerProcess::await(Exchange& into, std::uint64_t sequence, Kind expected,
                          std::int64_t start_ns, std::int64_t timeout_ns, const Watch& watch) {
  pollfd watched[2] = {{blank_.channel.get(), POLLIN, 0}, {blank_.process.pidfd(), POLLIN, 0}};
  const auto& clock = platform::real_clock();
  bool is_watching = static_cast<bool>(watch);
  for (;;) {
    // Calls watch() often, and checks only now and then whether the player has answered.
    for (int looks = 0; is_watching && looks < kLooksPerPoll; ++looks) is_watching = !watch();
    const std::int64_t left =
        is_on(Defence::TimeLimit) ? start_ns + timeout_ns - clock.now_ns() : kSecond;
    const bool spins = watch && left > timeout_ns - kSpinNs;
    const timespec wait =
        is_watching || spins || left <= 0 ? timespec{} : timespec{left / kSecond, left % kSecond};
    // Polls even when the time is over: the answer may have been waiting while this thread did not
    // run.
    if (::ppoll(watched, 2, &wait, nullptr) > 0) break;
    if (left <= 0) {
      into.result = end(Fate::TimedOut,
                        fmt::format("the process that runs the kernel did not answer within {}",
                                    format_ns(static_cast<double>(timeout_ns))));
      return;
    }
  }
  into.result.elapsed_ns = static_cast<double>(clock.now_ns() - start_ns);
  // The player's threads are stopped only after the clock was read: what they still do until then
  // is reported in CallResult::outside_ns. A process that has hung up ends by itself and is not
  // stopped.
  if ((watched[0].revents & (POLLIN | POLLHUP)) == POLLIN && !brake_.pull())
    into.result.elapsed_ns = static_cast<double>(clock.now_ns() - start_ns);
  if ((watched[0].revents & POLLIN) != 0) {
    judge_answer(into, sequence, expected);
  } else {
    const double elapsed = into.result.elapsed_ns;
    into.result = reap(kDeathPatience);
    into.result.elapsed_ns = elapsed;
  }
}

void PlayerProcess::judge_answer(Exchange& into, std::uint64_t sequence, Kind expected) {
  const double elapsed = into.result.elapsed_ns;
  std::byte bytes[sizeof(Answer)];
  const auto received = player::receive_packet(blank_.channel.get(), bytes, {}, false);
  const auto answer = player::decode_answer(std::span(bytes, received.bytes));
  if (received.error != 0 || received.bytes == 0) {
    into.result = reap(kDeathPatience);
  } else if (received.is_truncated || !answer ||
             (answer->header.sequence != sequence && is_on(Defence::AnswerNumbers)) ||
             (answer->header.kind != expected && answer->header.kind != Kind::Failed)) {
    into.result =
        end(Fate::BadProtocol, "the answer of the process that runs the kernel is malformed");
  } else if (answer->header.kind == expected) {
    into.answer = *answer;
  } else {
    judge_failure(into, *answer, expected);
  }
  into.result.elapsed_ns = elapsed;
}

void PlayerProcess::judge_failure(Exchange& into, const Answer& answer, Kind expected) {
  const std::string words = sanitise_line(answer.words(), player::kTextBytes);
  const bool is_of_gpu =
      answer.trouble == Trouble::LaunchFailed || answer.trouble == Trouble::DeviceFault;
  if (is_of_gpu && !speaks_for_gpu_ && is_on(Defence::TroublesOfTarget)) {
    into.result =
        end(Fate::BadProtocol,
            "the process that runs the kernel reported trouble with a GPU, although it uses none");
    return;
  }
  switch (answer.trouble) {
    case Trouble::LoadRefused:
      if (expected != Kind::Loaded) {
        into.result = end(Fate::BadProtocol,
                          "the process that runs the kernel refused a load that nobody requested");
        break;
      }
      into.answer = answer;  // the process lives on
      into.result.fate = Fate::LoadRefused;
      into.result.detail = words;
      break;
    case Trouble::Signal:
      if (answer.signal < 1 || answer.signal >= NSIG) {
        into.result = end(Fate::BadProtocol,
                          "the process that runs the kernel reported a signal that does not exist");
        break;
      }
      into.result = end(Fate::Crashed, signal_words(answer.signal));
      into.result.signal = answer.signal;
      into.result.fault_in_guard = answer.in_guard != 0;
      break;
    case Trouble::Exception:
      into.result = end(Fate::Crashed, fmt::format("uncaught exception ({})", words));
      into.result.signal = SIGABRT;
      break;
    case Trouble::OutOfMemory:
      into.result =
          end(Fate::OutOfMemory,
              words.empty() ? "an allocation of memory failed in the process that runs the kernel"
                            : words);
      break;
    case Trouble::LaunchFailed:
      into.answer = answer;  // nothing ran; the process lives on
      into.result.fate = Fate::LaunchFailed;
      into.result.detail = words;
      break;
    case Trouble::DeviceFault:
      into.result = end(Fate::DeviceFault, words);
      into.result.signal = answer.signal;
      break;
    default:  // its words may be the candidate's, so they are not used
      into.result =
          end(Fate::BadProtocol, "the process that runs the kernel refused a valid request");
  }
}

CallResult PlayerProcess::reap(std::int64_t patience_ns) {
  if (!is_alive_)
    return {.fate = Fate::Exited,
            .detail = "the process that runs the kernel had ended before this request"};
  is_alive_ = false;
  const auto exit = blank_.process.wait(Nanoseconds(patience_ns));
  kill();
  CallResult result;
  if (!exit.has_value()) {
    result = {.fate = Fate::Exited, .detail = exit.error().what};
  } else if (exit->timed_out) {
    result = {.fate = Fate::BadProtocol,
              .detail = "the process that runs the kernel closed its channel to the referee"};
  } else {
    // bubblewrap reports a signal as 128 + its number, like a shell.
    const int number = exit->signal != 0                           ? exit->signal
                       : exit->code > 128 && exit->code < 128 + 65 ? exit->code - 128
                                                                   : 0;
    if (number == SIGKILL)
      result = {.fate = Fate::OutOfMemory,
                .signal = number,
                .detail =
                    "the system killed the process that ran the candidate, as it does when memory "
                    "runs out"};
    else if (number != 0)
      result = {.fate = Fate::Crashed, .signal = number, .detail = signal_words(number)};
    else
      result = {.fate = Fate::Exited, .detail = fmt::format("exit code {}", exit->code)};
  }
  return result;
}

CallResult PlayerProcess::end(Fate fate, std::string detail) {
  if (is_alive_) {
    is_alive_ = false;
    kill();
  }
  CallResult result;
  result.fate = fate;
  result.detail = std::move(detail);
  return result;
}

Result<AfterReturn> PlayerProcess::watch_after_return(std::int64_t ns) {
  if (!is_alive_)
    return fail(ErrorCode::Ended, "the process that runs the kernel has ended", name_);
  const bool is_running = brake_.release();
  if (is_running) platform::real_clock().sleep_for(Nanoseconds(ns));
  // Threads that sleep are read before they are stopped, since being stopped may itself cost a
  // thread a millisecond of CPU time where several want one lock of a busy kernel. A thread that
  // never sleeps is read after the stop.
  constexpr std::int64_t kPatience = 10;
  std::int64_t at_rest = -1;
  if (is_running && brake_.threads().await_sleep(kPatience * ns))
    at_rest = blank_.process.cpu_ns().value_or(-1);
  if (is_running) (void)brake_.pull();
  if (!is_running || !brake_.await_rest()) {
    end(Fate::Exited, {});
    return AfterReturn{.has_ended = true};
  }
  const std::int64_t cpu = at_rest >= 0 ? at_rest : blank_.process.cpu_ns().value_or(-1);
  if (cpu < 0) {  // the process is gone although it was stopped, so it ended by itself
    end(Fate::Exited, {});
    return AfterReturn{.has_ended = true};
  }
  AfterReturn after;
  after.late_cpu_ns = static_cast<double>(std::max<std::int64_t>(0, cpu - cpu_at_answer_ns_));
  after.processes_left = brake_.threads().count_children();
  return after;
}

}  // namespace kw::device

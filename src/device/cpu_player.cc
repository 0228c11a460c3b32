// Runs candidates in CPU players, where objects are files and a call passes the function's
// arguments.
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_player.h"

#include "base/defence.h"
#include "device/cpu_buffer.h"
#include "device/undisturbed.h"

namespace kw::device {
namespace {

using player::Kind;

constexpr std::int64_t kLoadTimeout = 10 * kSecond;  ///< Includes the constructors of the object.
constexpr std::int64_t kEmptyTimeout = 2 * kSecond;

}  // namespace

CpuPlayer::CpuPlayer(BlankPlayer blank, const Setup& setup)
    : process_(std::move(blank), setup.name), alone_(*setup.alone) {}

Result<std::unique_ptr<CpuPlayer>> CpuPlayer::prepare(BlankPlayer blank, const Setup& setup) {
  std::unique_ptr<CpuPlayer> p(new CpuPlayer(std::move(blank), setup));
  KW_TRY(p->process_.greet());
  std::vector<player::MapEntry> entries;
  std::vector<int> descriptors;
  for (std::size_t i = 0; i < setup.buffers.size(); ++i) {
    const bool writable =
        (i < setup.writable.size() && setup.writable[i]) || !is_on(Defence::InputsReadOnly);
    entries.push_back(setup.buffers[i]->map_entry(writable));
    descriptors.push_back(setup.buffers[i]->descriptor(writable));
  }
  KW_TRY(p->process_.map(entries, descriptors));
  KW_TRY(p->process_.prepare(setup.memory_bytes, setup.threads));
  return p;
}

LoadResult CpuPlayer::load(const BuiltObject& object) {
  if (object.format != "elf-so")
    return {.fate = Fate::LoadRefused,
            .detail = "this object is no code for a cpu but of format " + object.format};
  return process_.load_shared(object, kLoadTimeout);
}

CallResult CpuPlayer::call(const Call& call) {
  std::vector<player::WireArgument> arguments;
  for (const Argument& a : call.arguments)
    arguments.push_back({.buffer = a.buffer,
                         .value = a.buffer < 0 ? a.scalar : static_cast<std::uint64_t>(a.offset)});
  player::Launch launch;
  launch.arguments = static_cast<std::uint32_t>(arguments.size());
  KW_ASSERT(arguments.size() <= kMostArguments);
  const auto request =
      player::encode_call(fresh_sequence(), call.object, std::span(&launch, 1), arguments);
  const auto run = [&] {
    return process_.exchange(request, {}, Kind::Done, call.timeout_ns).result;
  };
  if (call.kind == CallKind::Checked) return run();
  const Undisturbed undisturbed(alone_);
  const auto stay = vantage_.stay();
  CallResult result = run();
  result.waited_ns = undisturbed.waited_ns();
  return result;
}

CallResult CpuPlayer::call_empty() {
  const Undisturbed undisturbed(alone_);
  const auto stay = vantage_.stay();
  player::RunRequest request;
  return process_.exchange(seal(request, Kind::Empty), {}, Kind::Done, kEmptyTimeout).result;
}

}  // namespace kw::device

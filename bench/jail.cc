// bench-jail ROUNDS: measures how long it takes to start a player in its jail, interleaved with
// reference processes; prints "figure ns" lines.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu.h"
#include "platform/clock.h"
#include "platform/jail.h"
#include "platform/subprocess.h"

namespace {

using namespace kw;

constexpr std::int64_t kBufferBytes = std::int64_t{1} << 20;
constexpr int kEmptyCalls = 20;

std::int64_t now() { return platform::real_clock().now_ns(); }

void report(const char* figure, std::int64_t ns) {
  std::printf("%s\t%lld\n", figure, static_cast<long long>(ns));
}

Result<std::unique_ptr<device::Device>> open_device(int spare) {
  device::CpuOptions options;
  options.spare_players = spare;
  return device::open_cpu(options);
}

/// Time from the request for a player until it is ready, with a buffer mapped. The end of the
/// player is not timed.
Result<> start(device::Device& device, JailLevel level, const char* figure, bool must_call) {
  auto buffer = KW_TRY(device.allocate({.name = "x", .bytes = kBufferBytes}));
  device::PlayerSpec spec{.name = "bench", .jail = level};
  spec.buffers = {buffer.get()};
  spec.writable = {true};
  const std::int64_t begin = now();
  const auto player = KW_TRY(device.start_player(spec));
  report(figure, now() - begin);
  for (int i = 0; must_call && i < kEmptyCalls; ++i) {
    const auto call = player->call_empty();
    if (call.fate != device::Fate::Returned) return fail("an empty call did not return");
    report("jail.empty_call", static_cast<std::int64_t>(call.elapsed_ns));
  }
  return {};
}

Result<> time_process(const std::vector<std::string>& argv, const char* figure) {
  const std::int64_t begin = now();
  const auto exit = KW_TRY(platform::run(argv, {}, platform::Nanoseconds{10'000'000'000}));
  if (!exit.ok()) return fail(argv.front() + ": " + describe(exit));
  report(figure, now() - begin);
  return {};
}

Result<> measure(int rounds) {
  platform::probe_jail();  // happens once per process and is not part of a start
  const auto cold = KW_TRY(open_device(0));
  const auto pooled = KW_TRY(open_device(2));
  const std::vector<std::string> plain{"/bin/true"};
  const std::vector<std::string> bubble{"bwrap", "--unshare-all",     "--ro-bind", "/",
                                        "/",     "--die-with-parent", "/bin/true"};
  for (int i = 0; i < rounds; ++i) {
    KW_TRY(start(*cold, JailLevel::Namespace, "jail.namespace", false));
    KW_TRY(time_process(bubble, "jail.anchor_bwrap"));
    KW_TRY(start(*cold, JailLevel::Landlock, "jail.landlock", false));
    KW_TRY(time_process(plain, "jail.anchor_process"));
    KW_TRY(start(*cold, JailLevel::None, "jail.none", false));
    // The first request makes the device prepare spare processes; after this pause they are ready.
    platform::real_clock().sleep_for(platform::Nanoseconds{100'000'000});
    KW_TRY(
        start(*pooled, JailLevel::Namespace, i == 0 ? "jail.pool_first" : "jail.pool_hit", true));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 0;
  if (rounds < 2) {
    std::fprintf(stderr, "usage: bench-jail ROUNDS, at least 2\n");
    return 2;
  }
  const auto done = measure(rounds);
  if (done) return 0;
  std::fprintf(stderr, "bench-jail: %s\n", describe(done.error()).c_str());
  return 3;
}

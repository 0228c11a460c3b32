// Overwrites what a multiprocessor keeps between two calls: shared memory, registers, local memory.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_scrub.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "base/defence.h"

namespace kw::player::cuda {
namespace {

constexpr int kKiB = 1024;
/// Bytes of stack that any kernel may have beside its frame, as the driver limits it in a new
/// context.
constexpr int kStackBytes = kKiB;
/// Sizes in KiB of the frames of kw_scrub_local_N in src/device/cuda/scrub.cuh. The driver keeps
/// what it allocated for the largest frame so far, and lets a stack grow that far, so a scrub never
/// chooses a smaller frame than an earlier one did.
constexpr int kFrames[] = {1, 2, 3, 5, 9, 17, 33};
/// Number of threads that, at 255 registers each, take all registers of a multiprocessor.
constexpr unsigned kRegisterThreads = 256;

static_assert(std::size(kFrames) == kLocalScrubs);
static_assert(kFrames[kLocalScrubs - 1] * kKiB == kMostFrameBytes + kStackBytes);

}  // namespace

Outcome find_scrubs(Holdings& held) {
  const auto find = [&held](Function& function, const char* name) {
    return held.gpu.check(held.gpu.api().cuModuleGetFunction(&function, held.trusted.module, name),
                          name, Trouble::LoadRefused);
  };
  for (std::size_t i = 0; i < std::size(kFrames); ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "kw_scrub_local_%d", kFrames[i]);
    if (auto f = find(held.trusted.scrub_local[i], name)) return f;
  }
  if (auto f = find(held.trusted.scrub_registers, "kw_scrub_registers")) return f;
  if (auto f = find(held.trusted.scrub_shared, "kw_scrub")) return f;
  return held.gpu.check(
      held.gpu.api().cuFuncSetAttribute(held.trusted.scrub_shared, kFunctionDynamicShared,
                                        held.gpu.shared_per_block()),
      "give the clearing kernel all shared memory of a block", Trouble::LoadRefused);
}

Outcome note_frame(Holdings& held, Function function, std::string_view kernel) {
  int bytes = 0;
  if (auto f = held.gpu.check(
          held.gpu.api().cuFuncGetAttribute(&bytes, kFunctionLocal, function),
          "read how much local memory a thread of kernel " + std::string(kernel) + " has",
          Trouble::LoadRefused))
    return f;
  if (bytes > kMostFrameBytes)
    return Failure{Trouble::LoadRefused, 0,
                   "kernel " + std::string(kernel) + " has " + std::to_string(bytes) +
                       " bytes of local memory a thread; at most " +
                       std::to_string(kMostFrameBytes) +
                       " are allowed, because local memory is overwritten between calls"};
  held.largest_frame = std::max(held.largest_frame, bytes);
  return std::nullopt;
}

// The launch is cooperative, so the device begins no block before there is room for all of them.
Status Scrubber::launch_everywhere(Function function, unsigned blocks_each, unsigned threads,
                                   int shared_bytes, std::span<void*> arguments) {
  LaunchAttribute together;
  together.id = kLaunchCooperative;
  together.value.number = 1;
  LaunchConfig config;
  config.grid[0] = blocks_each * static_cast<unsigned>(held_.gpu.multiprocessors());
  config.block[0] = threads;
  config.shared_bytes = static_cast<unsigned>(shared_bytes);
  config.stream = held_.gpu.stream();
  config.attributes = &together;
  config.attribute_count = 1;
  begun_ += config.grid[0];
  return held_.gpu.api().cuLaunchKernelEx(&config, function, arguments.data(), nullptr);
}

Status Scrubber::scrub_local_memory() {
  const auto fits = [this](int kib) { return held_.largest_frame + kStackBytes <= kib * kKiB; };
  const auto chosen =
      std::find_if(std::begin(kFrames), std::end(kFrames), fits) - std::begin(kFrames);
  int words = kFrames[chosen] * kKiB / 4;
  unsigned begun = 0;
  void* arguments[] = {&begun, &words};
  // Blocks of this size fill the 1024, 1536 or 2048 threads of a multiprocessor.
  const int threads = held_.gpu.threads_per_multiprocessor() % 1024 == 0 ? 1024 : 512;
  const auto each = static_cast<unsigned>(held_.gpu.threads_per_multiprocessor() / threads);
  begun = begun_ + each * static_cast<unsigned>(held_.gpu.multiprocessors());
  return launch_everywhere(held_.trusted.scrub_local[chosen], each, static_cast<unsigned>(threads),
                           0, arguments);
}

Status Scrubber::scrub_registers() {
  unsigned begun = begun_ + static_cast<unsigned>(held_.gpu.multiprocessors());
  unsigned never = 0;
  Address sink = held_.clock_address;
  void* arguments[] = {&begun, &never, &sink};
  return launch_everywhere(held_.trusted.scrub_registers, 1, kRegisterThreads, 0, arguments);
}

Status Scrubber::scrub_shared_memory() {
  unsigned begun = begun_ + static_cast<unsigned>(held_.gpu.multiprocessors());
  int words = held_.gpu.shared_per_block() / 4;
  void* arguments[] = {&begun, &words};
  return launch_everywhere(held_.trusted.scrub_shared, 1, 1024, held_.gpu.shared_per_block(),
                           arguments);
}

Outcome Scrubber::scrub() {
  if (is_on(Defence::LocalMemoryScrubbed))
    if (auto f = held_.gpu.check(scrub_local_memory(), "overwrite local memory between calls",
                                 Trouble::LaunchFailed))
      return f;
  return scrub_cores();
}

Outcome Scrubber::scrub_cores() {
  const auto attempt = [this](Status status, const char* what) {
    return held_.gpu.check(status, what, Trouble::LaunchFailed);
  };
  if (is_on(Defence::RegistersScrubbed))
    if (auto f = attempt(scrub_registers(), "overwrite registers")) return f;
  if (is_on(Defence::SharedMemoryScrubbed))
    if (auto f = attempt(scrub_shared_memory(), "overwrite shared memory between calls")) return f;
  return attempt(held_.gpu.api().cuStreamSynchronize(held_.gpu.stream()),
                 "overwrite registers and shared memory between calls");
}

}  // namespace kw::player::cuda

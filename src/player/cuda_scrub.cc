// Overwrites what a multiprocessor keeps between two calls: shared memory, registers, local memory.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/defence.h"
#include "player/cuda_session.h"

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

Outcome Session::find_scrubs() {
  const auto find = [this](Function& function, const char* name) {
    return check(api_.cuModuleGetFunction(&function, trusted_.module, name), name,
                 Trouble::LoadRefused);
  };
  for (std::size_t i = 0; i < std::size(kFrames); ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "kw_scrub_local_%d", kFrames[i]);
    if (auto f = find(trusted_.scrub_local[i], name)) return f;
  }
  if (auto f = find(trusted_.scrub_registers, "kw_scrub_registers")) return f;
  if (auto f = find(trusted_.scrub_shared, "kw_scrub")) return f;
  return check(
      api_.cuFuncSetAttribute(trusted_.scrub_shared, kFunctionDynamicShared, shared_per_block_),
      "give the clearing kernel all shared memory of a block", Trouble::LoadRefused);
}

// The launch is cooperative, so the device begins no block before there is room for all of them.
Status Session::launch_everywhere(Function function, unsigned blocks_each, unsigned threads,
                                  int shared_bytes, std::span<void*> arguments) {
  LaunchAttribute together;
  together.id = kLaunchCooperative;
  together.value.number = 1;
  LaunchConfig config;
  config.grid[0] = blocks_each * static_cast<unsigned>(multiprocessors_);
  config.block[0] = threads;
  config.shared_bytes = static_cast<unsigned>(shared_bytes);
  config.stream = stream_;
  config.attributes = &together;
  config.attribute_count = 1;
  scrubs_begun_ += config.grid[0];
  return api_.cuLaunchKernelEx(&config, function, arguments.data(), nullptr);
}

Outcome Session::note_frame(Function function, std::string_view kernel) {
  int bytes = 0;
  if (auto f =
          check(api_.cuFuncGetAttribute(&bytes, kFunctionLocal, function),
                "read how much local memory a thread of kernel " + std::string(kernel) + " has",
                Trouble::LoadRefused))
    return f;
  if (bytes > kMostFrameBytes)
    return Failure{Trouble::LoadRefused, 0,
                   "kernel " + std::string(kernel) + " has " + std::to_string(bytes) +
                       " bytes of local memory a thread; at most " +
                       std::to_string(kMostFrameBytes) +
                       " are allowed, because local memory is overwritten between calls"};
  largest_frame_ = std::max(largest_frame_, bytes);
  return std::nullopt;
}

Status Session::scrub_local_memory() {
  const auto fits = [this](int kib) { return largest_frame_ + kStackBytes <= kib * kKiB; };
  const auto chosen =
      std::find_if(std::begin(kFrames), std::end(kFrames), fits) - std::begin(kFrames);
  int words = kFrames[chosen] * kKiB / 4;
  unsigned begun = 0;
  void* arguments[] = {&begun, &words};
  // Blocks of this size fill the 1024, 1536 or 2048 threads of a multiprocessor.
  const int threads = threads_per_multiprocessor_ % 1024 == 0 ? 1024 : 512;
  const auto each = static_cast<unsigned>(threads_per_multiprocessor_ / threads);
  begun = scrubs_begun_ + each * static_cast<unsigned>(multiprocessors_);
  return launch_everywhere(trusted_.scrub_local[chosen], each, static_cast<unsigned>(threads), 0,
                           arguments);
}

Status Session::scrub_registers() {
  unsigned begun = scrubs_begun_ + static_cast<unsigned>(multiprocessors_);
  unsigned never = 0;
  Address sink = clock_address_;
  void* arguments[] = {&begun, &never, &sink};
  return launch_everywhere(trusted_.scrub_registers, 1, kRegisterThreads, 0, arguments);
}

Status Session::scrub_shared_memory() {
  unsigned begun = scrubs_begun_ + static_cast<unsigned>(multiprocessors_);
  int words = shared_per_block_ / 4;
  void* arguments[] = {&begun, &words};
  return launch_everywhere(trusted_.scrub_shared, 1, 1024, shared_per_block_, arguments);
}

Outcome Session::scrub() {
  if (is_on(Defence::LocalMemoryScrubbed))
    if (auto f = check(scrub_local_memory(), "overwrite local memory between calls",
                       Trouble::LaunchFailed))
      return f;
  return scrub_cores();
}

Outcome Session::scrub_cores() {
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::LaunchFailed);
  };
  if (is_on(Defence::RegistersScrubbed))
    if (auto f = attempt(scrub_registers(), "overwrite registers")) return f;
  if (is_on(Defence::SharedMemoryScrubbed))
    if (auto f = attempt(scrub_shared_memory(), "overwrite shared memory between calls")) return f;
  return attempt(api_.cuStreamSynchronize(stream_),
                 "overwrite registers and shared memory between calls");
}

}  // namespace kw::player::cuda

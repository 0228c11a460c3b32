// Runs the blocks of a kernel on operating-system threads, and their threads as fibers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <csetjmp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime.h"

namespace kw_emulated {

// Statuses of the driver that only driver calls return, never kernels.
inline constexpr int kDeviceUnavailable = 46;
inline constexpr int kInvalidImage = 200;
inline constexpr int kEccUncorrectable = 214;
inline constexpr int kCooperativeTooLarge = 720;
inline constexpr int kCaptureUnsupported = 900;
inline constexpr int kCaptureInvalidated = 901;

/// Number of multiprocessors that the emulated device reports, and of blocks resident on each.
inline constexpr int kMultiprocessors = 2;
inline constexpr int kBlocksEach = 2;
inline constexpr int kResidentBlocks = kMultiprocessors * kBlocksEach;
inline constexpr unsigned kMostThreads = 1024;
inline constexpr std::size_t kMostShared = std::size_t{227} << 10;

/// One launch of a kernel.
struct Grid {
  Thunk thunk = nullptr;
  Thread** (*self)() = nullptr;
  Index size, block;
  std::size_t shared_bytes = 0;
  void* const* arguments = nullptr;
};

struct Fiber;
class Block;

/// Runs the blocks of one launch after another. A fault of a kernel ends its launch and is
/// reported; a kernel that waits for ever never ends, as on a device.
class Engine {
 public:
  Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// Runs one launch to its end; returns 0, or the status of the kernel's fault.
  int run(const Grid& grid);

  static const Calls& calls();
  /// Time of the emulated device's clock, which runs slower than the host's so that a busy machine
  /// keeps pace.
  static std::uint64_t global_timer();
  /// While this object exists, the device's clock runs a hundred times slower than the host's,
  /// whatever its usual speed. Only one may exist at a time.
  class Spell {
   public:
    Spell();
    ~Spell();
    Spell(const Spell&) = delete;
    Spell& operator=(const Spell&) = delete;
  };

 private:
  friend class Block;
  void work(std::size_t index);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  const Grid* grid_ = nullptr;
  std::uint64_t next_ = 0, total_ = 0, launch_ = 0;
  int working_ = 0;
  int status_ = 0;
  bool is_ending_ = false;
};

}  // namespace kw_emulated

// Holdings: what a process holds in its context on a GPU, from which plans are built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "player/clock_page.h"
#include "player/cuda_gpu.h"
#include "player/plan_wire.h"

namespace kw::player::cuda {

/// A buffer of the referee, mapped into this process.
struct Mapped {
  Address payload = 0;
  std::uint64_t bytes = 0;
  Address mapping = 0;  ///< The mapping that holds the payload; 0: another owner unmaps it.
  std::uint64_t mapped_bytes = 0;
};

/// Most local memory that a thread of any kernel may have, in bytes: the largest frame that can be
/// overwritten, less the stack beside it.
inline constexpr int kMostFrameBytes = 32 << 10;
inline constexpr std::size_t kLocalScrubs = 7;  ///< Number of sizes of kw_scrub_local_N.

/// The functions of src/device/cuda/player.cu.
struct TrustedKernels {
  Module module = nullptr;
  Function spacer = nullptr;
  Function stamp = nullptr;
  Function touch = nullptr;
  Function plan_fill = nullptr;
  Function plan_copy = nullptr;
  Function scrub_shared = nullptr;
  Function scrub_registers = nullptr;
  Function scrub_local[kLocalScrubs] = {};
};

/// The function that a host launcher's shared object exports: arguments[i] points to the value of
/// argument i, and the last argument is a stream. It returns 0 if all work was queued on that
/// stream.
using HostEntry = int (*)(void* const* arguments);

/// A loaded cubin, kept as bytes so that it can be loaded again, or a host launcher, which stays
/// loaded.
struct Object {
  std::vector<std::byte> image;
  Module module = nullptr;
  HostEntry entry = nullptr;
};

/// One call of a host launcher.
struct HostCall {
  std::vector<std::uint64_t> values;  ///< Values of the arguments, the stream last.
  std::vector<void*> arguments;       ///< Pointers into `values`.
};

/// A plan that is ready to run. Its bytes are kept, since the graph is built anew after every
/// forget().
struct Bound {
  bool is_built = false;
  std::size_t object = 0;
  std::vector<std::uint64_t> bytes;  ///< The encoded plan as it was received; 8-aligned.
  PlanView view;
  Address tables = 0;
  std::vector<Address> table_at;
  GraphExec exec = nullptr;  ///< Null for a plan without steps.
  // The fields below belong to plans of host launchers.
  HostEntry entry = nullptr;
  std::vector<HostCall> calls;  ///< Calls in the order of the plan.
  Graph graph = nullptr;        ///< Graph captured from the calls.
  /// Why the calls cannot be captured, in words; the plan then always runs by its function.
  std::string why_not_captured;
};

struct Holdings {
  Gpu gpu;
  TrustedKernels trusted;
  std::vector<Mapped> buffers;
  std::vector<Object> objects;
  /// Largest frame in local memory of all kernels in bound plans, bytes.
  int largest_frame = 0;
  ClockPage* clock = nullptr;  ///< Null until the clock page is mapped.
  Address clock_address = 0;
};

/// Loads the trusted kernels without running any.
Outcome load_trusted(Holdings& held, const std::vector<std::byte>& image);
/// Loads a cubin of foreign kernels; `handle` gets its index among the objects.
Outcome load_cubin(Holdings& held, std::vector<std::byte> image, std::int32_t& handle);

}  // namespace kw::player::cuda

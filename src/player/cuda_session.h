// One player's context on a GPU: the referee's buffers, trusted kernels, objects and bound plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "player/clock_page.h"
#include "player/cuda_api.h"
#include "player/plan_wire.h"
#include "player/protocol.h"

namespace kw::player::cuda {

/// Why a request did not succeed.
struct Failure {
  Trouble trouble = Trouble::BadRequest;
  Status status = 0;
  std::string words;
};
using Outcome = std::optional<Failure>;  ///< Nothing: success.

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

class Session {
 public:
  /// Creates a context on the device with this UUID, which takes 0.15 s and more. `is_primary`: the
  /// primary context, in which CUDA's runtime and its libraries work.
  Outcome open(const Uuid& uuid, const std::string& library, bool is_primary = false);
  /// Uses the caller's current context, with buffers that are mapped in it, instead of creating
  /// one.
  Outcome adopt(const Api& api, DeviceOrdinal device);
  /// Maps one buffer, or the clock page. The caller keeps the descriptor.
  Outcome map(const MapEntry& entry, int descriptor);
  /// Loads the trusted kernels and runs each once, so that whatever the driver does on first use
  /// happens before the process locks itself down. Call once, after the clock page was mapped.
  Outcome equip(std::vector<std::byte> image);
  /// Loads the trusted kernels without running any.
  Outcome load_trusted(std::vector<std::byte> image);
  /// Prepares everything that depends on the complete list of buffers; call after the last map().
  Outcome finish_mapping();

  Outcome load(std::vector<std::byte> image, std::int32_t& handle);
  /// Loads a host launcher's shared object and looks up its entry.
  Outcome load_host(const char* path, const char* entry, std::int32_t& handle);
  Outcome bind(std::size_t object, std::span<const std::byte> plan, std::int32_t& handle);
  /// Runs a plan (null: an empty call) between the spacer and stamp kernels, with the settings of
  /// the request.
  Outcome run(Bound* plan, const RunRequest& request, std::uint64_t& event_ns);
  /// Binds a plan to these buffers of an adopted context, runs it `repeats` times in a row and
  /// drops it. `event_ns` is the time between events around the runs; one earlier run warms the
  /// kernels.
  Outcome run_once(std::size_t object, std::span<const std::byte> plan, std::vector<Mapped> buffers,
                   int repeats, std::uint64_t& event_ns);
  /// Launches a plan's steps one by one on one stream, on these buffers of an adopted context, for
  /// a profiler or a sanitizer: without graph, spacer and stamp. `marked` gives the indices, in
  /// order, of the steps to enclose in cuProfilerStart() and cuProfilerStop(). `step_ns` gets the
  /// nanoseconds of each step, between events around it; these are meaningless where steps are
  /// marked.
  Outcome run_apart(std::size_t object, std::span<const std::byte> plan,
                    std::vector<Mapped> buffers, std::span<const int> marked,
                    std::vector<double>& step_ns);
  /// Loads every object anew and rebuilds the graph of `next` (other plans are rebuilt when they
  /// run), and overwrites shared memory, registers and local memory. Local memory costs most: on an
  /// H100, 0.09 ms for each KiB of the largest frame of a bound plan plus 1 KiB of stack.
  Outcome forget(Bound& next);
  /// Unmaps every buffer that this plan does not name, and drops all other plans.
  Outcome keep_only(const Bound& kept);

  bool has_object(std::size_t index) const { return index < objects_.size(); }
  Bound* plan(std::size_t index) { return index < plans_.size() ? plans_[index].get() : nullptr; }

 private:
  friend class GraphBuilder;

  /// Returns nothing on success, else the failure of `what` with this status; its trouble is
  /// `otherwise` unless the context is lost.
  Outcome check(Status status, std::string_view what, Trouble otherwise) const;
  Outcome make_surroundings();
  /// Copies to the device and waits for the end: the driver may return while the last bytes are
  /// still on their way, and our stream does not wait for other streams.
  Outcome send(Address to, const void* from, std::size_t bytes, std::string_view what) const;
  /// Checks the bytes of a plan and decodes them into `bound`.
  Outcome decode(Bound& bound, std::span<const std::byte> plan) const;
  Outcome prepare(Bound& bound, std::span<const std::byte> plan);
  Outcome read_events(std::uint64_t& event_ns);
  /// Copies the list of buffers to the device, for the kernel kw_touch.
  Outcome send_touch_list();
  Outcome map_clock(const MapEntry& entry, int descriptor);
  Outcome warm_up();
  Outcome build(Bound& plan);
  Outcome send_tables(Bound& plan);
  void discard(Bound& plan);
  // Defined in cuda_forget.cc:
  /// Rebuilds the graph of a bound plan, if forget() has destroyed it.
  Outcome build_again(Bound& plan);
  // The functions below are defined in cuda_host.cc.
  Outcome build_host(Bound& plan);
  Outcome add_call(Bound& plan, const WireStep& step);
  /// Makes a host launcher's calls once outside of any capture, and waits for their end.
  Outcome try_host(const Bound& plan);
  Outcome call_host(const Bound& plan, const HostCall& call);
  Outcome call_all(const Bound& plan);
  /// Captures the calls of a host launcher as a graph. False where they cannot be captured; the
  /// plan then says why.
  bool capture_host(Bound& plan);
  Outcome instantiate_host(Bound& plan);
  Status launch(Function function, unsigned blocks, unsigned threads, unsigned shared_bytes,
                Stream stream, std::span<void*> arguments);
  /// Fills memory with zeros, and waits for the end.
  Status clear(Address at, std::uint64_t bytes);
  Status launch_touch();
  // The functions below are defined in cuda_scrub.cc.
  Outcome find_scrubs();
  /// Remembers the size of a kernel's frame in local memory; refuses one that is too large.
  Outcome note_frame(Function function, std::string_view kernel);
  /// Launches `blocks_each` blocks on every multiprocessor, all running at the same time;
  /// scrubs_begun_ counts them.
  Status launch_everywhere(Function function, unsigned blocks_each, unsigned threads,
                           int shared_bytes, std::span<void*> arguments);
  Status scrub_local_memory();
  Status scrub_registers();
  Status scrub_shared_memory();
  /// Overwrites local memory, registers and shared memory, and waits for the end.
  Outcome scrub();
  /// Overwrites registers and shared memory only; the driver would have to allocate local memory
  /// first.
  Outcome scrub_cores();
  /// Queues everything that run() queues before it releases the spacer kernel.
  Outcome queue(const Bound* plan, const RunRequest& request);
  Outcome queue_plan(const Bound& plan, const RunRequest& request);
  void release_spacer(const RunRequest& request);

  Api api_;
  Context context_ = nullptr;
  DeviceOrdinal device_ = 0;
  Stream stream_ = nullptr;
  Event begin_ = nullptr;
  Event end_ = nullptr;
  int multiprocessors_ = 1;
  int shared_per_block_ = 0;
  int threads_per_multiprocessor_ = 1024;
  /// Largest frame in local memory of all kernels in bound plans, bytes.
  int largest_frame_ = 0;
  unsigned scrubs_begun_ = 0;  ///< Blocks counted as in kw_scrubs_begun.
  TrustedKernels trusted_;
  std::vector<Mapped> buffers_;
  Address touch_list_ = 0;
  ClockPage* clock_ = nullptr;
  Address clock_address_ = 0;
  std::vector<Object> objects_;
  std::vector<std::unique_ptr<Bound>> plans_;
};

/// Turns a plan into a graph: checks each launch against its kernel, then captures.
class GraphBuilder {
 public:
  GraphBuilder(Session& session, Bound& plan) : s_(session), plan_(plan) {}
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;
  /// Leaves an instantiated and uploaded graph in the plan.
  Outcome build();
  /// Checks as build() does, then queues the steps in order on the session's stream. `before` and
  /// `after` are called around each step and may queue something.
  using AtStep = std::function<Outcome(std::size_t)>;
  Outcome run_apart(const AtStep& before, const AtStep& after);

 private:
  struct Kernel {
    Function function = nullptr;
    std::vector<std::size_t> offsets;  ///< Offsets of the kernel's parameters.
    std::vector<std::size_t> sizes;
    std::uint32_t shared_bytes = 0;  ///< Most dynamic shared memory of any launch in the plan.
  };

  /// Does all checks and preparations that need no stream.
  Outcome examine();
  Outcome find_kernels();
  Outcome describe(Kernel& kernel, std::string_view name);
  Outcome check_launch(const WireStep& step, const Kernel& kernel);
  Outcome encode_maps();
  Outcome capture();
  Outcome add(std::size_t index);
  Outcome add_launch(const WireStep& step, Stream stream);
  Outcome add_memory(const WireStep& step, Stream stream);
  Outcome fill_parameters(const WireStep& step, const Kernel& kernel,
                          std::vector<std::byte>& storage);
  /// The stream of a branch, made part of the capture on first use.
  Outcome stream_of(std::uint32_t branch, Stream& out);
  Outcome record(Stream stream, Event& out);
  Outcome join_branches();
  Address address_of(const WirePlace& place) const;
  std::string name_of(const WireStep& step) const;
  Outcome refuse(const WireStep& step, std::string words) const;

  Session& s_;
  Bound& plan_;
  std::map<std::string, Kernel, std::less<>> kernels_;
  std::vector<TensorMap> maps_;
  std::map<std::uint32_t, Stream> streams_;  ///< Streams of the branches above 0.
  std::vector<Event> events_;                ///< All events that were created, for destruction.
  /// Events recorded behind the steps that other branches wait for, by index of the step.
  std::map<std::size_t, Event> ends_;
  std::vector<bool> is_awaited_;
  Event start_ = nullptr;
};

}  // namespace kw::player::cuda

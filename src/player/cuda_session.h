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

/// What a request came to where it did not succeed.
struct Failure {
  Trouble trouble = Trouble::BadRequest;
  Status status = 0;
  std::string words;
};
using Outcome = std::optional<Failure>;  ///< Nothing: success.

/// A buffer of the referee, mapped here.
struct Mapped {
  Address payload = 0;
  std::uint64_t bytes = 0;
  Address mapping = 0;  ///< Of which the payload is a part; 0: not ours to take away.
  std::uint64_t mapped_bytes = 0;
};

/// Most that a thread of any kernel may have in local memory, bytes: the largest frame that can be
/// overwritten, less the stack beside it.
inline constexpr int kMostFrameBytes = 32 << 10;
inline constexpr std::size_t kLocalScrubs = 7;  ///< Sizes of kw_scrub_local_N.

/// Functions of src/device/cuda/player.cu.
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

/// What a host launcher's shared object exports: arguments[i] points to the value of argument i, a
/// stream last. 0 means that all was queued on that stream.
using HostEntry = int (*)(void* const* arguments);

/// A loaded cubin, kept as bytes so that it can be loaded again; or a host launcher, which stays.
struct Object {
  std::vector<std::byte> image;
  Module module = nullptr;
  HostEntry entry = nullptr;
};

/// One call of a host launcher.
struct HostCall {
  std::vector<std::uint64_t> values;  ///< Images of its arguments, the stream last.
  std::vector<void*> arguments;       ///< Point into `values`.
};

/// A plan made ready. Its bytes stay, since the graph is built anew after every forget().
struct Bound {
  bool is_built = false;
  std::size_t object = 0;
  std::vector<std::uint64_t> bytes;  ///< As they came; 8-aligned.
  PlanView view;
  Address tables = 0;
  std::vector<Address> table_at;
  GraphExec exec = nullptr;  ///< None for a plan without steps.
  // Of a host launcher
  HostEntry entry = nullptr;
  std::vector<HostCall> calls;   ///< In their order.
  Graph graph = nullptr;         ///< What was captured of the calls.
  std::string why_not_captured;  ///< In words; the plan then always runs by its function.
};

class Session {
 public:
  /// Creates the context on the device with this UUID; 0.15 s and more. `is_primary`: the one that
  /// CUDA's runtime and its libraries work in.
  Outcome open(const Uuid& uuid, const std::string& library, bool is_primary = false);
  /// Works in a context that is the caller's and current, on buffers that are mapped in it.
  Outcome adopt(const Api& api, DeviceOrdinal device);
  /// Maps one buffer, or the clock page. The descriptor stays the caller's.
  Outcome map(const MapEntry& entry, int descriptor);
  /// Loads the trusted kernels and runs each once, so that whatever the driver does on first use is
  /// done before the process locks itself down. Once, after the clock page was mapped.
  Outcome equip(std::vector<std::byte> image);
  /// Loads them and runs none.
  Outcome load_trusted(std::vector<std::byte> image);
  /// What remains to be done once all buffers are known.
  Outcome finish_mapping();

  Outcome load(std::vector<std::byte> image, std::int32_t& handle);
  /// A host launcher's shared object and the name of its entry.
  Outcome load_host(const char* path, const char* entry, std::int32_t& handle);
  Outcome bind(std::size_t object, std::span<const std::byte> plan, std::int32_t& handle);
  /// Runs a plan (none: nothing) between spacer and stamp, both as the request says.
  Outcome run(Bound* plan, const RunRequest& request, std::uint64_t& event_ns);
  /// Binds a plan to these buffers of an adopted context, runs it `repeats` times in a row and
  /// drops it: the time between its events. Kernels are warm from one run before.
  Outcome run_once(std::size_t object, std::span<const std::byte> plan, std::vector<Mapped> buffers,
                   int repeats, std::uint64_t& event_ns);
  /// Launches a plan's steps one by one on one stream, on these buffers of an adopted context, for
  /// a profiler or a sanitizer to look at: no graph, no spacer, no stamp. `marked` names, by index
  /// and in order, the steps that cuProfilerStart() and cuProfilerStop() enclose. Nanoseconds of
  /// each step, between events around it alone; where steps are marked these say nothing.
  Outcome run_apart(std::size_t object, std::span<const std::byte> plan,
                    std::vector<Mapped> buffers, std::span<const int> marked,
                    std::vector<double>& step_ns);
  /// Every object and the graph of this plan anew, other plans' when they run; shared memory,
  /// registers and local memory overwritten. Local memory costs most: 0.09 ms for each KiB that the
  /// largest frame of a bound plan and 1 KiB of stack come to, on an H100.
  Outcome forget(Bound& next);
  /// Unmaps every buffer that this plan does not name, and drops the other plans.
  Outcome keep_only(const Bound& kept);

  bool has_object(std::size_t index) const { return index < objects_.size(); }
  Bound* plan(std::size_t index) { return index < plans_.size() ? plans_[index].get() : nullptr; }

 private:
  friend class GraphBuilder;

  /// Success, or what `status` means while `what` was tried; `otherwise` where nothing was lost.
  Outcome check(Status status, std::string_view what, Trouble otherwise) const;
  Outcome make_surroundings();
  /// Copies to the device and waits: the driver may return while the last bytes are still on their
  /// way, and our stream waits for no other.
  Outcome send(Address to, const void* from, std::size_t bytes, std::string_view what) const;
  /// The bytes of a plan, checked, into `bound`.
  Outcome decode(Bound& bound, std::span<const std::byte> plan) const;
  Outcome prepare(Bound& bound, std::span<const std::byte> plan);
  Outcome read_events(std::uint64_t& event_ns);
  /// Tells the device which buffers there are, for kw_touch.
  Outcome send_touch_list();
  Outcome map_clock(const MapEntry& entry, int descriptor);
  Outcome warm_up();
  Outcome build(Bound& plan);
  Outcome send_tables(Bound& plan);
  void discard(Bound& plan);
  // cuda_forget.cc
  /// The graph of a plan that was bound, if forget() has taken it.
  Outcome build_again(Bound& plan);
  // cuda_host.cc
  Outcome build_host(Bound& plan);
  Outcome add_call(Bound& plan, const WireStep& step);
  /// The first call outside of any capture, awaited.
  Outcome try_host(const Bound& plan);
  Outcome call_host(const Bound& plan, const HostCall& call);
  Outcome call_all(const Bound& plan);
  /// False with words in the plan where its calls cannot be captured.
  bool capture_host(Bound& plan);
  Outcome instantiate_host(Bound& plan);
  Status launch(Function function, unsigned blocks, unsigned threads, unsigned shared_bytes,
                Stream stream, std::span<void*> arguments);
  /// Zeros; waits.
  Status clear(Address at, std::uint64_t bytes);
  Status launch_touch();
  // cuda_scrub.cc
  Outcome find_scrubs();
  /// Remembers what a thread of a kernel has in local memory; refuses what is too much.
  Outcome note_frame(Function function, std::string_view kernel);
  /// So many blocks on every multiprocessor, all at the same time; counted in scrubs_begun_.
  Status launch_everywhere(Function function, unsigned blocks_each, unsigned threads,
                           int shared_bytes, std::span<void*> arguments);
  Status scrub_local_memory();
  Status scrub_registers();
  Status scrub_shared_memory();
  /// All of these, and waits.
  Outcome scrub();
  /// Without local memory, which the driver would have to find a place for.
  Outcome scrub_cores();
  /// Everything of run() up to the release of the spacer.
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
  int largest_frame_ = 0;      ///< In local memory, of all kernels in bound plans; bytes.
  unsigned scrubs_begun_ = 0;  ///< Blocks, as kw_scrubs_begun counts them.
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
  /// Checks as build() does, then queues the steps one by one on the session's stream, in order.
  /// `before` and `after` may queue something around each.
  using AtStep = std::function<Outcome(std::size_t)>;
  Outcome run_apart(const AtStep& before, const AtStep& after);

 private:
  struct Kernel {
    Function function = nullptr;
    std::vector<std::size_t> offsets;  ///< Of its parameters.
    std::vector<std::size_t> sizes;
    std::uint32_t shared_bytes = 0;  ///< Most that any launch asks for.
  };

  /// Everything of a plan that needs no stream.
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
  /// The stream of a branch, brought into the capture on first use.
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
  std::map<std::uint32_t, Stream> streams_;  ///< Of branches above 0.
  std::vector<Event> events_;                ///< All that were made.
  std::map<std::size_t, Event> ends_;        ///< Of steps that others wait for.
  std::vector<bool> is_awaited_;
  Event start_ = nullptr;
};

}  // namespace kw::player::cuda

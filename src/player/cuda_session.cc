// Manages the context, buffers, objects and calls of a GPU player.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_session.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/defence.h"

namespace kw::player::cuda {
namespace {

/// Asks for the smallest size of a heap or buffer; the driver rounds it up to its minimum.
constexpr std::size_t kSmallest = 1;
/// Longest time that the spacer kernel waits for the host to queue a graph. Without this bound, a
/// graph that fits the queue only once other work has left it would wait for ever.
constexpr std::uint64_t kSpacerPatienceNs = 50'000'000;
constexpr unsigned kTouchThreads = 256;

Failure fail(Trouble trouble, std::string words) { return {trouble, 0, std::move(words)}; }

bool is_cubin(std::span<const std::byte> image) {
  constexpr char kElf[4] = {0x7f, 'E', 'L', 'F'};
  return image.size() >= 64 && std::memcmp(image.data(), kElf, sizeof kElf) == 0;
}

}  // namespace

Outcome Session::check(Status status, std::string_view what, Trouble otherwise) const {
  if (status == 0) return std::nullopt;
  const Trouble trouble = is_fatal(status)         ? Trouble::DeviceFault
                          : status == kOutOfMemory ? Trouble::OutOfMemory
                                                   : otherwise;
  return Failure{trouble, status, std::string(what) + ": " + api_.words(status)};
}

Outcome Session::open(const Uuid& uuid, const std::string& library, bool is_primary) {
  if (auto why = load_api(api_, library); !why.empty()) return fail(Trouble::MapFailed, why);
  if (!find_device(api_, uuid, device_))
    return fail(
        Trouble::MapFailed,
        "the process that runs candidates cannot see the GPU with the UUID that it was given");
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::MapFailed);
  };
  // A spinning host thread sees the end of a call some 10 us sooner than a blocked thread.
  if (is_primary) {
    if (auto f = attempt(api_.cuDevicePrimaryCtxSetFlags(device_, kContextSpins),
                         "prepare the GPU's primary context"))
      return f;
    if (auto f = attempt(api_.cuDevicePrimaryCtxRetain(&context_, device_),
                         "open the GPU's primary context"))
      return f;
    if (auto f = attempt(api_.cuCtxSetCurrent(context_), "enter the GPU's primary context"))
      return f;
  } else if (auto f =
                 attempt(api_.cuCtxCreate(&context_, kContextSpins, device_), "create a context")) {
    return f;
  }
  // The device's heap and printf's buffer would outlive a kernel's module, so both are kept
  // minimal.
  if (auto f = attempt(api_.cuCtxSetLimit(kLimitHeap, kSmallest), "limit the device's heap"))
    return f;
  if (auto f = attempt(api_.cuCtxSetLimit(kLimitPrintf, kSmallest), "limit printf's buffer"))
    return f;
  return make_surroundings();
}

Outcome Session::adopt(const Api& api, DeviceOrdinal device) {
  api_ = api;
  device_ = device;
  return make_surroundings();
}

Outcome Session::make_surroundings() {
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::MapFailed);
  };
  if (auto f = attempt(api_.cuStreamCreate(&stream_, kStreamNonBlocking), "create a stream"))
    return f;
  for (Event* event : {&begin_, &end_})
    if (auto f = attempt(api_.cuEventCreate(event, 0), "create a CUDA event for timing")) return f;
  if (auto f = attempt(api_.cuDeviceGetAttribute(&multiprocessors_, kMultiprocessors, device_),
                       "read the GPU's number of multiprocessors"))
    return f;
  if (auto f = attempt(api_.cuDeviceGetAttribute(&threads_per_multiprocessor_,
                                                 kThreadsPerMultiprocessor, device_),
                       "read the GPU's number of threads a multiprocessor"))
    return f;
  return attempt(api_.cuDeviceGetAttribute(&shared_per_block_, kSharedPerBlock, device_),
                 "read the GPU's shared memory a block");
}

Outcome Session::map_clock(const MapEntry& entry, int descriptor) {
  if (clock_ != nullptr || entry.mapped_bytes != kClockPageBytes)
    return fail(Trouble::BadRequest, "clock page");
  void* page = ::mmap(nullptr, kClockPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) return fail(Trouble::MapFailed, std::strerror(errno));
  if (auto f = check(
          api_.cuMemHostRegister(page, kClockPageBytes, kRegisterPortable | kRegisterDeviceMap),
          "pin the page of memory that carries the referee's clock", Trouble::MapFailed))
    return f;
  clock_ = static_cast<ClockPage*>(page);
  return check(api_.cuMemHostGetDevicePointer(&clock_address_, page, 0),
               "find the device address of the page that carries the referee's clock",
               Trouble::MapFailed);
}

Outcome Session::map(const MapEntry& entry, int descriptor) {
  if (entry.kind == BufferKind::Clock) return map_clock(entry, descriptor);
  if (entry.kind != BufferKind::DeviceAllocation)
    return fail(Trouble::BadRequest,
                "a request to map a buffer that does not lie in the GPU's memory");
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::MapFailed);
  };
  Allocation allocation = 0;
  auto* handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor));
  if (auto f =
          attempt(api_.cuMemImportFromShareableHandle(&allocation, handle, kHandlePosixDescriptor),
                  "import a buffer"))
    return f;
  Address base = 0;
  const std::size_t total = entry.mapped_bytes + 2 * entry.guard_bytes;
  Outcome f = attempt(api_.cuMemAddressReserve(&base, total, 0, 0, 0), "reserve addresses");
  const Address at = base + entry.guard_bytes;
  if (!f) f = attempt(api_.cuMemMap(at, entry.mapped_bytes, 0, allocation, 0), "map a buffer");
  if (!f) {
    AccessDescription access;
    access.location.id = device_;
    access.flags = entry.access == Access::ReadWrite ? kProtectReadWrite : kProtectRead;
    f = attempt(api_.cuMemSetAccess(at, entry.mapped_bytes, &access, 1), "open a buffer");
  }
  api_.cuMemRelease(allocation);  // the mapping keeps the memory alive
  if (!f)
    buffers_.push_back({at + entry.payload_offset, entry.payload_bytes, at, entry.mapped_bytes});
  return f;
}

Outcome Session::equip(std::vector<std::byte> image) {
  if (auto f = load_trusted(std::move(image))) return f;
  return warm_up();
}

Outcome Session::load_trusted(std::vector<std::byte> image) {
  if (trusted_.module != nullptr || !is_cubin(image))
    return fail(Trouble::BadRequest, "trusted kernels");
  if (auto f = check(api_.cuModuleLoadData(&trusted_.module, image.data()),
                     "load the referee's own kernels", Trouble::LoadRefused))
    return f;
  const std::pair<Function*, const char*> functions[] = {{&trusted_.spacer, "kw_spacer"},
                                                         {&trusted_.stamp, "kw_stamp"},
                                                         {&trusted_.touch, "kw_touch"},
                                                         {&trusted_.plan_fill, "kw_plan_fill"},
                                                         {&trusted_.plan_copy, "kw_plan_copy"}};
  for (const auto& [function, name] : functions)
    if (auto f = check(api_.cuModuleGetFunction(function, trusted_.module, name), name,
                       Trouble::LoadRefused))
      return f;
  return find_scrubs();
}

Status Session::launch(Function function, unsigned blocks, unsigned threads, unsigned shared_bytes,
                       Stream stream, std::span<void*> arguments) {
  return api_.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream,
                             arguments.data(), nullptr);
}

Status Session::clear(Address at, std::uint64_t bytes) {
  std::uint64_t value = 0;
  int unit = 8;
  void* arguments[] = {&at, &bytes, &value, &unit};
  if (const Status status = launch(trusted_.plan_fill, static_cast<unsigned>(multiprocessors_), 256,
                                   0, stream_, arguments))
    return status;
  return api_.cuStreamSynchronize(stream_);
}

Status Session::launch_touch() {
  int count = touch_list_ != 0 ? static_cast<int>(buffers_.size()) : 0;
  Address sink = clock_address_;
  void* arguments[] = {&touch_list_, &count, &sink};
  return launch(trusted_.touch, static_cast<unsigned>(multiprocessors_), kTouchThreads, 0, stream_,
                arguments);
}

Outcome Session::warm_up() {
  // Runs one plan whose only step fills no bytes, so that the driver's first-time work for graphs
  // is done.
  Bound plan;
  PlanParts parts;
  WireStep fill;
  fill.kind = WireStepKind::Fill;
  Mapped nothing{clock_address_, 0};
  buffers_.push_back(nothing);  // gives the fill a buffer to name
  fill.to.index = static_cast<std::uint32_t>(buffers_.size() - 1);
  parts.steps.push_back(fill);
  Outcome f = prepare(plan, encode_plan(parts));
  std::uint64_t ignored = 0;
  RunRequest request;
  request.nonce = clock_ != nullptr ? 1 : 0;
  if (!f) f = run(&plan, request, ignored);
  if (!f) f = scrub_cores();
  discard(plan);
  buffers_.pop_back();
  return f;
}

namespace {
/// A range of memory for kw_touch, in the layout that src/device/cuda/player.cu reads.
struct Stretch {
  Address at;
  std::uint64_t bytes;
};
}  // namespace

Outcome Session::finish_mapping() {
  if (buffers_.empty()) return std::nullopt;
  if (auto f = check(api_.cuMemAlloc(&touch_list_, buffers_.size() * sizeof(Stretch)), "allocate",
                     Trouble::MapFailed))
    return f;
  return send_touch_list();
}

Outcome Session::send_touch_list() {
  std::vector<Stretch> list;
  for (const Mapped& b : buffers_) list.push_back({b.payload, b.bytes});
  return send(touch_list_, list.data(), list.size() * sizeof(Stretch),
              "copy the list of buffers to the GPU");
}

Outcome Session::send(Address to, const void* from, std::size_t bytes,
                      std::string_view what) const {
  if (auto f = check(api_.cuMemcpyHtoD(to, from, bytes), what, Trouble::LaunchFailed)) return f;
  return check(api_.cuCtxSynchronize(), what, Trouble::LaunchFailed);
}

Outcome Session::load(std::vector<std::byte> image, std::int32_t& handle) {
  if (!is_cubin(image))
    return fail(Trouble::LoadRefused, "the object to load is not a cubin (compiled device code)");
  Object object;
  object.image = std::move(image);
  if (auto f = check(api_.cuModuleLoadData(&object.module, object.image.data()), "load the cubin",
                     Trouble::LoadRefused))
    return f;
  handle = static_cast<std::int32_t>(objects_.size());
  objects_.push_back(std::move(object));
  return std::nullopt;
}

Outcome Session::decode(Bound& bound, std::span<const std::byte> plan) const {
  bound.bytes.resize((plan.size() + 7) / 8);
  std::memcpy(bound.bytes.data(), plan.data(), plan.size());
  const auto view = decode_plan(std::as_bytes(std::span(bound.bytes)).first(plan.size()));
  if (!view) return fail(Trouble::BadRequest, "plan");
  bound.view = *view;
  return std::nullopt;
}

Outcome Session::prepare(Bound& bound, std::span<const std::byte> plan) {
  if (auto f = decode(bound, plan)) return f;
  return build(bound);
}

Outcome Session::bind(std::size_t object, std::span<const std::byte> plan, std::int32_t& handle) {
  auto bound = std::make_unique<Bound>();
  bound->object = object;
  if (auto f = prepare(*bound, plan)) {
    discard(*bound);
    return f;
  }
  handle = static_cast<std::int32_t>(plans_.size());
  plans_.push_back(std::move(bound));
  return std::nullopt;
}

Outcome Session::build(Bound& plan) {
  // If the first step calls a host launcher, all steps do: decode_plan() has checked that.
  const bool is_call = !plan.view.steps.empty() && plan.view.steps[0].kind == WireStepKind::Call;
  const bool is_host = plan.object < objects_.size() && objects_[plan.object].entry != nullptr;
  if (is_call != is_host)
    return fail(Trouble::LoadRefused,
                is_host ? "a host launcher can only be called; it has no kernels to launch"
                        : "a cubin has no host launcher that a plan could call");
  plan.is_built = true;  // set even if the build fails, since the plan is then given up
  if (is_host) return build_host(plan);
  if (auto f = send_tables(plan)) return f;
  return GraphBuilder(*this, plan).build();
}

/// Copies a plan's tables to the device. They begin at multiples of 256 bytes, as allocations do,
/// and share no page with other data. The whole allocation is made anew each time, since a kernel
/// could write behind the tables.
Outcome Session::send_tables(Bound& plan) {
  constexpr std::uint64_t kAlignment = 256;
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  std::uint64_t total = 0;
  for (const WireTable& t : plan.view.tables)
    total += (t.bytes + kAlignment - 1) / kAlignment * kAlignment;
  total = (total + kPage - 1) / kPage * kPage;
  if (total > 0 && plan.tables == 0)
    if (auto f = check(api_.cuMemAlloc(&plan.tables, total),
                       "allocate GPU memory for the plan's tables", Trouble::LoadRefused))
      return f;
  if (total > 0 && is_on(Defence::TablesCleared))
    if (auto f = check(clear(plan.tables, total), "clear the plan's tables", Trouble::LaunchFailed))
      return f;
  plan.table_at.clear();
  Address at = plan.tables;
  for (const WireTable& t : plan.view.tables) {
    if (auto f = send(at, plan.view.data.data() + t.offset, t.bytes,
                      "copy the plan's tables to the GPU"))
      return f;
    plan.table_at.push_back(at);
    at += (t.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return std::nullopt;
}

void Session::discard(Bound& plan) {
  if (plan.exec != nullptr) api_.cuGraphExecDestroy(std::exchange(plan.exec, nullptr));
  if (plan.graph != nullptr) api_.cuGraphDestroy(std::exchange(plan.graph, nullptr));
  if (plan.tables != 0) api_.cuMemFree(std::exchange(plan.tables, 0));
}

void Session::release_spacer(const RunRequest& request) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (clock_ != nullptr) clock_->go = request.nonce;
}

Outcome Session::queue_plan(const Bound& plan, const RunRequest& request) {
  const bool is_by_stream = plan.exec == nullptr || (request.flags & kRunByStream) != 0;
  if (plan.entry != nullptr && is_by_stream) {
    // A launcher that cannot be captured may wait for its stream, on which the spacer kernel waits
    // for the host, so the spacer is released first.
    if (plan.graph == nullptr) release_spacer(request);
    return call_all(plan);
  }
  if (plan.exec == nullptr) return std::nullopt;
  return check(api_.cuGraphLaunch(plan.exec, stream_), "launch the plan", Trouble::LaunchFailed);
}

Outcome Session::queue(const Bound* plan, const RunRequest& request) {
  const auto attempt = [this](Status status) {
    return check(status, "launch the plan", Trouble::LaunchFailed);
  };
  std::uint64_t nonce = request.nonce;
  if (auto f = attempt(launch_touch())) return f;
  if (nonce != 0) {
    std::uint64_t lead = request.lead_ns;
    std::uint64_t patience = kSpacerPatienceNs;
    void* arguments[] = {&clock_address_, &nonce, &lead, &patience};
    if (auto f = attempt(launch(trusted_.spacer, 1, 1, 0, stream_, arguments))) return f;
  }
  if (auto f = attempt(api_.cuEventRecord(begin_, stream_))) return f;
  if (plan != nullptr)
    if (auto f = queue_plan(*plan, request)) return f;
  if (auto f = attempt(api_.cuEventRecord(end_, stream_))) return f;
  if (nonce == 0) return std::nullopt;
  void* arguments[] = {&clock_address_, &nonce};
  return attempt(launch(trusted_.stamp, 1, 1, 0, stream_, arguments));
}

Outcome Session::run(Bound* plan, const RunRequest& request, std::uint64_t& event_ns) {
  event_ns = 0;
  if (trusted_.module == nullptr)
    return fail(Trouble::BadRequest,
                "a request to run a plan before the referee's own kernels were loaded");
  if (request.nonce != 0 && clock_ == nullptr)
    return fail(Trouble::BadRequest,
                "a request to time a plan before the referee's clock page was mapped");
  if (plan != nullptr)
    if (auto f = build_again(*plan)) return f;
  const Outcome queued = queue(plan, request);
  // The spacer kernel is released also after a refusal, since it may be waiting already.
  release_spacer(request);
  // A host launcher may have queued work on other streams, so the whole context is waited for.
  const bool is_host = plan != nullptr && plan->entry != nullptr;
  const Status ended = is_host ? api_.cuCtxSynchronize() : api_.cuStreamSynchronize(stream_);
  if (auto f = check(ended, "the call", Trouble::LaunchFailed)) return f;
  if (queued) return queued;
  return read_events(event_ns);
}

Outcome Session::read_events(std::uint64_t& event_ns) {
  float ms = 0;
  if (auto f = check(api_.cuEventElapsedTime(&ms, begin_, end_),
                     "read the time between two CUDA events", Trouble::LaunchFailed))
    return f;
  event_ns = static_cast<std::uint64_t>(std::llround(static_cast<double>(ms) * 1e6));
  return std::nullopt;
}

Outcome Session::run_once(std::size_t object, std::span<const std::byte> plan,
                          std::vector<Mapped> buffers, int repeats, std::uint64_t& event_ns) {
  buffers_ = std::move(buffers);
  Bound bound;
  bound.object = object;
  Outcome f = prepare(bound, plan);
  const auto attempt = [&](Status status, const char* what) {
    if (!f) f = check(status, what, Trouble::LaunchFailed);
  };
  if (!f && bound.exec == nullptr)
    f = fail(Trouble::BadRequest, "a request to run a plan that has no steps");
  if (!f) attempt(api_.cuGraphLaunch(bound.exec, stream_), "warm up");
  if (!f) attempt(api_.cuEventRecord(begin_, stream_), "record a CUDA event for timing");
  for (int i = 0; !f && i < repeats; ++i)
    attempt(api_.cuGraphLaunch(bound.exec, stream_), "launch the plan");
  if (!f) attempt(api_.cuEventRecord(end_, stream_), "record a CUDA event for timing");
  if (!f) attempt(api_.cuStreamSynchronize(stream_), "the plan");
  if (!f) f = read_events(event_ns);
  discard(bound);
  return f;
}

Outcome Session::run_apart(std::size_t object, std::span<const std::byte> plan,
                           std::vector<Mapped> buffers, std::span<const int> marked,
                           std::vector<double>& step_ns) {
  buffers_ = std::move(buffers);
  Bound bound;
  bound.object = object;
  std::vector<Event> events;  // two events per step
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::LaunchFailed);
  };
  const auto record = [&]() -> Outcome {
    if (auto f = attempt(api_.cuEventCreate(&events.emplace_back(), 0),
                         "create a CUDA event for timing"))
      return f;
    return attempt(api_.cuEventRecord(events.back(), stream_), "record a CUDA event for timing");
  };
  const auto mark = [&](std::size_t step, auto call, const char* what) -> Outcome {
    if (std::find(marked.begin(), marked.end(), static_cast<int>(step)) == marked.end())
      return std::nullopt;
    if (auto f = attempt(api_.cuStreamSynchronize(stream_), what)) return f;
    return attempt(call(), what);
  };
  Outcome f = decode(bound, plan);
  if (!f) f = send_tables(bound);
  if (!f)
    f = GraphBuilder(*this, bound)
            .run_apart(
                [&](std::size_t step) -> Outcome {
                  if (auto failed = mark(step, api_.cuProfilerStart, "start the profiler"))
                    return failed;
                  return record();
                },
                [&](std::size_t step) -> Outcome {
                  if (auto failed = record()) return failed;
                  return mark(step, api_.cuProfilerStop, "stop the profiler");
                });
  if (!f) f = attempt(api_.cuStreamSynchronize(stream_), "the plan");
  step_ns.clear();
  for (std::size_t i = 0; !f && i + 1 < events.size(); i += 2) {
    float ms = 0;
    f = attempt(api_.cuEventElapsedTime(&ms, events[i], events[i + 1]),
                "read the time between two CUDA events");
    step_ns.push_back(static_cast<double>(ms) * 1e6);
  }
  for (const Event event : events)
    if (event != nullptr) api_.cuEventDestroy(event);
  discard(bound);
  return f;
}

}  // namespace kw::player::cuda

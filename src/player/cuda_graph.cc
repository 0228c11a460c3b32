// Turns launch plans into CUDA graphs: parameters by the kernels' own tables, branches as captured
// streams.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_graph.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/defence.h"
#include "player/cuda_scrub.h"

namespace kw::player::cuda {
namespace {

constexpr unsigned kMemoryThreads = 256;
/// Blocks of a fill or copy per multiprocessor: enough for full bandwidth, few enough to start at
/// once.
constexpr std::uint64_t kMemoryBlocksPerMultiprocessor = 8;
/// Largest cluster, in blocks, that every GPU can run; a kernel must ask for larger ones.
constexpr unsigned kPortableCluster = 8;

Failure refusal(std::string words) { return {Trouble::LoadRefused, 0, std::move(words)}; }

}  // namespace

GraphBuilder::~GraphBuilder() {
  for (const Event event : events_) held_.gpu.api().cuEventDestroy(event);
  for (const auto& [branch, stream] : streams_) held_.gpu.api().cuStreamDestroy(stream);
}

std::string GraphBuilder::name_of(const WireStep& step) const {
  const auto number = &step - plan_.view.steps.data() + 1;
  std::string text = "step " + std::to_string(number);
  if (step.kind == WireStepKind::Launch) text += " (" + std::string(plan_.view.name(step)) + ")";
  return text;
}

Outcome GraphBuilder::refuse(const WireStep& step, std::string words) const {
  return refusal(name_of(step) + ": " + std::move(words));
}

Address GraphBuilder::address_of(const WirePlace& place) const {
  return place.kind == PlaceKind::Table ? plan_.table_at[place.index] + place.offset
                                        : held_.buffers[place.index].payload + place.offset;
}

Outcome GraphBuilder::build() {
  if (auto f = examine()) return f;
  if (plan_.exec != nullptr) held_.gpu.api().cuGraphExecDestroy(std::exchange(plan_.exec, nullptr));
  if (plan_.view.steps.empty()) return std::nullopt;
  is_awaited_.assign(plan_.view.steps.size(), false);
  for (const std::uint32_t index : plan_.view.afters) is_awaited_[index] = true;
  return capture();
}

// Every step comes after all steps that it waits for, so running them in order on one stream is
// allowed.
Outcome GraphBuilder::run_apart(const AtStep& before, const AtStep& after) {
  if (auto f = examine()) return f;
  for (std::size_t i = 0; i < plan_.view.steps.size(); ++i) {
    const WireStep& step = plan_.view.steps[i];
    if (auto f = before(i)) return f;
    if (auto f = step.kind == WireStepKind::Launch ? add_launch(step, held_.gpu.stream())
                                                   : add_memory(step, held_.gpu.stream()))
      return f;
    if (auto f = after(i)) return f;
  }
  return std::nullopt;
}

Outcome GraphBuilder::examine() {
  const PlanView& view = plan_.view;
  const auto is_inside = [this](const WirePlace& p, std::uint64_t bytes) {
    if (p.kind == PlaceKind::Table) return true;  // checked by decode_plan()
    return p.index < held_.buffers.size() && p.offset <= held_.buffers[p.index].bytes &&
           bytes <= held_.buffers[p.index].bytes - p.offset;
  };
  for (const WireStep& step : view.steps) {
    if (step.kind == WireStepKind::Launch) {
      for (const WirePlanArgument& a : view.arguments_of(step))
        if (a.kind == WireArgumentKind::Address && !is_inside(a.place, 0))
          return refuse(
              step, "an argument of this launch is an address outside every buffer of the call");
    } else if (!is_inside(step.to, step.bytes) ||
               (step.kind == WireStepKind::Copy && !is_inside(step.from, step.bytes))) {
      return refuse(step, "this fill or copy reaches outside its buffers");
    }
  }
  for (const WireTensorMap& map : view.maps)
    if (!is_inside(map.base, 0))
      return refusal("a tensor map of the plan begins outside every buffer of the call");
  if (auto f = find_kernels()) return f;
  return encode_maps();
}

Outcome GraphBuilder::find_kernels() {
  for (const WireStep& step : plan_.view.steps) {
    if (step.kind != WireStepKind::Launch) continue;
    const auto name = plan_.view.name(step);
    auto at = kernels_.find(name);
    if (at == kernels_.end()) {
      at = kernels_.emplace(name, Kernel{}).first;
      if (auto f = describe(at->second, name)) return f;
    }
    at->second.shared_bytes = std::max(at->second.shared_bytes, step.shared_bytes);
    if (auto f = check_launch(step, at->second)) return f;
  }
  for (const auto& [name, kernel] : kernels_)
    if (kernel.shared_bytes > 0)
      if (auto f = held_.gpu.check(
              held_.gpu.api().cuFuncSetAttribute(kernel.function, kFunctionDynamicShared,
                                                 static_cast<int>(kernel.shared_bytes)),
              "give kernel " + name + " its dynamic shared memory", Trouble::LoadRefused))
        return f;
  return std::nullopt;
}

Outcome GraphBuilder::describe(Kernel& kernel, std::string_view name) {
  const std::string text(name);
  const Status found = held_.gpu.api().cuModuleGetFunction(
      &kernel.function, held_.objects[plan_.object].module, text.c_str());
  if (found == kNotFound) return refusal("the cubin has no kernel " + text);
  if (auto f = held_.gpu.check(found, "find kernel " + text, Trouble::LoadRefused)) return f;
  if (auto f = note_frame(held_, kernel.function, text)) return f;
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    const Status status = held_.gpu.api().cuFuncGetParamInfo(kernel.function, i, &offset, &size);
    if (status == kInvalidValue) return std::nullopt;  // past the last parameter
    if (auto f =
            held_.gpu.check(status, "read the parameters of kernel " + text, Trouble::LoadRefused))
      return f;
    if (offset + size > kMaxParameterBytes)
      return refusal("the parameters of kernel " + text + " take more than " +
                     std::to_string(kMaxParameterBytes) + " bytes");
    kernel.offsets.push_back(offset);
    kernel.sizes.push_back(size);
  }
}

Outcome GraphBuilder::check_launch(const WireStep& step, const Kernel& kernel) {
  int most_threads = 0;
  int static_shared = 0;
  for (const auto& [attribute, value] : {std::pair(kFunctionMaxThreads, &most_threads),
                                         std::pair(kFunctionStaticShared, &static_shared)})
    if (auto f =
            held_.gpu.check(held_.gpu.api().cuFuncGetAttribute(value, attribute, kernel.function),
                            name_of(step), Trouble::LoadRefused))
      return f;
  const std::uint64_t threads = std::uint64_t{step.block[0]} * step.block[1] * step.block[2];
  if (step.block[0] > 1024 || step.block[1] > 1024 || step.block[2] > 1024 ||
      threads > static_cast<std::uint64_t>(most_threads))
    return refuse(step, "the launch asks for blocks of " + std::to_string(threads) +
                            " threads, and the kernel's registers allow at most " +
                            std::to_string(most_threads));
  const std::uint64_t shared = std::uint64_t{step.shared_bytes} + std::uint64_t(static_shared);
  if (shared > static_cast<std::uint64_t>(held_.gpu.shared_per_block()))
    return refuse(step, "the launch asks for " + std::to_string(shared) +
                            " bytes of shared memory a block (" + std::to_string(static_shared) +
                            " of them static), and this GPU gives a block at most " +
                            std::to_string(held_.gpu.shared_per_block()));
  return std::nullopt;
}

Outcome GraphBuilder::encode_maps() {
  for (const WireTensorMap& m : plan_.view.maps) {
    TensorMap map;
    auto* base = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address_of(m.base)));
    const Status status = held_.gpu.api().cuTensorMapEncodeTiled(
        &map, static_cast<int>(m.element), m.rank, base, m.sizes, m.strides, m.box,
        m.element_strides, static_cast<int>(m.interleave), static_cast<int>(m.swizzle),
        static_cast<int>(m.promotion), static_cast<int>(m.fill));
    if (auto f = held_.gpu.check(
            status, "encode tensor map " + std::to_string(&m - plan_.view.maps.data() + 1),
            Trouble::LoadRefused))
      return f;
    maps_.push_back(map);
  }
  return std::nullopt;
}

Outcome GraphBuilder::capture() {
  const auto attempt = [this](Status status, const char* what) {
    return held_.gpu.check(status, what, Trouble::LoadRefused);
  };
  if (auto f =
          attempt(held_.gpu.api().cuStreamBeginCapture(held_.gpu.stream(), kCaptureThreadLocal),
                  "begin the capture of the plan"))
    return f;
  Outcome f = record(held_.gpu.stream(), start_);
  for (std::size_t i = 0; !f && i < plan_.view.steps.size(); ++i) f = add(i);
  if (!f) f = join_branches();
  Graph graph = nullptr;
  // The capture is ended even after a failure, so that the stream leaves it.
  const Status ended = held_.gpu.api().cuStreamEndCapture(held_.gpu.stream(), &graph);
  if (!f) f = attempt(ended, "capture the plan");
  if (!f)
    f = attempt(held_.gpu.api().cuGraphInstantiate(&plan_.exec, graph, 0),
                "instantiate the CUDA graph of the plan");
  if (graph != nullptr) held_.gpu.api().cuGraphDestroy(graph);
  if (f) return f;
  if (auto failed = attempt(held_.gpu.api().cuGraphUpload(plan_.exec, held_.gpu.stream()),
                            "upload the CUDA graph of the plan"))
    return failed;
  return attempt(held_.gpu.api().cuStreamSynchronize(held_.gpu.stream()),
                 "upload the CUDA graph of the plan");
}

Outcome GraphBuilder::record(Stream stream, Event& out) {
  if (auto f = held_.gpu.check(held_.gpu.api().cuEventCreate(&out, kEventDisableTiming),
                               "create an event for a branch of the plan", Trouble::LoadRefused))
    return f;
  events_.push_back(out);
  return held_.gpu.check(held_.gpu.api().cuEventRecord(out, stream),
                         "record an event for a branch of the plan", Trouble::LoadRefused);
}

Outcome GraphBuilder::stream_of(std::uint32_t branch, Stream& out) {
  out = held_.gpu.stream();
  if (branch == 0) return std::nullopt;
  Stream& stream = streams_[branch];
  if (stream == nullptr) {
    if (auto f = held_.gpu.check(held_.gpu.api().cuStreamCreate(&stream, kStreamNonBlocking),
                                 "create a stream", Trouble::LoadRefused))
      return f;
    if (auto f = held_.gpu.check(held_.gpu.api().cuStreamWaitEvent(stream, start_, 0),
                                 "fork a branch of the plan in its capture", Trouble::LoadRefused))
      return f;
  }
  out = stream;
  return std::nullopt;
}

Outcome GraphBuilder::add(std::size_t index) {
  const WireStep& step = plan_.view.steps[index];
  Stream stream = nullptr;
  if (auto f = stream_of(step.branch, stream)) return f;
  for (const std::uint32_t before : plan_.view.afters_of(step)) {
    if (plan_.view.steps[before].branch == step.branch) continue;  // ordered anyway
    if (auto f = held_.gpu.check(held_.gpu.api().cuStreamWaitEvent(stream, ends_[before], 0),
                                 name_of(step) + ": wait", Trouble::LoadRefused))
      return f;
  }
  if (auto f =
          step.kind == WireStepKind::Launch ? add_launch(step, stream) : add_memory(step, stream))
    return f;
  return is_awaited_[index] ? record(stream, ends_[index]) : std::nullopt;
}

Outcome GraphBuilder::fill_parameters(const WireStep& step, const Kernel& kernel,
                                      std::vector<std::byte>& storage) {
  const std::size_t count = kernel.sizes.size();
  storage.assign(count == 0 ? 0 : kernel.offsets.back() + kernel.sizes.back(), std::byte{0});
  std::vector<bool> is_given(count, false);
  for (const WirePlanArgument& a : plan_.view.arguments_of(step)) {
    if (a.parameter >= count)
      return refuse(step, "the launch passes argument " + std::to_string(a.parameter + 1) +
                              ", but the kernel takes " + std::to_string(count) + " arguments");
    const std::size_t size = kernel.sizes[a.parameter];
    const auto arguments = plan_.view.arguments_of(step);
    const auto pieces = std::ranges::count_if(
        arguments, [&](const WirePlanArgument& other) { return other.parameter == a.parameter; });
    const bool is_whole = a.at == 0 && pieces == 1;
    if ((is_whole ? a.bytes != size : a.at + a.bytes > size) && is_on(Defence::PlansChecked))
      return refuse(step, "argument " + std::to_string(a.parameter + 1) + " has " +
                              std::to_string(a.at + a.bytes) +
                              " bytes, and the kernel's parameter has " + std::to_string(size));
    std::byte* to = storage.data() + kernel.offsets[a.parameter] + a.at;
    const Address address = a.kind == WireArgumentKind::Address ? address_of(a.place) : 0;
    const void* from = a.kind == WireArgumentKind::Scalar    ? static_cast<const void*>(&a.image)
                       : a.kind == WireArgumentKind::Address ? static_cast<const void*>(&address)
                                                             : &maps_[a.map];
    std::memcpy(to, from, a.bytes);
    is_given[a.parameter] = true;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!is_given[i] && is_on(Defence::PlansChecked))
      return refuse(step, "the kernel takes " + std::to_string(count) +
                              " arguments, and the launch does not pass argument " +
                              std::to_string(i + 1));
  return std::nullopt;
}

Outcome GraphBuilder::add_launch(const WireStep& step, Stream stream) {
  const Kernel& kernel = kernels_.find(plan_.view.name(step))->second;
  const auto attempt = [&](Status status) {
    return held_.gpu.check(status, name_of(step), Trouble::LoadRefused);
  };
  std::vector<std::byte> storage;
  if (auto f = fill_parameters(step, kernel, storage)) return f;
  std::vector<void*> parameters;
  for (const std::size_t offset : kernel.offsets) parameters.push_back(storage.data() + offset);

  LaunchAttribute attributes[3];
  LaunchConfig config;
  config.attributes = attributes;
  const auto add_attribute = [&](int id) -> LaunchAttribute& {
    LaunchAttribute& a = attributes[config.attribute_count++];
    a.id = id;
    return a;
  };
  if (step.cluster[0] != 0) {
    LaunchAttribute& a = add_attribute(kLaunchCluster);
    std::ranges::copy(step.cluster, a.value.dimensions);
    if (step.cluster[0] * step.cluster[1] * step.cluster[2] > kPortableCluster)
      if (auto f = attempt(
              held_.gpu.api().cuFuncSetAttribute(kernel.function, kFunctionNonPortableCluster, 1)))
        return f;
  }
  if ((step.flags & kStepCooperative) != 0) add_attribute(kLaunchCooperative).value.number = 1;
  if ((step.flags & kStepProgrammatic) != 0) add_attribute(kLaunchProgrammatic).value.number = 1;
  if (auto f = attempt(
          held_.gpu.api().cuFuncSetAttribute(kernel.function, kFunctionCarveout, step.carveout)))
    return f;
  std::ranges::copy(step.grid, config.grid);
  std::ranges::copy(step.block, config.block);
  config.shared_bytes = step.shared_bytes;
  config.stream = stream;
  return attempt(
      held_.gpu.api().cuLaunchKernelEx(&config, kernel.function, parameters.data(), nullptr));
}

Outcome GraphBuilder::add_memory(const WireStep& step, Stream stream) {
  Address to = address_of(step.to);
  std::uint64_t bytes = step.bytes;
  const std::uint64_t most =
      kMemoryBlocksPerMultiprocessor * static_cast<std::uint64_t>(held_.gpu.multiprocessors());
  const std::uint64_t wanted = bytes / (std::uint64_t{kMemoryThreads} * 16) + 1;
  const auto blocks = static_cast<unsigned>(std::min(wanted, most));
  Status status = 0;
  if (step.kind == WireStepKind::Fill) {
    std::uint64_t value = step.value;
    int unit = static_cast<int>(step.unit);
    void* arguments[] = {&to, &bytes, &value, &unit};
    status =
        held_.gpu.launch(held_.trusted.plan_fill, blocks, kMemoryThreads, 0, stream, arguments);
  } else {
    Address from = address_of(step.from);
    void* arguments[] = {&to, &from, &bytes};
    status =
        held_.gpu.launch(held_.trusted.plan_copy, blocks, kMemoryThreads, 0, stream, arguments);
  }
  return held_.gpu.check(status, name_of(step), Trouble::LoadRefused);
}

Outcome GraphBuilder::join_branches() {
  for (const auto& [branch, stream] : streams_) {
    Event last = nullptr;
    if (auto f = record(stream, last)) return f;
    if (auto f = held_.gpu.check(held_.gpu.api().cuStreamWaitEvent(held_.gpu.stream(), last, 0),
                                 "join the branches of the plan", Trouble::LoadRefused))
      return f;
  }
  return std::nullopt;
}

}  // namespace kw::player::cuda

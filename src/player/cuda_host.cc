// Runs host launchers in a player's context: loads them, tries them once, captures them where
// possible, and calls them.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_host.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "player/crash.h"

namespace kw::player::cuda {

Outcome load_host(Holdings& held, const char* path, const char* entry, std::int32_t& handle) {
  const auto refused = [] {
    const char* why = ::dlerror();
    return Failure{Trouble::LoadRefused, 0,
                   why != nullptr ? why : "the host launcher's library cannot be loaded"};
  };
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refused();
  Object object;
  object.entry = reinterpret_cast<HostEntry>(::dlsym(library, entry));
  if (object.entry == nullptr) return refused();
  catch_terminate(library);
  handle = static_cast<std::int32_t>(held.objects.size());
  held.objects.push_back(std::move(object));
  return std::nullopt;
}

Outcome HostPlans::call(const Bound& plan, const HostCall& made) const {
  const int answer = plan.entry(made.arguments.data());
  // The launcher may have entered another context, so ours is entered again.
  if (auto f = held_.gpu.enter_again()) return f;
  if (answer == 0) return std::nullopt;
  return Failure{
      Trouble::LaunchFailed, 0,
      "the host launcher returned error code " + std::to_string(answer) + " instead of 0"};
}

Outcome HostPlans::call_all(const Bound& plan) const {
  for (const HostCall& made : plan.calls)
    if (auto f = call(plan, made)) return f;
  return std::nullopt;
}

Outcome HostPlans::try_once(const Bound& plan) const {
  const Outcome called = call(plan, plan.calls.front());
  if (auto f =
          held_.gpu.check(held_.gpu.api().cuCtxSynchronize(),
                          "finish the work that the host launcher queued", Trouble::LaunchFailed))
    return f;
  return called;
}

Outcome HostPlans::add_call(Bound& plan, const WireStep& step) const {
  HostCall& made = plan.calls.emplace_back();
  for (const WirePlanArgument& a : plan.view.arguments_of(step)) {
    if (a.kind == WireArgumentKind::Scalar) {
      made.values.push_back(a.image);
      continue;
    }
    if (a.place.index >= held_.buffers.size() ||
        a.place.offset > held_.buffers[a.place.index].bytes)
      return Failure{
          Trouble::LoadRefused, 0,
          "an argument of the host launcher is an address outside every buffer of the call"};
    made.values.push_back(held_.buffers[a.place.index].payload + a.place.offset);
  }
  made.values.push_back(reinterpret_cast<std::uint64_t>(held_.gpu.stream()));
  for (std::uint64_t& value : made.values) made.arguments.push_back(&value);
  return std::nullopt;
}

// Calls the launcher once before the capture: libraries load their kernels and allocate on first
// use.
Outcome HostPlans::build(Bound& plan) const {
  plan.entry = held_.objects[plan.object].entry;
  plan.calls.clear();
  for (const WireStep& step : plan.view.steps)
    if (auto f = add_call(plan, step)) return f;

  Outcome f = try_once(plan);
  if (!f && !capture(plan)) {
    // The refused capture may linger as the runtime's last error, which the next call would report.
    (void)try_once(plan);
    f = try_once(plan);
  }
  if (!f && plan.graph != nullptr) f = instantiate(plan);
  if (f && f->trouble == Trouble::LaunchFailed) f->trouble = Trouble::LoadRefused;
  return f;
}

bool HostPlans::capture(Bound& plan) const {
  Status status = held_.gpu.api().cuStreamBeginCapture(held_.gpu.stream(), kCaptureThreadLocal);
  if (status != 0) {
    plan.why_not_captured = "the stream of the host launcher cannot be captured as a CUDA graph: " +
                            held_.gpu.api().words(status);
    return false;
  }
  const Outcome called = call_all(plan);
  // The capture is ended even after a failure, so that the stream leaves it.
  status = held_.gpu.api().cuStreamEndCapture(held_.gpu.stream(), &plan.graph);
  std::size_t nodes = 0;
  if (called)
    plan.why_not_captured = "during capture, " + called->words;
  else if (status != 0)
    plan.why_not_captured = held_.gpu.api().words(status);
  else if (held_.gpu.api().cuGraphGetNodes(plan.graph, nullptr, &nodes) == 0 && nodes == 0)
    plan.why_not_captured = "the host launcher queues nothing on the stream that it is given";
  if (plan.why_not_captured.empty()) return true;
  if (status == 0 && plan.graph != nullptr) held_.gpu.api().cuGraphDestroy(plan.graph);
  plan.graph = nullptr;
  return false;
}

// Instantiates the captured graph of a host launcher, anew before every timed call, as for the
// graphs of other plans.
Outcome HostPlans::instantiate(Bound& plan) const {
  if (plan.graph == nullptr) return std::nullopt;
  const auto attempt = [this](Status status, const char* what) {
    return held_.gpu.check(status, what, Trouble::LaunchFailed);
  };
  if (auto f = attempt(held_.gpu.api().cuGraphInstantiate(&plan.exec, plan.graph, 0),
                       "instantiate the CUDA graph of the host launcher"))
    return f;
  if (auto f = attempt(held_.gpu.api().cuGraphUpload(plan.exec, held_.gpu.stream()),
                       "upload the CUDA graph of the host launcher"))
    return f;
  return attempt(held_.gpu.api().cuStreamSynchronize(held_.gpu.stream()),
                 "upload the CUDA graph of the host launcher");
}

}  // namespace kw::player::cuda

// Runs host launchers in a player's context: loads them, tries them once, captures them where
// possible, and calls them.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <utility>

#include "player/crash.h"
#include "player/cuda_session.h"

namespace kw::player::cuda {

Outcome Session::load_host(const char* path, const char* entry, std::int32_t& handle) {
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
  handle = static_cast<std::int32_t>(objects_.size());
  objects_.push_back(std::move(object));
  return std::nullopt;
}

Outcome Session::call_host(const Bound& plan, const HostCall& call) {
  const int answer = plan.entry(call.arguments.data());
  // The launcher may have entered another context, so ours is entered again.
  if (context_ != nullptr)
    if (auto f =
            check(api_.cuCtxSetCurrent(context_), "enter the GPU's context", Trouble::LaunchFailed))
      return f;
  if (answer == 0) return std::nullopt;
  return Failure{
      Trouble::LaunchFailed, 0,
      "the host launcher returned error code " + std::to_string(answer) + " instead of 0"};
}

Outcome Session::call_all(const Bound& plan) {
  for (const HostCall& call : plan.calls)
    if (auto f = call_host(plan, call)) return f;
  return std::nullopt;
}

Outcome Session::try_host(const Bound& plan) {
  const Outcome called = call_host(plan, plan.calls.front());
  if (auto f = check(api_.cuCtxSynchronize(), "finish the work that the host launcher queued",
                     Trouble::LaunchFailed))
    return f;
  return called;
}

Outcome Session::add_call(Bound& plan, const WireStep& step) {
  HostCall& call = plan.calls.emplace_back();
  for (const WirePlanArgument& a : plan.view.arguments_of(step)) {
    if (a.kind == WireArgumentKind::Scalar) {
      call.values.push_back(a.image);
      continue;
    }
    if (a.place.index >= buffers_.size() || a.place.offset > buffers_[a.place.index].bytes)
      return Failure{
          Trouble::LoadRefused, 0,
          "an argument of the host launcher is an address outside every buffer of the call"};
    call.values.push_back(buffers_[a.place.index].payload + a.place.offset);
  }
  call.values.push_back(reinterpret_cast<std::uint64_t>(stream_));
  for (std::uint64_t& value : call.values) call.arguments.push_back(&value);
  return std::nullopt;
}

// Calls the launcher once before the capture: libraries load their kernels and allocate on first
// use.
Outcome Session::build_host(Bound& plan) {
  plan.entry = objects_[plan.object].entry;
  plan.calls.clear();
  for (const WireStep& step : plan.view.steps)
    if (auto f = add_call(plan, step)) return f;

  Outcome f = try_host(plan);
  if (!f && !capture_host(plan)) {
    // The refused capture may linger as the runtime's last error, which the next call would report.
    (void)try_host(plan);
    f = try_host(plan);
  }
  if (!f && plan.graph != nullptr) f = instantiate_host(plan);
  if (f && f->trouble == Trouble::LaunchFailed) f->trouble = Trouble::LoadRefused;
  return f;
}

bool Session::capture_host(Bound& plan) {
  Status status = api_.cuStreamBeginCapture(stream_, kCaptureThreadLocal);
  if (status != 0) {
    plan.why_not_captured =
        "the stream of the host launcher cannot be captured as a CUDA graph: " + api_.words(status);
    return false;
  }
  const Outcome called = call_all(plan);
  // The capture is ended even after a failure, so that the stream leaves it.
  status = api_.cuStreamEndCapture(stream_, &plan.graph);
  std::size_t nodes = 0;
  if (called)
    plan.why_not_captured = "during capture, " + called->words;
  else if (status != 0)
    plan.why_not_captured = api_.words(status);
  else if (api_.cuGraphGetNodes(plan.graph, nullptr, &nodes) == 0 && nodes == 0)
    plan.why_not_captured = "the host launcher queues nothing on the stream that it is given";
  if (plan.why_not_captured.empty()) return true;
  if (status == 0 && plan.graph != nullptr) api_.cuGraphDestroy(plan.graph);
  plan.graph = nullptr;
  return false;
}

// Instantiates the captured graph of a host launcher, anew before every timed call, as for the
// graphs of other plans.
Outcome Session::instantiate_host(Bound& plan) {
  if (plan.graph == nullptr) return std::nullopt;
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::LaunchFailed);
  };
  if (auto f = attempt(api_.cuGraphInstantiate(&plan.exec, plan.graph, 0),
                       "instantiate the CUDA graph of the host launcher"))
    return f;
  if (auto f = attempt(api_.cuGraphUpload(plan.exec, stream_),
                       "upload the CUDA graph of the host launcher"))
    return f;
  return attempt(api_.cuStreamSynchronize(stream_), "upload the CUDA graph of the host launcher");
}

}  // namespace kw::player::cuda

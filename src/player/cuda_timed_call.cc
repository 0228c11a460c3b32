// Runs one plan between the spacer and stamp kernels.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_timed_call.h"

#include <atomic>
#include <utility>

#include "player/cuda_host.h"

namespace kw::player::cuda {
namespace {

/// Longest time that the spacer kernel waits for the host to queue a graph. Without this bound, a
/// graph that fits the queue only once other work has left it would wait for ever.
constexpr std::uint64_t kSpacerPatienceNs = 50'000'000;

}  // namespace

void TimedCall::release_spacer(const RunRequest& request) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (held_.clock != nullptr) held_.clock->go = request.nonce;
}

Outcome TimedCall::queue_plan(const Bound& plan, const RunRequest& request) const {
  const bool is_by_stream = plan.exec == nullptr || (request.flags & kRunByStream) != 0;
  if (plan.entry != nullptr && is_by_stream) {
    // A launcher that cannot be captured may wait for its stream, on which the spacer kernel waits
    // for the host, so the spacer is released first.
    if (plan.graph == nullptr) release_spacer(request);
    return HostPlans(held_).call_all(plan);
  }
  if (plan.exec == nullptr) return std::nullopt;
  return held_.gpu.check(held_.gpu.api().cuGraphLaunch(plan.exec, held_.gpu.stream()),
                         "launch the plan", Trouble::LaunchFailed);
}

Outcome TimedCall::queue(const Bound* plan, const RunRequest& request) const {
  const auto attempt = [this](Status status) {
    return held_.gpu.check(status, "launch the plan", Trouble::LaunchFailed);
  };
  std::uint64_t nonce = request.nonce;
  Address clock = held_.clock_address;
  if (auto f = attempt(touched_.launch_touch())) return f;
  if (nonce != 0) {
    std::uint64_t lead = request.lead_ns;
    std::uint64_t patience = kSpacerPatienceNs;
    void* arguments[] = {&clock, &nonce, &lead, &patience};
    if (auto f =
            attempt(held_.gpu.launch(held_.trusted.spacer, 1, 1, 0, held_.gpu.stream(), arguments)))
      return f;
  }
  if (auto f = attempt(held_.gpu.api().cuEventRecord(held_.gpu.begin(), held_.gpu.stream())))
    return f;
  if (plan != nullptr)
    if (auto f = queue_plan(*plan, request)) return f;
  if (auto f = attempt(held_.gpu.api().cuEventRecord(held_.gpu.end(), held_.gpu.stream())))
    return f;
  if (nonce == 0) return std::nullopt;
  void* arguments[] = {&clock, &nonce};
  return attempt(held_.gpu.launch(held_.trusted.stamp, 1, 1, 0, held_.gpu.stream(), arguments));
}

Outcome TimedCall::check(const RunRequest& request) const {
  if (held_.trusted.module == nullptr)
    return fail(Trouble::BadRequest,
                "a request to run a plan before the referee's own kernels were loaded");
  if (request.nonce != 0 && held_.clock == nullptr)
    return fail(Trouble::BadRequest,
                "a request to time a plan before the referee's clock page was mapped");
  return std::nullopt;
}

Outcome TimedCall::run(const Bound* plan, const RunRequest& request,
                       std::uint64_t& event_ns) const {
  const Outcome queued = queue(plan, request);
  // The spacer kernel is released also after a refusal, since it may be waiting already.
  release_spacer(request);
  // A host launcher may have queued work on other streams, so the whole context is waited for.
  const bool is_host = plan != nullptr && plan->entry != nullptr;
  const Status ended = is_host ? held_.gpu.api().cuCtxSynchronize()
                               : held_.gpu.api().cuStreamSynchronize(held_.gpu.stream());
  if (auto f = held_.gpu.check(ended, "the call", Trouble::LaunchFailed)) return f;
  if (queued) return queued;
  return held_.gpu.read_events(event_ns);
}

}  // namespace kw::player::cuda

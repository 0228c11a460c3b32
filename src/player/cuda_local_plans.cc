// Runs plans with buffers of the caller's own context.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_local_plans.h"

#include <algorithm>
#include <utility>

#include "player/cuda_graph.h"

namespace kw::player::cuda {

Outcome LocalPlans::run_once(std::size_t object, std::span<const std::byte> plan,
                             std::vector<Mapped> buffers, int repeats, std::uint64_t& event_ns) {
  held_.buffers = std::move(buffers);
  Bound bound;
  bound.object = object;
  Outcome f = plans_.prepare(bound, plan);
  const auto attempt = [&](Status status, const char* what) {
    if (!f) f = held_.gpu.check(status, what, Trouble::LaunchFailed);
  };
  if (!f && bound.exec == nullptr)
    f = fail(Trouble::BadRequest, "a request to run a plan that has no steps");
  if (!f) attempt(held_.gpu.api().cuGraphLaunch(bound.exec, held_.gpu.stream()), "warm up");
  if (!f)
    attempt(held_.gpu.api().cuEventRecord(held_.gpu.begin(), held_.gpu.stream()),
            "record a CUDA event for timing");
  for (int i = 0; !f && i < repeats; ++i)
    attempt(held_.gpu.api().cuGraphLaunch(bound.exec, held_.gpu.stream()), "launch the plan");
  if (!f)
    attempt(held_.gpu.api().cuEventRecord(held_.gpu.end(), held_.gpu.stream()),
            "record a CUDA event for timing");
  if (!f) attempt(held_.gpu.api().cuStreamSynchronize(held_.gpu.stream()), "the plan");
  if (!f) f = held_.gpu.read_events(event_ns);
  plans_.discard(bound);
  return f;
}

Outcome LocalPlans::run_apart(std::size_t object, std::span<const std::byte> plan,
                              std::vector<Mapped> buffers, std::span<const int> marked,
                              std::vector<double>& step_ns) {
  held_.buffers = std::move(buffers);
  Bound bound;
  bound.object = object;
  std::vector<Event> events;  // two events per step
  const auto attempt = [this](Status status, const char* what) {
    return held_.gpu.check(status, what, Trouble::LaunchFailed);
  };
  const auto record = [&]() -> Outcome {
    if (auto f = attempt(held_.gpu.api().cuEventCreate(&events.emplace_back(), 0),
                         "create a CUDA event for timing"))
      return f;
    return attempt(held_.gpu.api().cuEventRecord(events.back(), held_.gpu.stream()),
                   "record a CUDA event for timing");
  };
  const auto mark = [&](std::size_t step, auto call, const char* what) -> Outcome {
    if (std::find(marked.begin(), marked.end(), static_cast<int>(step)) == marked.end())
      return std::nullopt;
    if (auto f = attempt(held_.gpu.api().cuStreamSynchronize(held_.gpu.stream()), what)) return f;
    return attempt(call(), what);
  };
  Outcome f = plans_.decode(bound, plan);
  if (!f) f = plans_.send_tables(bound);
  if (!f)
    f = GraphBuilder(held_, bound)
            .run_apart(
                [&](std::size_t step) -> Outcome {
                  if (auto failed =
                          mark(step, held_.gpu.api().cuProfilerStart, "start the profiler"))
                    return failed;
                  return record();
                },
                [&](std::size_t step) -> Outcome {
                  if (auto failed = record()) return failed;
                  return mark(step, held_.gpu.api().cuProfilerStop, "stop the profiler");
                });
  if (!f) f = attempt(held_.gpu.api().cuStreamSynchronize(held_.gpu.stream()), "the plan");
  step_ns.clear();
  for (std::size_t i = 0; !f && i + 1 < events.size(); i += 2) {
    float ms = 0;
    f = attempt(held_.gpu.api().cuEventElapsedTime(&ms, events[i], events[i + 1]),
                "read the time between two CUDA events");
    step_ns.push_back(static_cast<double>(ms) * 1e6);
  }
  for (const Event event : events)
    if (event != nullptr) held_.gpu.api().cuEventDestroy(event);
  plans_.discard(bound);
  return f;
}

}  // namespace kw::player::cuda

// Tries tuning points at each shape, puts the best of them into one file, and confirms the result.
// SPDX-License-Identifier: Apache-2.0
#include "engine/specialise.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/contains.h"
#include "measure/estimate.h"
#include "task/header.h"

namespace kw::engine {
namespace {

// Time of the calls in a confirmation of one shape and of the whole; the winner of a run gets 6 s.
constexpr std::int64_t kShapeCallsNs = 2'000'000'000;
constexpr std::int64_t kWholeCallsNs = 3'000'000'000;
// Most points of a tuning space from which the points to try are drawn.
constexpr std::size_t kMostPoints = 4096;
// Share of a search's time that one point gets: enough, because the choice is confirmed.
constexpr double kFidelity = 0.5;

/// Every valid point that differs from `point` in one knob.
std::vector<KnobPoint> neighbours_of(const KnobPoint& point, const task::CandidateHeader& header) {
  std::vector<KnobPoint> near;
  for (const task::Knob& knob : header.knobs)
    for (const std::int64_t value : knob.values) {
      KnobPoint other = point;
      other[knob.name] = value;
      if (other != point && header.is_valid(other)) near.push_back(std::move(other));
    }
  return near;
}

class Specialiser {
 public:
  Specialiser(const Surroundings& s, const TaskWorkbench& workbench, const Candidate& kernel,
              const SpecialiseOptions& options)
      : s_(s),
        workbench_(workbench),
        kernel_(kernel),
        options_(options),
        rng_(Seed::from_number(s.input_seed).child("specialise")) {}

  Result<ShapeChoice> choose(const Workload& workload) {
    ShapeChoice choice;
    choice.workload = workload.name;
    double best = measure::decision_line(0);
    for (const KnobPoint& point : points()) {
      const auto arm = task::arm_for(workbench_.definition().task, workload, kernel_.target, point);
      const Evaluation e = KW_TRY(try_arm(arm));
      ++choice.tried;
      if (!e.verdict.is_correct() && choice.failed++ == 0) choice.first_failure = e.verdict;
      if (!e.verdict.is_correct() || e.speedup.value <= best) continue;
      best = e.speedup.value;
      choice.arm = arm;
    }
    if (!choice.arm) return choice;
    choice.confirmation = KW_TRY(confirm(KW_TRY(with({*choice.arm})), kernel_, {workload.name}));
    if (!choice.confirmation->verdict.is_correct() || !choice.confirmation->speedup.is_faster)
      choice.arm.reset();
    return choice;
  }

  Result<Candidate> with(const std::vector<task::Arm>& arms) const {
    const Task& task = workbench_.definition().task;
    const std::string text = KW_TRY(task::specialise(task, kernel_, arms));
    auto made = task::make_candidate(kernel_.name + "_specialised", text, kernel_.origin,
                                     task.restrictions, kernel_.target);
    if (!made)
      return fail_input(
          ErrorCode::Failed, About{"specialised"},
          "the kernel that was made with a build for each shape cannot be read back: " +
              task::to_text(made.error()));
    return std::move(*made);
  }

  /// Confirms the candidate at the named timed workloads, or at all timed workloads if none is
  /// named. `terms`, if given, gets the terms of the confirmation.
  Result<Evaluation> confirm(const Candidate& candidate, const Candidate& opponent,
                             std::vector<std::string> only, std::optional<Terms>* terms = nullptr) {
    auto request = KW_TRY(workbench_.request(candidate, &opponent));
    request.id = "specialised-confirm-" + std::to_string(++judged_);
    request.seed = Seed::from_os().low;
    request.measure.purpose = Purpose::Confirm;
    request.measure.budget_ns = only.empty() ? kWholeCallsNs : kShapeCallsNs;
    request.measure.only = std::move(only);
    if (terms != nullptr) *terms = terms_of(request);
    return evaluate(std::move(request));
  }

 private:
  // The kernel's own point first, then its neighbours, which were the best on the whole. A point
  // that does not fit the device or the shape is refused before anything runs.
  std::vector<KnobPoint> points() {
    const auto header = task::parse_header(kernel_);
    KW_ASSERT(header.has_value());
    std::vector<KnobPoint> near = neighbours_of(kernel_.knobs, *header);
    std::vector<KnobPoint> far = header->points(kMostPoints);
    rng_.shuffle(std::span(near));
    rng_.shuffle(std::span(far));
    std::vector<KnobPoint> chosen{kernel_.knobs};
    for (const auto* some : {&near, &far})
      for (const KnobPoint& point : *some)
        if (std::ssize(chosen) < options_.points && !contains(chosen, point))
          chosen.push_back(point);
    return chosen;
  }

  Result<Evaluation> try_arm(const task::Arm& arm) {
    auto request = KW_TRY(workbench_.request(KW_TRY(with({arm})), &kernel_));
    request.id = "specialised-" + std::to_string(++judged_);
    request.seed = s_.input_seed;
    request.measure.purpose = Purpose::Search;
    request.measure.fidelity = kFidelity;
    request.measure.only = {arm.workload};
    return evaluate(std::move(request));
  }

  Result<Evaluation> evaluate(EvaluationRequest request) {
    const auto is_interrupted = [&] { return s_.is_interrupted && s_.is_interrupted(); };
    if (is_interrupted()) return fail(ErrorCode::Cancelled, "interrupted", {}, Advice::Stop);
    auto evaluation = s_.carrier.evaluate(std::move(request));
    // An evaluation that an interrupt ended early says nothing.
    if (is_interrupted()) return fail(ErrorCode::Cancelled, "interrupted", {}, Advice::Stop);
    return evaluation;
  }

  const Surroundings& s_;
  const TaskWorkbench& workbench_;
  const Candidate& kernel_;
  const SpecialiseOptions& options_;
  Rng rng_;
  int judged_ = 0;
};

}  // namespace

Result<Specialised> specialise(const Surroundings& s, const TaskWorkbench& workbench,
                               const Candidate& kernel, const SpecialiseOptions& options,
                               const std::function<void(const ShapeChoice&)>& on_shape) {
  Specialiser specialiser(s, workbench, kernel, options);
  Specialised result;
  // Baselines come first, because a missing baseline should not cost the whole search.
  const auto standings = KW_TRY(time_baselines(s, options.baseline));
  const Candidate baseline = KW_TRY(choose_baseline(standings, options.baseline))->candidate;
  std::vector<const Workload*> shapes;
  std::vector<task::Arm> arms;
  for (const Workload& workload : workbench.workloads()) {
    auto arm = task::arm_for(workbench.definition().task, workload, kernel.target, kernel.knobs);
    // Shapes that the function cannot tell apart share one build.
    const bool is_known =
        std::ranges::any_of(arms, [&](const task::Arm& known) { return known.sizes == arm.sizes; });
    if (workload.group != Group::Time || is_known) continue;
    shapes.push_back(&workload);
    arms.push_back(std::move(arm));
  }
  // Fails now, before anything is judged, if the file cannot be put together at all.
  KW_TRY(specialiser.with(std::exchange(arms, {})));
  for (const Workload* shape : shapes) {
    result.shapes.push_back(KW_TRY(specialiser.choose(*shape)));
    on_shape(result.shapes.back());
  }
  for (const ShapeChoice& shape : result.shapes)
    if (shape.arm) arms.push_back(*shape.arm);
  if (arms.empty()) return result;
  result.kernel = KW_TRY(specialiser.with(arms));
  result.over_baseline = KW_TRY(specialiser.confirm(*result.kernel, baseline, {}, &result.terms));
  return result;
}

}  // namespace kw::engine

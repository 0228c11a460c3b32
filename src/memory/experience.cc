// Derives experience with techniques from the gains and failures of attempts.
// SPDX-License-Identifier: Apache-2.0
#include "memory/experience.h"

#include <cmath>
#include <string>

#include "base/contains.h"

namespace kw::memory {

Bound bound_of(const Evaluation& evaluation) {
  Bound bound = Bound::Unknown;
  double least = 2;  // larger than any fraction of a roofline
  for (const WorkloadResult& w : evaluation.workloads) {
    if (w.group != Group::Time || w.roofline.bound == Bound::Unknown) continue;
    if (w.roofline.fraction < least) least = w.roofline.fraction, bound = w.roofline.bound;
  }
  return bound;
}

std::vector<Experience> experience_of(const Attempt& attempt, const TriedSource& tried,
                                      const TriedSource* from, const LessonScope& scope) {
  const Evaluation& e = attempt.evaluation;
  const bool is_timed = e.verdict.is_correct() && attempt.against_baseline.value > 0;
  if (!is_timed && !is_about_kernels(e.verdict)) return {};
  std::vector<Experience> all;
  for (const std::string& technique : tried.techniques) {
    if (from != nullptr && contains(from->techniques, technique)) continue;
    Experience one;
    one.task = scope.task->task.name;
    one.family = scope.task->task.family;
    one.target = scope.target;
    one.device = scope.device;
    one.bound = from != nullptr ? from->bound : Bound::Unknown;
    one.technique = technique;
    one.run = scope.run;
    if (!is_timed) one.failure = failure_of(e);
    all.push_back(std::move(one));
  }
  const double share = 1.0 / static_cast<double>(all.size());
  const double before = from != nullptr && from->speedup > 0 ? from->speedup : 1;
  for (Experience& one : all) {
    one.count.tried = share;
    if (!is_timed) continue;
    one.count.worked = share;
    one.count.gain = share * std::log(attempt.against_baseline.value / before);
  }
  return all;
}

}  // namespace kw::memory

// Recorded steps for tests of judges: cards, kernels before a step, attempts after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/gain_model.h"
#include "record/attempt.h"
#include "search/technique_card.h"

namespace kw::engine {

inline const std::vector<search::TechniqueCard> kStepCards{
    {"tiling", "cut the loops", "memory"},
    {"unrolling", "repeat the body", "compute"},
    {"padding", "leave gaps", "memory"}};

inline KernelState kernel_bound_by(Bound bound, std::vector<std::string> techniques = {}) {
  KernelState s;
  s.is_first = false;
  s.bound = bound;
  s.techniques = std::move(techniques);
  return s;
}

inline GainSample step_of(const std::string& run, const KernelState& before,
                          const std::string& technique, double gain) {
  GainSample one;
  one.run = run;
  one.state = before;
  one.technique = technique;
  one.gain = gain;
  return one;
}

/// A model's memory-bound kernel of this speedup over the baseline; 0: a wrong kernel.
inline Attempt memory_bound_attempt(int number, int parent, double speedup,
                                    std::vector<std::string> techniques) {
  Attempt a;
  a.number = number;
  a.parent = parent;
  a.candidate.origin = Origin::Model;
  a.candidate.source = "source " + std::to_string(number);
  a.candidate.techniques = std::move(techniques);
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  if (speedup == 0) a.evaluation.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9"};
  a.against_baseline.value = speedup;
  WorkloadResult workload;
  workload.group = Group::Time;
  workload.roofline.bound = Bound::Memory;
  workload.roofline.fraction = 0.4;
  a.evaluation.workloads = {workload};
  return a;
}

}  // namespace kw::engine

// Terms: the gate and the workloads that a confirmation was judged by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "record/evaluation.h"
#include "record/task.h"

namespace kw {

/// Name of the event that a run stores beside each confirmation.
inline constexpr const char* kTermsEvent = "terms";

/// Everything that is needed to repeat a confirmation beside its evaluation, whose workloads carry
/// the seeds.
struct Terms {
  Gate gate;
  bool deterministic = false;       ///< Value of Restrictions::deterministic.
  std::vector<Workload> workloads;  ///< The checked and the timed workloads.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("gate", s.gate), v("deterministic", s.deterministic), v("workloads", s.workloads);
  }
};

inline Terms terms_of(const EvaluationRequest& request) {
  return {request.task.gate, request.task.restrictions.deterministic, request.workloads};
}

}  // namespace kw

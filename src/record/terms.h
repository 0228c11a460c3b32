// What a confirmation was held to: the task's gate and every workload in full.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "record/evaluation.h"
#include "record/task.h"

namespace kw {

/// The event that a run keeps beside each confirmation.
inline constexpr const char* kTermsEvent = "terms";

/// With the evaluation, whose workloads carry the seeds, all that is needed to repeat it.
struct Terms {
  Gate gate;
  bool deterministic = false;       ///< Restrictions::deterministic.
  std::vector<Workload> workloads;  ///< Checked and timed ones.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("gate", s.gate), v("deterministic", s.deterministic), v("workloads", s.workloads);
  }
};

inline Terms terms_of(const EvaluationRequest& request) {
  return {request.task.gate, request.task.restrictions.deterministic, request.workloads};
}

}  // namespace kw

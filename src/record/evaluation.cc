// Computes figures that follow from an evaluation by arithmetic alone.
// SPDX-License-Identifier: Apache-2.0
#include "record/evaluation.h"

#include <cmath>

#include "base/hash.h"
#include "base/result.h"
#include "record/codec.h"
#include "record/target.h"

namespace kw {

std::string code_identity(const EvaluationRequest& request) {
  const BuildUnit* unit = request.unit("candidate");
  KW_ASSERT(unit != nullptr && unit->object.size() == 1);
  const std::string& object = unit->object.front().sha256;
  if (!row_of(unit->target).launches_by_plan) return object;
  Sha256Stream identity;
  identity.update_part(object);
  for (const RolePlan& plan : request.plans)
    if (plan.role == unit->role) identity.update_part(encode(plan));
  return identity.finish().hex();
}

std::string Evaluation::opponent_words() const {
  if (opponent_trusted_by_user) return speedup.baseline + " (host_launcher, trusted by the user)";
  if (!opponent_class || *opponent_class == trust_class) return speedup.baseline;
  return speedup.baseline + " (" + std::string(name_of(*opponent_class)) + ")";
}

double Evaluation::mean_time_ns() const {
  double log_sum = 0;
  int n = 0;
  for (const WorkloadResult& w : workloads) {
    if (w.group != Group::Time || w.median_ns <= 0) continue;
    log_sum += std::log(w.median_ns);
    ++n;
  }
  return n == 0 ? 0 : std::exp(log_sum / n);
}

}  // namespace kw

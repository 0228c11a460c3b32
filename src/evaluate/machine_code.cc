// Reads a candidate's machine code on a thread of its own, and inserts the findings about it.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/machine_code.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profile/code_rules.h"
#include "profile/kernel_rules.h"
#include "record/target.h"

namespace kw::evaluate {
namespace {

/// Most findings to add; a prompt has room for a dozen of all kinds.
constexpr std::size_t kMostFindings = 6;

/// A copy of what code_findings needs, since the request itself goes to the worker meanwhile.
EvaluationRequest what_rules_see(const EvaluationRequest& request) {
  EvaluationRequest seen;
  seen.task.gate = request.task.gate;
  if (!request.workloads.empty()) seen.workloads = {request.workloads.front()};
  seen.units = {*request.unit("candidate")};
  seen.plans = profile::timed_plans(request);
  return seen;
}

std::vector<Finding> read_code(const compile::Disassembler& disassembler,
                               const EvaluationRequest& seen) {
  const auto kernels = compile::read_machine_code(disassembler, seen.units.front().object.front());
  if (!kernels)
    return {{FindingKind::Note, 99, "The machine code was not read: " + kernels.error().what + ".",
             "", "", MismatchPattern::None,
             "not read: " + std::string(name_of(kernels.error().code))}};
  auto found = profile::code_findings(*kernels, seen);
  if (found.size() > kMostFindings) found.resize(kMostFindings);
  return found;
}

}  // namespace

std::future<std::vector<Finding>> start_reading_code(const compile::Disassembler& disassembler,
                                                     const EvaluationRequest& request) {
  const Candidate& candidate = request.candidate;
  const BuildUnit* unit = request.unit("candidate");
  const bool is_own = !is_trusted(candidate.origin);
  if (!row_of(candidate.target).has_profiler || candidate.trust_class != TrustClass::DeviceCode ||
      !is_own || unit == nullptr || unit->object.empty())
    return {};
  return std::async(std::launch::async, [disassembler, seen = what_rules_see(request)] {
    return read_code(disassembler, seen);
  });
}

void add_code_findings(std::vector<Finding> found, Evaluation& evaluation) {
  auto& findings = evaluation.findings;
  const auto behind = std::find_if(findings.rbegin(), findings.rend(), [](const Finding& f) {
    return f.kind == FindingKind::Resource || f.kind == FindingKind::Roofline ||
           f.kind == FindingKind::History;
  });
  auto place = behind.base();
  if (behind == findings.rend()) place = findings.begin();
  if (!found.empty() && found.front().kind == FindingKind::Note) place = findings.end();
  findings.insert(place, std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
  for (std::size_t i = 0; i < findings.size(); ++i) findings[i].rank = static_cast<int>(i) + 1;
}

}  // namespace kw::evaluate

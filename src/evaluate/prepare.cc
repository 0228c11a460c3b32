// Screens and builds the units of a request.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/prepare.h"

#include <algorithm>
#include <iterator>

#include "base/defence.h"
#include "compile/device_timer.h"
#include "evaluate/plan_check.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "record/target.h"
#include "referee/admission.h"
#include "referee/screen.h"
#include "task/long_truth.h"
#include "task/reference_loops.h"

namespace kw::evaluate {
namespace {

Evaluation ended(const EvaluationRequest& request, Verdict verdict, std::vector<Finding> findings) {
  Evaluation e;
  e.id = request.id;
  e.verdict = std::move(verdict);
  e.findings = std::move(findings);
  e.skipped = request.skipped;
  e.trust_class = request.candidate.trust_class;
  return e;
}

/// The units that have no object yet.
std::vector<BuildUnit*> unbuilt(EvaluationRequest& request) {
  std::vector<BuildUnit*> units;
  for (BuildUnit& u : request.units)
    if (u.object.empty()) units.push_back(&u);
  return units;
}

/// Whether the unit is a truth in long double that may fall back to double: its reference does not
/// compile with long double as its real type, and would not if it were built again.
bool may_be_in_double(const BuildUnit& unit, const Task& task,
                      const compile::CompileResult& result) {
  return !result.ok() && result.is_repeatable && unit.role == "reference_f64" &&
         has_long_truth(task);
}

/// Builds the units of the request that have no object yet. Gives the candidate's result if it was
/// among them; a failure of another unit is an error.
Result<std::optional<compile::CompileResult>> build(EvaluationRequest& request,
                                                    compile::Compiler& compiler, int threads) {
  const std::vector<BuildUnit*> units = unbuilt(request);
  std::vector<BuildUnit> copies;
  copies.reserve(units.size());
  for (const BuildUnit* u : units) copies.push_back(*u);
  auto results = compile::build_all(compiler, copies, threads);
  std::optional<compile::CompileResult> candidate;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto result = KW_TRY(std::move(results[i]));
    if (may_be_in_double(*units[i], request.task, result)) {
      units[i]->defines.emplace_back(task::kTruthInDouble);
      result = KW_TRY(compiler.build(*units[i]));
    }
    units[i]->object = result.object;
    if (units[i]->role == "candidate")
      candidate = std::move(result);
    else if (!result.ok())
      return fail_input(ErrorCode::DoesNotCompile, About{units[i]->role},
                        "the task's " + units[i]->role + " does not compile: " + result.evidence);
  }
  return candidate;
}

/// Screens the text of the candidate.
std::optional<Evaluation> screen_source(const EvaluationRequest& request) {
  auto claims = referee::screen_claims(request.candidate, request.task);
  if (claims.verdict && is_on(Defence::ClaimsScreened))
    return ended(request, *claims.verdict, std::move(claims.findings));
  const Target target = request.candidate.target;
  const std::string name = request.candidate.name + std::string(source_suffix(target));
  auto text = referee::screen_text(request.candidate.source, name, target);
  if (text.verdict && is_on(Defence::TextScreened))
    return ended(request, *text.verdict, std::move(text.findings));
  auto macros = referee::screen_macros(request.candidate, name, request.task);
  if (macros.verdict) return ended(request, *macros.verdict, std::move(macros.findings));
  return std::nullopt;
}

/// Ends the evaluation of a candidate whose launch plan cannot be made, before anything is built.
std::optional<Evaluation> screen_plan(const EvaluationRequest& request) {
  if (request.plan_faults.empty()) return std::nullopt;
  std::vector<Finding> findings;
  for (const PlanFault& fault : request.plan_faults) findings.push_back(fault.finding);
  return ended(request, request.plan_faults.front().verdict, std::move(findings));
}

/// Screens the built object by the rules of its target.
Result<std::optional<Evaluation>> screen_built(const EvaluationRequest& request,
                                               const BuiltObject& object) {
  const Candidate& candidate = request.candidate;
  const std::string bytes = KW_TRY(platform::read_file(object.path));
  const BuildUnit& unit = *request.unit("candidate");
  auto seen = referee::screeners()[candidate.target].object(bytes, candidate, unit);
  if (!seen.verdict || !is_on(Defence::ObjectScreened)) return std::optional<Evaluation>();
  referee::point_out(seen, candidate.source,
                     candidate.name + std::string(source_suffix(candidate.target)));
  return std::optional(ended(request, *seen.verdict, std::move(seen.findings)));
}

}  // namespace

Result<> build_references(EvaluationRequest& request, compile::Compiler& compiler, int threads) {
  std::erase_if(request.units, [](const BuildUnit& u) { return u.role == "candidate"; });
  // A changed reference may not compile; then the request goes without it.
  const auto is_needed = [](const BuildUnit& unit) {
    return unit.role != kLoopsRole && unit.role != referee::kReorderedRole;
  };
  const auto first = std::stable_partition(request.units.begin(), request.units.end(), is_needed);
  std::vector<BuildUnit> changed(std::make_move_iterator(first),
                                 std::make_move_iterator(request.units.end()));
  request.units.erase(first, request.units.end());
  KW_TRY(build(request, compiler, threads));
  auto results = compile::build_all(compiler, changed, threads);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    auto result = KW_TRY(std::move(results[i]));
    if (!result.ok()) continue;
    changed[i].object = std::move(result.object);
    request.units.push_back(std::move(changed[i]));
  }
  return {};
}

namespace {

/// Does the work of prepare() except for measuring its time.
Result<std::optional<Evaluation>> screen_and_build(EvaluationRequest& request,
                                                   compile::Compiler& compiler, int threads) {
  // Sources that ship with the task are not screened: whoever ships them vouches for them, and they
  // may use libraries.
  if (!is_trusted(request.candidate.origin))
    if (auto rejected = screen_source(request)) return rejected;
  if (auto refused = screen_plan(request)) return refused;
  auto built = KW_TRY(build(request, compiler, threads));
  if (built && !built->ok())
    return std::optional(ended(request, built->verdict(), built->findings));
  const BuildUnit* candidate = request.unit("candidate");
  KW_ASSERT(candidate != nullptr && candidate->object.size() == 1);
  const BuiltObject& object = candidate->object.front();
  if (!is_trusted(request.candidate.origin))
    if (auto rejected = KW_TRY(screen_built(request, object))) return rejected;
  if (auto misfit =
          check_plans(*candidate, request.plans, request.candidate, request.task.restrictions,
                      request.gpu.empty() ? nullptr : &request.gpu.front()))
    return std::optional(ended(request, misfit->verdict, {misfit->finding}));
  const std::string identity = code_identity(request);
  const auto& known = request.known_objects;
  const bool is_known = std::find(known.begin(), known.end(), identity) != known.end();
  request.known_objects.clear();
  if (request.until != Stage::Compile && !is_known) return std::optional<Evaluation>();
  Evaluation e = ended(
      request, make_verdict(Stage::Compile, Outcome::Correct, {.kind = EvidenceKind::CompiledOnly}),
      built ? built->findings : std::vector<Finding>());
  e.object_sha256 = identity;
  return std::optional(std::move(e));
}

}  // namespace

Result<Prepared> prepare(EvaluationRequest& request, compile::Compiler& compiler, int threads) {
  const std::int64_t start = platform::real_clock().now_ns();
  Prepared prepared;
  prepared.ended = KW_TRY(screen_and_build(request, compiler, threads));
  prepared.build_ns = static_cast<double>(platform::real_clock().now_ns() - start);
  return prepared;
}

}  // namespace kw::evaluate

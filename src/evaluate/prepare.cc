// Screens and builds the units of a request.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/prepare.h"

#include <algorithm>

#include "base/defence.h"
#include "compile/device_timer.h"
#include "evaluate/plan_check.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "record/target.h"
#include "referee/screen.h"

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

/// Builds units. Gives the candidate's result if it was among them; a failure of another unit is an
/// error.
Result<std::optional<compile::CompileResult>> build(std::vector<BuildUnit*> units,
                                                    compile::Compiler& compiler, int threads) {
  std::vector<BuildUnit> copies;
  copies.reserve(units.size());
  for (const BuildUnit* u : units) copies.push_back(*u);
  auto results = compile::build_all(compiler, copies, threads);
  std::optional<compile::CompileResult> candidate;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto result = KW_TRY(std::move(results[i]));
    units[i]->object = result.object;
    if (units[i]->role == "candidate")
      candidate = std::move(result);
    else if (!result.ok())
      return fail_input("the task's " + units[i]->role + " does not compile: " + result.evidence);
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
  KW_TRY(build(unbuilt(request), compiler, threads));
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
  auto built = KW_TRY(build(unbuilt(request), compiler, threads));
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
  Evaluation e = ended(request, {Stage::Compile, Outcome::Correct, "compiled; not run"},
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

// Screening and building of a request's units.
// SPDX-License-Identifier: Apache-2.0
#include "worker/prepare.h"

#include "platform/clock.h"
#if __has_include("referee/screen.h")
#include "referee/screen.h"
#define HAVE_SCREEN 1
#else
#define HAVE_SCREEN 0
#endif

namespace kw::worker {
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

/// Units that still need a compiler.
std::vector<BuildUnit*> unbuilt(EvaluationRequest& request) {
  std::vector<BuildUnit*> units;
  for (BuildUnit& u : request.units)
    if (u.object.empty()) units.push_back(&u);
  return units;
}

/// The candidate's result, if it was among the units; errors for anybody else's failure.
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
      return fail("the task's " + units[i]->role + " does not compile: " + result.evidence);
  }
  return candidate;
}

}  // namespace

Result<> build_references(EvaluationRequest& request, compile::Compiler& compiler, int threads) {
  std::erase_if(request.units, [](const BuildUnit& u) { return u.role == "candidate"; });
  KW_TRY(build(unbuilt(request), compiler, threads));
  return {};
}

Result<std::optional<Evaluation>> prepare(EvaluationRequest& request, compile::Compiler& compiler,
                                          int threads) {
  const std::int64_t start = platform::real_clock().now_ns();
#if HAVE_SCREEN
  if (auto verdict = referee::screen_source(request)) return ended(request, *verdict, {});
#endif
  auto built = KW_TRY(build(unbuilt(request), compiler, threads));
  const double spent = static_cast<double>(platform::real_clock().now_ns() - start);
  if (built && !built->ok()) {
    Evaluation e = ended(request, built->verdict(), built->findings);
    e.stage_ns["compile"] = spent;
    return e;
  }
  const BuildUnit* candidate = request.unit("candidate");
  KW_ASSERT(candidate != nullptr && candidate->object.size() == 1);
#if HAVE_SCREEN
  const auto verdict = KW_TRY(referee::screen_object(request, candidate->object.front()));
  if (verdict) return ended(request, *verdict, {});
#endif
  if (request.until == Stage::Compile) {
    Evaluation e = ended(request, {Stage::Compile, Outcome::Correct, "compiled; not run"},
                         built ? built->findings : std::vector<Finding>());
    e.object_sha256 = candidate->object.front().sha256;
    e.stage_ns["compile"] = spent;
    return e;
  }
  return std::optional<Evaluation>();
}

}  // namespace kw::worker

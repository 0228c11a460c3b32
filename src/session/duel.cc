// Reads, checks and judges both kernels of a comparison.
// SPDX-License-Identifier: Apache-2.0
#include "session/duel.h"

#include <fmt/format.h>

#include <utility>

#include "measure/estimate.h"
#include "referee/check.h"
#include "session/judging/task_judge.h"
#include "session/tasks.h"

namespace kw::session {
namespace {

/// The noise floor where none was measured: how far from 1 the speedup between two equal kernels
/// may appear. The referee uses the same value.
constexpr double kAssumedFloor = 0.02;
/// The least confidence of an interval that shows a winner.
constexpr double kConfidence = 0.995;

/// The winner by the confidence interval of A's speedup over B, which must exceed the machine's
/// noise.
Winner winner_of(const Speedup& s) {
  if (s.is_faster) return Winner::A;
  const double line = measure::decision_line(s.noise_floor.value_or(kAssumedFloor));
  const bool is_sure = s.confidence >= kConfidence && s.value > 0 && s.high > 0;
  return is_sure && s.high < 1 / line ? Winner::B : Winner::None;
}

/// Whether pairs were timed but their confidence interval is too wide for a verdict.
bool is_undecided(const Evaluation& e) {
  return e.verdict.outcome == Outcome::Unmeasurable && e.verdict.stage == Stage::Measure &&
         e.speedup.value > 0 && e.opponent_fault.empty();
}

Winner other_side(Winner winner) {
  return winner == Winner::A ? Winner::B : winner == Winner::B ? Winner::A : Winner::None;
}

DuelLine line_of(const WorkloadResult& w, bool is_reverse) {
  DuelLine line{w.name, w.speedup, winner_of(w.speedup), w.median_ns, w.opponent_ns};
  if (!is_reverse) return line;
  line.speedup = session::turned(w.speedup);
  line.winner = other_side(line.winner);
  std::swap(line.a_ns, line.b_ns);
  return line;
}

Result<Side> read_side(const std::string& file, Target target, const task::Definition& definition,
                       const std::vector<std::string>& settings) {
  session::GivenKernel given = KW_TRY(session::read_kernel(file, target, definition, settings));
  Side side{file, std::move(given), false};
  side.is_trusted_by_user =
      side.given.refusal.empty() && referee::is_trusted_by_user(side.given.candidate);
  return side;
}

/// Judges the two kernels of a duel.
class Fight {
 public:
  Fight(const engine::TaskWorkbench& workbench, evaluate::PipeCarrier& carrier,
        const engine::Surroundings& surroundings, const Options& options,
        const Measuring& measuring)
      : workbench_(workbench),
        carrier_(carrier),
        surroundings_(surroundings),
        options_(options),
        measuring_(measuring) {}

  Result<> run(Duel& pair) {
    Candidate alone = pair.b.given.candidate;
    // A host launcher that the user named is built and checked like a baseline; only the screening
    // of its source is skipped.
    if (pair.b.is_trusted_by_user) {
      alone.origin = Origin::Baseline;
      options_.notice(pair.b.file +
                      ": its host code, which nobody screens, runs in the jail because you named "
                      "it");
    }
    auto request = KW_TRY(workbench_.request(alone, nullptr));
    request.id = "judge-b";
    request.until = Stage::Check;
    request.seed = surroundings_.input_seed;
    pair.b_check = KW_TRY(carrier_.evaluate(std::move(request)));
    if (!pair.b_check.verdict.is_correct()) {
      pair.why_not = fmt::format("B, {}, is not correct, so nothing can win against it: {}",
                                 pair.b.file, pair.b_check.verdict.evidence);
      return {};
    }
    pair.forward = KW_TRY(judge(pair.a.given.candidate, pair.b.given.candidate));
    // If the machine is too noisy for a verdict, the comparison ends without a winner.
    if (is_undecided(*pair.forward)) return {};
    if (!pair.forward->verdict.is_correct()) {
      pair.why_not = pair.forward->verdict.outcome == Outcome::Unmeasurable
                         ? "there is no comparison: " + pair.forward->verdict.evidence
                         : fmt::format("A, {}, is not correct: {}", pair.a.file,
                                       pair.forward->verdict.evidence);
      return {};
    }
    if (pair.forward->speedup.value <= 0) {
      pair.why_not = pair.forward->opponent_fault.empty()
                         ? "there is no comparison: no pair could be timed"
                         : "there is no comparison: " + pair.forward->opponent_fault;
      return {};
    }
    // B may win only by the same evidence as A, so B is now judged as the candidate against A.
    const bool may_b_win =
        pair.forward->speedup.value < 1 && winner_of(pair.forward->speedup) == Winner::None;
    if (may_b_win && !pair.b.is_trusted_by_user)
      pair.reverse = KW_TRY(judge(pair.b.given.candidate, pair.a.given.candidate));
    return {};
  }

 private:
  Result<Evaluation> judge(const Candidate& candidate, const Candidate& opponent) {
    auto request = KW_TRY(workbench_.request(candidate, &opponent));
    request.id = "judge";
    request.until = Stage::Measure;
    request.seed = surroundings_.input_seed;
    KW_TRY(measuring_.apply(request));
    KW_TRY(engine::recall_floors(surroundings_, request));
    auto evaluation = KW_TRY(carrier_.evaluate(request));
    KW_TRY(engine::remember_floors(surroundings_, request, evaluation));
    return evaluation;
  }

  const engine::TaskWorkbench& workbench_;
  evaluate::PipeCarrier& carrier_;
  const engine::Surroundings& surroundings_;
  const Options& options_;
  const Measuring& measuring_;
};

}  // namespace

Speedup turned(Speedup s) {
  if (s.value <= 0) return s;
  const double low = s.low;
  s.value = 1 / s.value;
  s.low = s.high > 0 ? 1 / s.high : 0;
  s.high = low > 0 ? 1 / low : 0;
  s.is_faster = false;
  return s;
}

const Evaluation& Duel::deciding() const {
  const bool is_reverse = reverse && reverse->verdict.is_correct() && reverse->speedup.value > 0;
  return is_reverse ? *reverse : *forward;
}

bool Duel::is_undecided() const { return session::is_undecided(deciding()); }

DuelLine Duel::whole() const {
  const Evaluation& e = deciding();
  DuelLine line{"", e.speedup, is_undecided() ? Winner::None : winner_of(e.speedup), 0, 0};
  if (!is_reverse()) return line;
  line.speedup = turned(e.speedup);
  line.winner = other_side(line.winner);
  return line;
}

std::vector<DuelLine> Duel::lines() const {
  std::vector<DuelLine> lines;
  for (const WorkloadResult& w : deciding().workloads)
    if (w.group == Group::Time && w.speedup.value > 0) lines.push_back(line_of(w, is_reverse()));
  return lines;
}

Result<std::unique_ptr<Duel>> compare(const Options& options, const DuelRequest& request) {
  const Aim& aim = request.a.aim;
  auto starting = LocalJudge::start(options, aim);  // the worker looks around while this one reads
  const auto data = KW_TRY(open_data(options));
  auto duel = std::make_unique<Duel>();
  duel->definition = KW_TRY(open_accepted_task(options, data, request.a.task));
  duel->a = KW_TRY(read_side(request.a.file, aim.target, duel->definition, request.a.settings));
  duel->b.file = request.b;
  if (duel->a.given.refusal.empty())
    duel->b = KW_TRY(read_side(request.b, aim.target, duel->definition, {}));
  for (const Side* side : {&duel->a, &duel->b})
    if (!side->given.refusal.empty()) duel->refused = side;
  if (duel->refused != nullptr) return duel;
  if (const std::string why = why_not_built(duel->b.given.candidate); !why.empty())
    return fail(ErrorCode::Unsupported, About{"kernel"}, why, request.b);
  for (const Side* side : {&duel->a, &duel->b})
    if (side->given.drafted)
      for (const std::string& line : notices_of(side->file, *side->given.drafted))
        options.notice(line);
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const auto judge = KW_TRY(TaskJudge::meet(std::move(starting), options, &store,
                                            task::Definition(duel->definition), aim));
  KW_TRY(judge->machine().ensure_ceilings());
  const auto surroundings = judge->surroundings(options.is_interrupted);
  KW_TRY(Fight(judge->workbench(), judge->carrier(), surroundings, options, request.a.measuring)
             .run(*duel));
  judge->carrier().dismiss();
  return duel;
}

}  // namespace kw::session

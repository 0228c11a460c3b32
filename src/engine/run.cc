// A run: baselines, the loop with its store, and the confirmation of the winner.
// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

#include <algorithm>

#include "base/rng.h"
#include "base/text.h"
#include "engine/loop.h"
#include "record/codec.h"

namespace kw::engine {
namespace {

/// Confirmations tried when the first winner does not hold.
constexpr int kConfirmationTries = 3;

/// Where one call takes longer, a point of a tuner costs seconds: better few points than no tuning.
constexpr double kCostlyCallNs = 20e6;
constexpr int kPointsOfCostlyTask = 9;

/// A run in progress: where recorded attempts end and new ones begin.
class Runner {
 public:
  Runner(const Surroundings& s, RunSummary run, Loop loop, std::vector<Attempt> recorded)
      : s_(s),
        run_(std::move(run)),
        loop_(std::move(loop)),
        recorded_(std::move(recorded)),
        started_ns_(s.clock.now_ns() - (recorded_.empty() ? 0 : recorded_.back().at_ns)) {}

  Result<> search();
  Result<std::optional<Evaluation>> confirm(const Candidate& baseline);
  RunReport finish(std::vector<BaselineStanding> baselines, std::string baseline,
                   std::optional<Evaluation> confirmation);
  RunSummary& run() { return run_; }
  bool is_interrupted() const { return s_.is_interrupted && s_.is_interrupted(); }

 private:
  Result<> submit(const InFlight& flight);
  Result<Attempt> next_attempt();
  Result<> refill();
  void update_summary();
  std::vector<int> ranking() const;

  const Surroundings& s_;
  RunSummary run_;
  Loop loop_;
  std::vector<Attempt> recorded_;
  std::vector<Attempt> attempts_;
  std::int64_t started_ns_;
  int confirmed_ = 0;
};

Result<> Runner::submit(const InFlight& flight) {
  const auto number = static_cast<std::size_t>(flight.number);
  if (number <= recorded_.size()) {
    if (recorded_[number - 1].ask != search::encode_ask(flight.ask))
      return fail("the strategy asks something else than what was recorded as attempt " +
                      std::to_string(number) + "; was the program or the task changed?",
                  run_.name, Advice::Stop);
    return {};
  }
  s_.observer.on_ask(flight.number, flight.ask,
                     s_.workbench.ideas()[static_cast<std::size_t>(flight.ask.idea)].name);
  auto request = KW_TRY(s_.workbench.request(flight.candidate, &flight.opponent.candidate));
  request.id = run_.name + "-" + std::to_string(flight.number);
  request.seed = s_.input_seed;
  request.measure.purpose = Purpose::Search;
  request.measure.fidelity = flight.ask.fidelity;
  return s_.carrier.submit(std::move(request));
}

Result<Attempt> Runner::next_attempt() {
  const int number = loop_.in_flight().front().number;
  if (static_cast<std::size_t>(number) <= recorded_.size())
    return recorded_[static_cast<std::size_t>(number) - 1];
  Attempt attempt;
  attempt.evaluation = KW_TRY(s_.carrier.next());
  attempt.at_ns = s_.clock.now_ns() - started_ns_;
  return attempt;
}

Result<> Runner::refill() {
  while (loop_.in_flight().size() <
         static_cast<std::size_t>(std::max(1, run_.config.outstanding))) {
    loop_.standing().statistics().is_interrupted = is_interrupted();
    const auto flight = KW_TRY(loop_.ask());
    if (!flight) return {};
    KW_TRY(submit(*flight));
  }
  return {};
}

void Runner::update_summary() {
  const Standing& standing = loop_.standing();
  run_.attempts = static_cast<std::int64_t>(attempts_.size());
  run_.best_attempt =
      standing.incumbent().attempt != 0 ? standing.incumbent().attempt : standing.fastest_correct();
  if (run_.best_attempt != 0)
    run_.best_speedup =
        attempts_[static_cast<std::size_t>(run_.best_attempt) - 1].against_baseline.value;
  run_.spent_ns = attempts_.empty() ? 0 : static_cast<double>(attempts_.back().at_ns);
}

Result<> Runner::search() {
  for (;;) {
    KW_TRY(refill());
    if (loop_.in_flight().empty()) break;
    Attempt attempt = KW_TRY(next_attempt());
    loop_.absorb(attempt);
    const bool is_new = static_cast<std::size_t>(attempt.number) > recorded_.size();
    attempts_.push_back(attempt);
    update_summary();
    if (!is_new) continue;
    KW_TRY(s_.store.append(run_, attempt));
    s_.observer.on_attempt(attempt, loop_.standing());
  }
  run_.stopped_by = loop_.stopped_by().empty() ? "nothing left to ask" : loop_.stopped_by();
  return {};
}

/// Attempts worth confirming, most promising first.
std::vector<int> Runner::ranking() const {
  std::vector<int> order;
  for (const Attempt& a : attempts_)
    if (a.evaluation.verdict.is_correct() && a.against_baseline.value > 1)
      order.push_back(a.number);
  const auto key = [&](int n) {
    const Attempt& a = attempts_[static_cast<std::size_t>(n) - 1];
    // The incumbent won its pairs; a larger chained figure at low fidelity is often luck.
    return std::pair(n == run_.best_attempt, a.against_baseline.low);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) > key(b); });
  if (order.size() > kConfirmationTries) order.resize(kConfirmationTries);
  return order;
}

Result<std::optional<Evaluation>> Runner::confirm(const Candidate& baseline) {
  std::optional<Evaluation> first;
  if (is_interrupted()) {
    s_.observer.on_notice("interrupted: the best kernel was not confirmed");
    return first;
  }
  for (const int number : ranking()) {
    const Attempt& attempt = attempts_[static_cast<std::size_t>(number) - 1];
    s_.observer.on_confirm(attempt);
    auto request = KW_TRY(s_.workbench.request(attempt.candidate, &baseline));
    request.id = run_.name + "-confirm-" + std::to_string(number);
    request.seed = Seed::from_os().low;
    request.measure.purpose = Purpose::Confirm;
    auto evaluation = KW_TRY(s_.carrier.evaluate(std::move(request)));
    store::Event event;
    event.kind = "confirm";
    event.at_ns = s_.clock.now_ns() - started_ns_;
    event.body = encode(evaluation);
    KW_TRY(s_.store.append_event(run_.id, event));
    const bool is_win = evaluation.verdict.is_correct() && evaluation.speedup.is_faster;
    if (is_win || !first) first = evaluation;
    if (is_win) {
      run_.best_attempt = confirmed_ = number;
      run_.best_speedup = evaluation.speedup.value;
      run_.is_confirmed = true;
      return first;
    }
    if (is_interrupted()) break;
  }
  return first;
}

RunReport Runner::finish(std::vector<BaselineStanding> baselines, std::string baseline,
                         std::optional<Evaluation> confirmation) {
  run_.state = is_interrupted() ? RunState::Interrupted : RunState::Finished;
  run_.spent_ns = static_cast<double>(s_.clock.now_ns() - started_ns_);
  RunReport report;
  report.decisions = std::move(loop_.decisions());
  report.decisions.push_back("stop " + run_.stopped_by);
  report.run = run_;
  report.attempts = std::move(attempts_);
  report.baselines = std::move(baselines);
  report.baseline = std::move(baseline);
  report.best = run_.best_attempt;
  if (run_.is_confirmed || (confirmation && run_.best_attempt != 0))
    report.confirmation = std::move(confirmation);
  return report;
}

Result<RunReport> drive(const Surroundings& s, RunSummary run, std::vector<Attempt> recorded,
                        std::vector<BaselineStanding> standings) {
  const BaselineStanding* baseline = KW_TRY(choose_baseline(standings, run.config.baseline));
  const Candidate opponent = baseline->candidate;
  s.observer.on_start(run, opponent.name);
  auto loop = KW_TRY(Loop::create(s.workbench, run.config, opponent));
  Runner runner(s, std::move(run), std::move(loop), std::move(recorded));
  if (auto searched = runner.search(); !searched) {
    // What was stored stays; the run can be resumed once the trouble is over.
    runner.run().state = runner.is_interrupted() ? RunState::Interrupted : RunState::Failed;
    runner.run().stopped_by = describe(searched.error());
    if (auto kept = s.store.update(runner.run()); !kept)
      s.observer.on_notice(describe(kept.error()));
    return std::unexpected(searched.error());
  }
  auto confirmation = KW_TRY(runner.confirm(opponent));
  return runner.finish(std::move(standings), opponent.name, std::move(confirmation));
}

}  // namespace

Result<RunReport> run(const Surroundings& s, const RunConfig& config) {
  auto standings = KW_TRY(time_baselines(s));
  RunConfig fixed = config;
  // The choice is part of the run, so that a resume years later pairs against the same one.
  const BaselineStanding* baseline = KW_TRY(choose_baseline(standings, config.baseline));
  fixed.baseline = baseline->candidate.name;
  if (baseline->mean_ns > kCostlyCallNs) fixed.tuning_points = kPointsOfCostlyTask;
  RunSummary summary = KW_TRY(s.store.create(fixed, platform::utc_text(s.clock.wall_seconds())));
  const auto held = KW_TRY(s.store.lock(summary));
  return drive(s, std::move(summary), {}, std::move(standings));
}

Result<RunReport> resume(const Surroundings& s, const RunSummary& stored) {
  if (stored.state == RunState::Finished)
    return fail("the run is finished; start a new one", stored.name);
  const auto held = KW_TRY(s.store.lock(stored));
  auto standings = KW_TRY(time_baselines(s));
  RunSummary run = stored;
  run.state = RunState::Running;
  return drive(s, std::move(run), KW_TRY(s.store.attempts(stored.id)), std::move(standings));
}

Result<std::vector<std::string>> replay(const Workbench& workbench, const store::RunStore& store,
                                        const RunSummary& stored) {
  const auto recorded = KW_TRY(store.attempts(stored.id));
  const auto& baselines = workbench.baselines();
  const auto baseline = std::find_if(baselines.begin(), baselines.end(), [&](const Candidate& c) {
    return c.name == stored.config.baseline;
  });
  if (baseline == baselines.end())
    return fail("the task no longer has the baseline '" + stored.config.baseline + "'",
                stored.name);
  auto loop = KW_TRY(Loop::create(workbench, stored.config, *baseline));
  for (const Attempt& original : recorded) {
    while (loop.in_flight().size() <
           static_cast<std::size_t>(std::max(1, stored.config.outstanding)))
      if (!KW_TRY(loop.ask())) break;
    if (loop.in_flight().empty())
      return fail("the replay stops before attempt " + std::to_string(original.number),
                  stored.name);
    if (search::encode_ask(loop.in_flight().front().ask) != original.ask)
      return fail("the replay asks something else at attempt " + std::to_string(original.number),
                  stored.name);
    Attempt attempt = original;
    loop.absorb(attempt);
  }
  loop.decisions().push_back("stop " + stored.stopped_by);
  return std::move(loop.decisions());
}

}  // namespace kw::engine

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

/// Where one call takes longer, a point of a tuner costs seconds: better few points than no tuning.
constexpr double kCostlyCallNs = 20e6;
constexpr int kPointsOfCostlyTask = 9;

/// A run in progress. Attempts up to `run.attempts` are fed from the store, later ones are judged.
class Runner {
 public:
  Runner(const Surroundings& s, RunSummary run, Loop loop, std::int64_t spent_ns)
      : s_(s),
        recorded_(run.attempts),
        run_(std::move(run)),
        loop_(std::move(loop)),
        started_ns_(s.clock.now_ns() - spent_ns) {}

  Result<> search();
  Result<std::optional<Evaluation>> confirm(const Candidate& baseline);
  /// State and time spent, once nothing more will be judged.
  const RunSummary& finish();
  RunSummary& run() { return run_; }
  bool is_interrupted() const { return s_.is_interrupted && s_.is_interrupted(); }

 private:
  Result<> submit(const InFlight& flight);
  Result<Attempt> next_attempt();
  Result<> refill();
  void update_summary(const Attempt& last);

  const Surroundings& s_;
  const std::int64_t recorded_;
  RunSummary run_;
  Loop loop_;
  std::int64_t started_ns_;
};

/// The recorded attempt that answers the oldest ask in flight.
Result<Attempt> recorded_attempt(const store::RunStore& store, const RunSummary& run,
                                 const InFlight& flight) {
  Attempt attempt = KW_TRY(store.attempt(run.id, flight.number));
  if (attempt.ask != search::encode_ask(flight.ask))
    return fail("the strategy asks something else than what was recorded as attempt " +
                    std::to_string(flight.number) + "; was the program or the task changed?",
                run.name, Advice::Stop);
  return attempt;
}

Result<> Runner::submit(const InFlight& flight) {
  if (flight.number <= recorded_) return {};
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
  const InFlight& flight = loop_.in_flight().front();
  if (flight.number <= recorded_) return recorded_attempt(s_.store, run_, flight);
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

void Runner::update_summary(const Attempt& last) {
  const Standing& standing = loop_.standing();
  run_.attempts = last.number;
  run_.best_attempt = standing.best_attempt();
  run_.best_speedup = standing.best_speedup();
  run_.spent_ns = static_cast<double>(last.at_ns);
}

Result<> Runner::search() {
  for (;;) {
    KW_TRY(refill());
    if (loop_.in_flight().empty()) break;
    Attempt attempt = KW_TRY(next_attempt());
    loop_.absorb(attempt);
    update_summary(attempt);
    if (attempt.number <= recorded_) continue;
    KW_TRY(s_.store.append(run_, attempt));
    s_.observer.on_attempt(attempt, loop_.standing());
  }
  run_.stopped_by = loop_.stopped_by().empty() ? "nothing left to ask" : loop_.stopped_by();
  return {};
}

Result<std::optional<Evaluation>> Runner::confirm(const Candidate& baseline) {
  std::optional<Evaluation> first;
  if (is_interrupted()) {
    s_.observer.on_notice("interrupted: the best kernel was not confirmed");
    return first;
  }
  for (const int number : loop_.standing().contenders()) {
    const Attempt attempt = KW_TRY(s_.store.attempt(run_.id, number));
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
      run_.best_attempt = number;
      run_.best_speedup = evaluation.speedup.value;
      run_.is_confirmed = true;
      return first;
    }
    if (is_interrupted()) break;
  }
  return first;
}

const RunSummary& Runner::finish() {
  run_.state = is_interrupted() ? RunState::Interrupted : RunState::Finished;
  run_.spent_ns = static_cast<double>(s_.clock.now_ns() - started_ns_);
  return run_;
}

DecisionLog lines_into(platform::FileWriter& file) {
  return [&file](const std::string& line) {
    file.write(line);
    file.write("\n");
  };
}

Result<RunReport> drive(const Surroundings& s, RunSummary run, std::int64_t spent_ns,
                        std::vector<BaselineStanding> standings) {
  const BaselineStanding* baseline = KW_TRY(choose_baseline(standings, run.config.baseline));
  const Candidate opponent = baseline->candidate;
  s.observer.on_start(run, opponent.name);
  auto file = KW_TRY(platform::FileWriter::create(s.store.folder_of(run) / kDecisionLog));
  const DecisionLog log = lines_into(file);
  auto loop = KW_TRY(Loop::create(s.workbench, run.config, opponent, log));
  Runner runner(s, std::move(run), std::move(loop), spent_ns);
  if (auto searched = runner.search(); !searched) {
    // What was stored stays; the run can be resumed once the trouble is over.
    runner.run().state = runner.is_interrupted() ? RunState::Interrupted : RunState::Failed;
    runner.run().stopped_by = describe(searched.error());
    if (auto kept = s.store.update(runner.run()); !kept)
      s.observer.on_notice(describe(kept.error()));
    return std::unexpected(searched.error());
  }
  auto confirmation = KW_TRY(runner.confirm(opponent));
  RunReport report;
  report.run = runner.finish();
  report.baselines = std::move(standings);
  report.baseline = opponent.name;
  if (const int best = report.run.best_attempt; best != 0) {
    report.best = KW_TRY(s.store.attempt(report.run.id, best));
    report.confirmation = std::move(confirmation);
  }
  log("stop " + report.run.stopped_by);
  KW_TRY(file.commit());
  return report;
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
  return drive(s, std::move(summary), 0, std::move(standings));
}

Result<RunReport> resume(const Surroundings& s, const RunSummary& stored) {
  const auto held = KW_TRY(s.store.lock(stored));
  // Whoever held it until now may have gone on since `stored` was read.
  RunSummary run = KW_TRY(s.store.find(stored.name));
  if (run.state == RunState::Finished)
    return fail("the run is finished; start a new one", run.name);
  auto standings = KW_TRY(time_baselines(s));
  run.state = RunState::Running;
  std::int64_t spent_ns = 0;
  if (const auto last = static_cast<int>(run.attempts); last > 0)
    spent_ns = KW_TRY(s.store.attempt(run.id, last)).at_ns;
  return drive(s, std::move(run), spent_ns, std::move(standings));
}

Result<std::vector<std::string>> replay(const Workbench& workbench, const store::RunStore& store,
                                        const RunSummary& stored) {
  const auto& baselines = workbench.baselines();
  const auto baseline = std::find_if(baselines.begin(), baselines.end(), [&](const Candidate& c) {
    return c.name == stored.config.baseline;
  });
  if (baseline == baselines.end())
    return fail("the task no longer has the baseline '" + stored.config.baseline + "'",
                stored.name);
  std::vector<std::string> decisions;
  const auto log = [&](const std::string& line) { decisions.push_back(line); };
  auto loop = KW_TRY(Loop::create(workbench, stored.config, *baseline, log));
  KW_TRY(store.for_each_attempt(
      stored.id, store::Sources::LeaveOut, [&](Attempt& attempt) -> Result<> {
        while (loop.in_flight().size() <
               static_cast<std::size_t>(std::max(1, stored.config.outstanding)))
          if (!KW_TRY(loop.ask())) break;
        if (loop.in_flight().empty())
          return fail("the replay stops before attempt " + std::to_string(attempt.number),
                      stored.name);
        if (search::encode_ask(loop.in_flight().front().ask) != attempt.ask)
          return fail("the replay asks something else at attempt " + std::to_string(attempt.number),
                      stored.name);
        loop.absorb(attempt);
        return {};
      }));
  decisions.push_back("stop " + stored.stopped_by);
  return decisions;
}

}  // namespace kw::engine

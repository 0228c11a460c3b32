// A run: baselines, the loop with its store, and the confirmation of the winner.
// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "base/rng.h"
#include "base/text.h"
#include "engine/graphs.h"
#include "engine/loop.h"
#include "engine/orders.h"
#include "record/codec.h"

namespace kw::engine {
namespace {

/// A task whose call takes longer is costly: one point of a tuner takes seconds there, and few
/// points are better than no tuning.
constexpr double kCostlyCallNs = 20e6;
constexpr int kPointsOfCostlyTask = 9;

/// Least wall time of a confirmation, even if a budget keeps back less: it begins with new inputs,
/// truths and processes.
constexpr double kLeastConfirmationNs = 5e9;

/// An ask in flight that is not recorded yet: everything that is known before it is judged.
struct Pending {
  Attempt attempt;
  bool is_ended = false;         ///< `attempt.evaluation` is already there: no carrier is asked.
  double wait_ns = 0;            ///< Time that was spent waiting for the writer.
  std::vector<Finding> notes{};  ///< What the proposer says of the source, for its findings.
};

/// The confirmation of one contender, and its terms.
struct Confirmed {
  Evaluation evaluation;
  Terms terms;
};

/// A run in progress. Attempts up to `run.attempts` are replayed from the store, later ones are
/// judged.
class Runner {
 public:
  Runner(const Surroundings& s, RunSummary run, Loop loop, std::optional<Writer> writer,
         OrderBook orders, std::optional<Lessons> lessons, std::int64_t spent_ns)
      : s_(s),
        recorded_(run.attempts),
        run_(std::move(run)),
        loop_(std::move(loop)),
        writer_(std::move(writer)),
        orders_(std::move(orders)),
        lessons_(std::move(lessons)),
        started_ns_(s.clock.now_ns() - spent_ns),
        waited_before_ns_(s.carrier.waited_ns()) {}

  Result<> search();
  Result<std::optional<Confirmed>> confirm(const Candidate& baseline);
  /// Sets the run's state and spending, once nothing more will be judged.
  const RunSummary& finish();
  /// Sets the run's state and spending when trouble ended the run.
  const RunSummary& fail_with(const Error& error);
  const RunSummary& run() const { return run_; }
  bool is_interrupted() const { return s_.is_interrupted && s_.is_interrupted(); }
  /// Stores what the run taught as a whole; not for an interrupted run, which goes on later.
  Result<> conclude(const RunReport& report) const;

 private:
  Result<> submit(const InFlight& flight);
  Result<> submit_to_carrier(const InFlight& flight, const Candidate& candidate,
                             const Candidate& opponent);
  Result<Evaluation> next_evaluation(const InFlight& flight, const Candidate& candidate);
  /// Has the source of an ask written; false if no model may be asked any more and the ask was
  /// withdrawn.
  Result<bool> write(const InFlight& flight, Pending& pending);
  Result<> recall_attempt(int original, const std::string& what, Attempt& attempt);
  Result<Attempt> next_attempt();
  Result<> obey_orders();
  Result<> refill();
  Result<Confirmed> confirm_one(const Attempt& attempt, const Candidate& baseline);
  /// Wall time that the next confirmation gets; 0: no limit.
  std::int64_t confirmation_ns() const;
  bool is_time_over() const;
  /// Time of the run until now; the run's clock stands still while its judge waits for the device.
  std::int64_t elapsed_ns() const { return s_.clock.now_ns() - started_ns_ - waited_ns(); }
  std::int64_t waited_ns() const { return s_.carrier.waited_ns() - waited_before_ns_; }
  void update_summary(const Attempt& last);
  void update_spent();

  const Surroundings& s_;
  const std::int64_t recorded_;
  RunSummary run_;
  Loop loop_;
  std::optional<Writer> writer_;
  OrderBook orders_;
  std::optional<Lessons> lessons_;
  std::deque<Pending> pending_;  ///< The last asks in flight, in their order.
  /// Evaluations of pending_ that were taken from the carrier before their turn.
  std::deque<Evaluation> early_;
  std::int64_t started_ns_;
  std::int64_t waited_before_ns_;
};

/// The recorded attempt that answers the ask `flight`; an error if the recorded ask differs.
Result<Attempt> recorded_attempt(const store::RunStore& store, const RunSummary& run,
                                 const InFlight& flight) {
  Attempt attempt = KW_TRY(store.attempts().get(run.id, flight.number));
  if (const std::string now = search::encode_ask(flight.ask); attempt.ask != now)
    return fail(
        ErrorCode::Changed, About{"ask"},
        fmt::format("the strategy asks something else than what was recorded as attempt {}; "
                    "was the program or the task changed? recorded: {}; now: {}",
                    flight.number, attempt.ask, now),
        run.name, Advice::Stop);
  return attempt;
}

Result<> Runner::recall_attempt(int original, const std::string& what, Attempt& attempt) {
  recall(KW_TRY(s_.store.attempts().get(run_.id, original)), what, attempt);
  return {};
}

Result<bool> Runner::write(const InFlight& flight, Pending& pending) {
  if (const double most = loop_.search_budget_ns(); most > 0)
    writer_->set_latest(started_ns_ + waited_ns() + static_cast<std::int64_t>(most));
  auto source = writer_->write(flight, loop_, lessons_ ? &*lessons_ : nullptr);
  if (!source) {
    const std::string why = is_interrupted() ? search::kInterrupt : writer_->refusal();
    if (why.empty()) return std::unexpected(source.error());
    loop_.withdraw(why);
    return false;
  }
  s_.observer.on_written(flight.number, *source, writer_->spent());
  pending.wait_ns = source->wait_ns;
  Attempt& attempt = pending.attempt;
  Proposal& proposal = source->proposal;
  attempt.candidate = std::move(proposal.candidate);
  attempt.plan = std::move(proposal.plan);
  attempt.exchanges = std::move(proposal.exchanges);
  attempt.usage = proposal.usage;
  attempt.cost_usd = proposal.cost_usd;
  attempt.chosen = std::move(proposal.chosen);
  attempt.writer = std::move(proposal.writer);
  pending.is_ended = true;
  if (!source->ended) pending.notes = std::move(proposal.findings);
  if (source->ended)
    attempt.evaluation = std::move(*source->ended);
  else if (const int original = loop_.judged().source(attempt.candidate); original != 0)
    KW_TRY(recall_attempt(original, "source", attempt));
  else
    pending.is_ended = false;
  return true;
}

Result<> Runner::submit_to_carrier(const InFlight& flight, const Candidate& candidate,
                                   const Candidate& opponent) {
  auto request = KW_TRY(s_.workbench.request(candidate, &opponent));
  request.id = run_.name + "-" + std::to_string(flight.number);
  request.seed = s_.input_seed;
  request.measure.purpose = Purpose::Search;
  request.measure.fidelity = flight.ask.fidelity;
  request.inspect.profile = run_.config.profiles;
  request.inspect.of_slower =
      KW_TRY(search::find_strategy(run_.config.strategy))->reads_every_profile;
  request.known_objects = loop_.judged().objects();
  return s_.carrier.submit(std::move(request));
}

Result<> Runner::submit(const InFlight& flight) {
  if (flight.number <= recorded_) return {};
  s_.observer.on_ask(flight.number, flight.ask, loop_.name_of_idea(flight.ask));
  Pending pending;
  pending.attempt.candidate = flight.candidate;
  if (flight.is_to_be_written() && !KW_TRY(write(flight, pending))) return {};
  if (!pending.is_ended)
    KW_TRY(submit_to_carrier(flight, pending.attempt.candidate, flight.opponent.candidate));
  pending_.push_back(std::move(pending));
  return {};
}

// An incumbent that goes wrong as an opponent, on purpose or not, must cost the candidate nothing
// but time: the candidate is then judged once more, against the baseline.
Result<Evaluation> Runner::next_evaluation(const InFlight& flight, const Candidate& candidate) {
  Evaluation first;
  if (early_.empty()) {
    first = KW_TRY(s_.carrier.next());
  } else {
    first = std::move(early_.front());
    early_.pop_front();
  }
  if (first.opponent_fault.empty()) return first;
  const Incumbent& baseline = loop_.standing().baseline();
  s_.observer.on_notice(fmt::format(
      "attempt {} failed when it was timed as the opponent, so attempt {} is judged against {} "
      "instead: {}",
      flight.opponent.attempt, flight.number, baseline.candidate.name, first.opponent_fault));
  auto before = std::ranges::count(pending_, false, &Pending::is_ended) - std::ssize(early_);
  KW_TRY(submit_to_carrier(flight, candidate, baseline.candidate));
  for (; before > 0; --before) early_.push_back(KW_TRY(s_.carrier.next()));
  Evaluation again = KW_TRY(s_.carrier.next());
  again.opponent_fault = std::move(first.opponent_fault);
  return again;
}

Result<Attempt> Runner::next_attempt() {
  const InFlight& flight = loop_.in_flight().front();
  if (flight.number <= recorded_) return recorded_attempt(s_.store, run_, flight);
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  Attempt& attempt = pending.attempt;
  if (!pending.is_ended) {
    attempt.evaluation = KW_TRY(next_evaluation(flight, attempt.candidate));
    const Evaluation& e = attempt.evaluation;
    const int original = loop_.judged().object(e.object_sha256);
    if (original != 0 && e.verdict.stage == Stage::Compile && e.verdict.is_correct())
      KW_TRY(recall_attempt(original, "compiled code", attempt));
  }
  std::ranges::move(pending.notes, std::back_inserter(attempt.evaluation.findings));
  if (flight.is_to_be_written()) attempt.evaluation.stage_ns["propose"] = pending.wait_ns;
  attempt.at_ns = elapsed_ns();
  return std::move(attempt);
}

Result<> Runner::obey_orders() {
  KW_TRY(orders_.look());
  while (const auto due = orders_.take(loop_.next_number(), loop_.told())) {
    if (due->is_new) {
      KW_TRY(keep_effect(s_.store, run_.id, due->order));
      s_.observer.on_order(due->order);
    }
    loop_.obey(due->order);
    if (writer_) writer_->raise(due->order.budget.models);
  }
  return {};
}

Result<> Runner::refill() {
  while (loop_.in_flight().size() <
         static_cast<std::size_t>(std::max(1, run_.config.outstanding))) {
    loop_.standing().statistics().is_interrupted = is_interrupted();
    KW_TRY(obey_orders());
    const auto flight = KW_TRY(loop_.ask());
    if (!flight) return {};
    KW_TRY(submit(*flight));
  }
  return {};
}

void Runner::update_spent() {
  if (writer_) run_.spent = writer_->spent();
}

void Runner::update_summary(const Attempt& last) {
  update_spent();
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
    const bool is_written = loop_.in_flight().front().is_to_be_written();
    loop_.absorb(attempt);
    update_summary(attempt);
    std::vector<Lesson> learnt;
    std::vector<Experience> experience;
    if (lessons_) {
      learnt = lessons_->observe(attempt, is_written);
      experience = lessons_->take_experience();
    }
    const auto steps = loop_.take_graph_updates();
    if (attempt.number <= recorded_) continue;
    KW_TRY(s_.store.append(run_, attempt, learnt, experience));
    if (!steps.empty())
      KW_TRY(teach_graph(s_.store, run_, s_.writing->graph, attempt, steps,
                         s_.writing->task != nullptr ? s_.writing->task->reference : ""));
    s_.observer.on_attempt(attempt, loop_.standing());
  }
  run_.stopped_by = loop_.stopped_by().empty() ? "nothing left to ask" : loop_.stopped_by();
  // An order that is given after this update comes too late.
  return s_.store.update(run_);
}

std::int64_t Runner::confirmation_ns() const {
  const double budget = loop_.time_budget_ns();
  if (budget == 0) return 0;
  const double left = budget - static_cast<double>(elapsed_ns());
  return static_cast<std::int64_t>(
      std::max({left, budget * search::kConfirmationShare, kLeastConfirmationNs}));
}

bool Runner::is_time_over() const {
  const double budget = loop_.time_budget_ns();
  return budget > 0 && static_cast<double>(elapsed_ns()) >= budget;
}

Result<Confirmed> Runner::confirm_one(const Attempt& attempt, const Candidate& baseline) {
  auto request = KW_TRY(s_.workbench.request(attempt.candidate, &baseline));
  request.id = run_.name + "-confirm-" + std::to_string(attempt.number);
  request.seed = Seed::from_os().low;
  request.measure.purpose = Purpose::Confirm;
  request.measure.wall_ns = confirmation_ns();
  Confirmed confirmed;
  confirmed.terms = terms_of(request);
  confirmed.evaluation = KW_TRY(s_.carrier.evaluate(std::move(request)));
  return confirmed;
}

Result<std::optional<Confirmed>> Runner::confirm(const Candidate& baseline) {
  std::optional<Confirmed> first;
  if (is_interrupted()) {
    s_.observer.on_notice("interrupted: the best kernel was not confirmed");
    return first;
  }
  s_.carrier.hurry_when(s_.is_interrupted);
  for (const int number : loop_.standing().contenders()) {
    if (first && is_time_over()) {
      s_.observer.on_notice("no time is left to confirm another kernel");
      break;
    }
    const Attempt attempt = KW_TRY(s_.store.attempts().get(run_.id, number));
    s_.observer.on_confirm(attempt);
    const Confirmed confirmed = KW_TRY(confirm_one(attempt, baseline));
    const Evaluation& evaluation = confirmed.evaluation;
    const bool is_win = evaluation.verdict.is_correct() && evaluation.speedup.is_faster;
    if (is_interrupted() && evaluation.verdict.outcome == Outcome::Unmeasurable) {
      s_.observer.on_notice("interrupted: the confirmation of attempt " + std::to_string(number) +
                            " did not end; kw resume " + run_.name + " begins it again");
      break;
    }
    const std::int64_t at_ns = elapsed_ns();
    KW_TRY(s_.store.events().append_all(run_.id, {{0, kTermsEvent, at_ns, encode(confirmed.terms)},
                                                  {0, "confirm", at_ns, encode(evaluation)}}));
    if (is_win || !first) first = confirmed;
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

Result<> Runner::conclude(const RunReport& report) const {
  if (!lessons_ || report.run.state != RunState::Finished) return {};
  return lessons_->conclude(s_.store, report.run, report.best ? &*report.best : nullptr,
                            report.confirmation);
}

const RunSummary& Runner::finish() {
  run_.state = is_interrupted() ? RunState::Interrupted : RunState::Finished;
  run_.spent_ns = static_cast<double>(elapsed_ns());
  update_spent();
  return run_;
}

const RunSummary& Runner::fail_with(const Error& error) {
  run_.state = is_interrupted() ? RunState::Interrupted : RunState::Stopped;
  run_.stopped_by = describe(error);
  update_spent();
  return run_;
}

DecisionLog lines_into(platform::FileWriter& file) {
  return [&file](const std::string& line) {
    file.write(line);
    file.write("\n");
  };
}

/// Whether this strategy needs a model that writes sources.
Result<bool> is_writing(const RunConfig& config) {
  return KW_TRY(search::find_strategy(config.strategy))->is_writing;
}

Result<std::optional<Writer>> writer_for(const Surroundings& s, const RunSummary& run,
                                         double baseline_ns) {
  if (!KW_TRY(is_writing(run.config))) return std::optional<Writer>();
  return std::optional(KW_TRY(Writer::open(*s.writing, s.store, s.clock, run, baseline_ns)));
}

/// The graph that the strategy of a run walks; null: it walks none.
Result<std::shared_ptr<const TechniqueGraph>> graph_for(const Surroundings& s,
                                                        const RunSummary& run) {
  if (!KW_TRY(knows_graph(run.config))) return std::shared_ptr<const TechniqueGraph>();
  return std::make_shared<const TechniqueGraph>(
      KW_TRY(graph_of_run(s.store, run, s.writing->graph)));
}

/// An error, before a run is created, if its strategy needs a model that writes and there is none.
Result<> require_writing(const Surroundings& s, const RunConfig& config) {
  if (s.writing == nullptr && KW_TRY(is_writing(config)))
    return fail_input(ErrorCode::Missing, About{"--model"},
                      "strategy '" + config.strategy + "' needs a model that writes: give --model");
  return {};
}

/// Runs the search and the confirmation, and stores what the run taught.
Result<RunReport> carry_out(Runner& runner, const Surroundings& s, const Candidate& opponent,
                            std::vector<BaselineStanding> standings) {
  KW_TRY(runner.search());
  auto confirmed = KW_TRY(runner.confirm(opponent));
  RunReport report;
  report.run = runner.finish();
  report.baselines = std::move(standings);
  report.baseline = opponent.name;
  if (const int best = report.run.best_attempt; best != 0) {
    report.best = KW_TRY(s.store.attempts().get(report.run.id, best));
    if (confirmed) {
      report.confirmation = std::move(confirmed->evaluation);
      report.terms = std::move(confirmed->terms);
    }
  }
  KW_TRY(runner.conclude(report));
  return report;
}

Result<RunReport> drive(const Surroundings& s, RunSummary run, std::int64_t spent_ns,
                        std::vector<BaselineStanding> standings) {
  const BaselineStanding* baseline = KW_TRY(choose_baseline(standings, run.config.baseline));
  const Candidate opponent = baseline->candidate;
  s.observer.on_start(run, opponent.name);
  auto file = KW_TRY(platform::FileWriter::create(s.store.folder_of(run) / kDecisionLog));
  const DecisionLog log = lines_into(file);
  auto graph = KW_TRY(graph_for(s, run));
  auto loop = KW_TRY(Loop::create(s.workbench, run.config, opponent, log, std::move(graph)));
  auto writer = KW_TRY(writer_for(s, run, baseline->mean_ns));
  auto orders = KW_TRY(OrderBook::open(s.store, run.id, KW_TRY(settled_of(s.store, run))));
  auto lessons =
      KW_TRY(Lessons::open(s.learning, s.store, s.clock, run, writer ? writer->ledger() : nullptr));
  if (writer) {  // embeddings have cost something, and the run may be killed before its first tell
    run.spent = writer->spent();
    KW_TRY(s.store.update(run));
  }
  Runner runner(s, std::move(run), std::move(loop), std::move(writer), std::move(orders),
                std::move(lessons), spent_ns);
  auto report = carry_out(runner, s, opponent, std::move(standings));
  if (!report) {
    // What was stored stays; the run can be resumed once the trouble is over.
    if (auto kept = s.store.update(runner.fail_with(report.error())); !kept)
      s.observer.on_notice(describe(kept.error()));
    s.observer.on_notice("nothing of the run is lost; go on with: kw resume " + runner.run().name);
    return std::unexpected(report.error());
  }
  log("stop " + report->run.stopped_by);
  KW_TRY(file.commit());
  return report;
}

}  // namespace

Result<RunReport> run(const Surroundings& s, const RunConfig& config) {
  KW_TRY(require_writing(s, config));
  auto standings = KW_TRY(time_baselines(s));
  RunConfig fixed = config;
  // The choice is part of the run, so that a resume years later pairs against the same baseline.
  const BaselineStanding* baseline = KW_TRY(choose_baseline(standings, config.baseline));
  fixed.baseline = baseline->candidate.name;
  fixed.ideas = static_cast<int>(s.workbench.ideas().size());
  if (baseline->mean_ns > kCostlyCallNs) fixed.most_tuning_points = kPointsOfCostlyTask;
  RunSummary summary = KW_TRY(s.store.create(fixed, platform::utc_text(s.clock.wall_seconds())));
  const auto held = KW_TRY(s.store.lock(summary));
  return drive(s, std::move(summary), 0, std::move(standings));
}

Result<RunReport> resume(const Surroundings& s, const RunSummary& stored) {
  const auto held = KW_TRY(s.store.lock(stored));
  // Whoever held the lock until now may have gone on since `stored` was read.
  RunSummary run = KW_TRY(s.store.find(stored.name));
  if (run.state == RunState::Finished)
    return fail_input(ErrorCode::WrongState, About{"finished"},
                      run.config.specialises
                          ? "this run is finished and cannot go on; to build its kernel for each "
                            "shape: kw specialise " +
                                run.name
                          : "this run is finished and cannot go on; start a new one",
                      run.name);
  KW_TRY(require_writing(s, run.config));
  auto standings = KW_TRY(time_baselines(s));
  run.state = RunState::Running;
  run.stopped_by.clear();
  run.is_confirmed = false;  // the run is confirmed again at its end, perhaps with another attempt
  KW_TRY(s.store.update(run));
  std::int64_t spent_ns = 0;
  if (const auto last = static_cast<int>(run.attempts); last > 0)
    spent_ns = KW_TRY(s.store.attempts().get(run.id, last)).at_ns;
  return drive(s, std::move(run), spent_ns, std::move(standings));
}

}  // namespace kw::engine

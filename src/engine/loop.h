// Loop: the part of a run that decides, free of devices and files, so that resume and replay are
// the same code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/standing.h"
#include "engine/workbench.h"
#include "engine/written.h"
#include "memory/relabel.h"
#include "record/order.h"
#include "search/budget.h"
#include "search/ensemble.h"
#include "search/graph_author.h"
#include "search/strategy.h"

namespace kw::engine {

/// An ask that waits for its evaluation.
struct InFlight {
  int number = 0;  ///< Of the attempt.
  search::Ask ask;
  Candidate candidate;  ///< Empty where it is still to be written.
  Incumbent opponent;   ///< As it stood at the ask.

  bool is_to_be_written() const { return ask.role == search::Role::Write; }
};

/// Takes the decision log as it grows: one line per decision; equal attempts give equal lines.
using DecisionLog = std::function<void(const std::string& line)>;

/// Its line about what was asked: the strategy's own words.
std::string ask_line(int number, const std::string& ask);

class Loop {
 public:
  /// `workbench` must outlive the loop. An unknown strategy, tuner or policy is an error.
  /// `graph`: of strategies that walk one; null: none.
  static Result<Loop> create(const Workbench& workbench, const RunConfig& config,
                             Candidate baseline, DecisionLog log,
                             std::shared_ptr<const TechniqueGraph> graph = nullptr);

  /// The next proposal, as long as no rule says stop and the limits allow; nothing: absorb first,
  /// or the run is over.
  Result<std::optional<InFlight>> ask();
  /// Takes the evaluation of the oldest ask in flight (`attempt.evaluation`, `attempt.at_ns` set by
  /// the caller) and completes the attempt. Of a written source the caller sets `attempt.candidate`
  /// and the rest that its author gave; a recalled one comes from recall().
  void absorb(Attempt& attempt);

  /// The newest ask in flight finds nobody to answer it: it is taken back, and for this reason
  /// nothing more will be asked.
  void withdraw(const std::string& why);

  /// A person's order takes effect: the next ask keeps to it. A raised budget lets a run go on that
  /// had stopped with asks in flight.
  void obey(const Order& order);
  /// All obeyed so far, with those that were lifted.
  const std::vector<Order>& orders() const { return orders_; }
  int next_number() const { return asked_ + 1; }  ///< Of the next ask.

  const std::deque<InFlight>& in_flight() const { return in_flight_; }
  Standing& standing() { return standing_; }
  const Standing& standing() const { return standing_; }
  int told() const { return told_; }  ///< Attempts absorbed.
  /// What the latest tells said of steps of the graph, where the strategy walks one.
  std::vector<search::GraphLearner::StepUpdate> take_graph_updates();
  /// Kept only where sources are written.
  const Judged& judged() const { return judged_; }
  /// Name of the idea of an ask, for people.
  std::string name_of_idea(const search::Ask& ask) const;
  /// Wall time of the run that searching may take, and the run as a whole; 0: no bound.
  double search_budget_ns() const;
  double time_budget_ns() const { return static_cast<double>(config_.max_time_ns); }
  /// Why no more will be asked; empty while the run goes on.
  const std::string& stopped_by() const { return stopped_by_; }

 private:
  Loop(const Workbench& workbench, const RunConfig& config,
       std::unique_ptr<search::Strategy> strategy, bool is_writing, Standing standing,
       DecisionLog log);
  void check_rules();
  /// Tells the ensemble what an attempt was worth; `best_before`: the run's best speedup until
  /// then.
  void credit(const InFlight& flight, const Attempt& attempt, double best_before);
  /// Techniques that a written source names, as the graph calls them.
  std::optional<std::vector<std::string>> steps_shown(const Attempt& attempt);
  void log_tell(const InFlight& flight, const Attempt& attempt);
  Result<Candidate> candidate_of(const search::Ask& ask) const;

  const Workbench& workbench_;
  RunConfig config_;
  std::unique_ptr<search::Strategy> strategy_;
  Standing standing_;
  search::StopRule rule_;
  std::deque<InFlight> in_flight_;
  bool is_writing_;
  WrittenIdeas written_;
  Judged judged_;
  std::optional<search::Ensemble> ensemble_;  ///< Where several models write and a bandit chooses.
  std::optional<memory::Relabeller> steps_;   ///< Of the graph, where the strategy walks one.
  std::vector<double> speedups_;  ///< By attempt, where there is an ensemble; 0: not correct.
  int asked_ = 0;
  int told_ = 0;
  std::string stopped_by_;
  bool is_withdrawn_ = false;
  std::string finished_by_;  ///< Words of the order that ended the search; empty: none did.
  std::vector<Order> orders_;
  DecisionLog log_;
};

}  // namespace kw::engine

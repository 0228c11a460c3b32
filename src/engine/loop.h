// The part of a run that decides, free of devices and files, so that resume and replay are the same
// code.
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

/// An ask, which is a proposal of the strategy, that waits for its evaluation.
struct InFlight {
  int number = 0;  ///< Number of the attempt.
  search::Ask ask;
  Candidate candidate;  ///< Empty while the source is still to be written.
  Incumbent opponent;   ///< The opponent at the time of the ask.

  bool is_to_be_written() const { return ask.role == search::Role::Write; }
};

/// Takes the decision log as it grows: one line per decision; equal attempts give equal lines.
using DecisionLog = std::function<void(const std::string& line)>;

/// Line of the decision log about an ask, in the strategy's own words.
std::string ask_line(int number, const std::string& ask);

class Loop {
 public:
  /// `workbench` must outlive the loop. An unknown strategy, tuner or policy is an error. `graph`
  /// is for strategies that walk one; null: none.
  static Result<Loop> create(const Workbench& workbench, const RunConfig& config,
                             Candidate baseline, DecisionLog log,
                             std::shared_ptr<const TechniqueGraph> graph = nullptr);

  /// The next proposal, while no rule says stop and the limits allow one. Nothing: the caller must
  /// absorb first, or the run is over.
  Result<std::optional<InFlight>> ask();
  /// Takes the evaluation of the oldest ask in flight and completes the attempt. The caller has set
  /// `attempt.evaluation` and `attempt.at_ns`; for a written source also `attempt.candidate` and
  /// what else its author gave. A recalled attempt comes from recall().
  void absorb(Attempt& attempt);

  /// Takes back the newest ask in flight, because no model can answer it; for the reason `why`
  /// nothing more will be asked.
  void withdraw(const std::string& why);

  /// Makes a person's order take effect: the next ask follows it. A raised budget lets a run go on
  /// that had stopped with asks in flight.
  void obey(const Order& order);
  /// All orders obeyed so far, including those that were lifted.
  const std::vector<Order>& orders() const { return orders_; }
  int next_number() const { return asked_ + 1; }  ///< Number of the next ask.

  const std::deque<InFlight>& in_flight() const { return in_flight_; }
  Standing& standing() { return standing_; }
  const Standing& standing() const { return standing_; }
  int told() const { return told_; }  ///< Number of attempts absorbed.
  /// What the latest results said about steps of the technique graph, if the strategy walks one.
  std::vector<search::GraphLearner::StepUpdate> take_graph_updates();
  /// What was judged until now, to recognise repetitions: settings of a tuner may compile to the
  /// same code too.
  const Judged& judged() const { return judged_; }
  /// Name, for people, of the idea that an ask proposes.
  std::string name_of_idea(const search::Ask& ask) const;
  /// Wall time that searching may take, in ns; 0: no limit. time_budget_ns() is the limit of the
  /// whole run, confirmation included.
  double search_budget_ns() const;
  double time_budget_ns() const { return static_cast<double>(config_.max_time_ns); }
  /// Why nothing more will be asked; empty while the run goes on.
  const std::string& stopped_by() const { return stopped_by_; }

 private:
  Loop(const Workbench& workbench, const RunConfig& config,
       std::unique_ptr<search::Strategy> strategy, Standing standing, DecisionLog log);
  void check_rules();
  /// Tells the ensemble what an attempt was worth; `best_before` is the run's best speedup before
  /// the attempt.
  void credit(const InFlight& flight, const Attempt& attempt, double best_before);
  /// Techniques that a model's source names, under the names that the technique graph uses.
  std::optional<std::vector<std::string>> steps_shown(const Attempt& attempt);
  void log_tell(const InFlight& flight, const Attempt& attempt);
  Result<Candidate> candidate_of(const search::Ask& ask) const;

  const Workbench& workbench_;
  RunConfig config_;
  std::unique_ptr<search::Strategy> strategy_;
  Standing standing_;
  search::StopRule rule_;
  std::deque<InFlight> in_flight_;
  WrittenIdeas written_;
  Judged judged_;
  /// Set where several models write and a bandit chooses among them.
  std::optional<search::Ensemble> ensemble_;
  /// Set where the strategy walks a graph: gives techniques the names of the graph's steps.
  std::optional<memory::Relabeller> steps_;
  std::vector<double> speedups_;  ///< By attempt, if there is an ensemble; 0: not correct.
  int asked_ = 0;
  int told_ = 0;
  std::string stopped_by_;
  bool is_withdrawn_ = false;
  std::string finished_by_;  ///< Text of the order that ended the search; empty if no order did.
  std::vector<Order> orders_;
  DecisionLog log_;
};

}  // namespace kw::engine

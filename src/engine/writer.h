// Has a proposer, usually a model, write the sources of a run, and tells it what the run knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/lessons.h"
#include "engine/loop.h"
#include "llm/budget.h"
#include "llm/exchanges.h"
#include "propose/counsel.h"
#include "propose/judge.h"
#include "propose/proposer.h"
#include "record/device.h"
#include "record/technique_graph.h"
#include "store/run_store.h"

namespace kw::engine {

/// Keeps the exchanges of one run with models in its store.
class StoredExchanges final : public llm::ExchangeStore {
 public:
  /// `store` must outlive this object.
  StoredExchanges(store::RunStore& store, std::int64_t run) : store_(store), run_(run) {}
  Result<std::optional<Exchange>> find(const std::string& key) override;
  Result<> keep(const Exchange& exchange) override;

 private:
  std::mutex mutex_;
  store::RunStore& store_;
  const std::int64_t run_;
};

/// A proposer and what it depends on, for one run.
struct Desk {
  std::unique_ptr<llm::ExchangeStore> exchanges;
  std::unique_ptr<llm::Ledger> ledger;  ///< Null: nothing is counted.
  std::vector<std::unique_ptr<llm::ChatModel>> models;
  std::unique_ptr<propose::Proposer> proposer;
  std::unique_ptr<propose::Judge> judge;  ///< Null: findings go to the proposer without a reading.
  /// Predicts the logarithm of the gain of a candidate; null: no gain is predicted.
  std::function<double(const Attempt* parent, const Candidate&)> expected;
  /// Asks further roles about a situation; null: asks that want roles are written without them.
  std::unique_ptr<propose::Counsel> counsel;
};

/// What a run needs in order to have sources written.
struct Writing {
  /// Makes the proposer and what it depends on, for a run that was just created or is taken up
  /// again.
  std::function<Result<Desk>(const RunSummary&)> open;
  const task::Definition* task = nullptr;  ///< Borrowed.
  DeviceFacts device;
  std::vector<propose::Example> examples;
  std::vector<std::string> cautions;
  std::vector<std::string> size_classes{};  ///< How large the timed workloads are.
  std::vector<std::string> gpus{};    ///< Which GPU it may be, where the device is not at hand.
  std::vector<std::string> rivals{};  ///< The baselines, where none has been timed.
  bool has_dialect_headers = false;   ///< The compiler of candidates finds what its dialects need.
  TechniqueGraph graph{};  ///< The graph that a workspace begins with if it has none yet.
};

/// What was written for one ask.
struct WrittenSource {
  Proposal proposal;
  /// Set if there is nothing to judge: its verdict is (propose, no_candidate).
  std::optional<Evaluation> ended;
  double wait_ns = 0;
};

/// Builds situations and has the proposer answer them. Equal attempts in the store give equal
/// situations: what could differ after a resume (device facts, examples) is kept with the run when
/// it begins.
class Writer {
 public:
  /// `writing`, `store` and `clock` must outlive the writer. `baseline_ns` is the opponent's mean.
  static Result<Writer> open(const Writing& writing, store::RunStore& store,
                             const platform::Clock& clock, const RunSummary& run,
                             double baseline_ns);

  /// Asks the proposer. `lessons` may be null. A request that was turned down becomes an attempt
  /// without an answer (Verdict::is_unanswered); other errors are trouble of the environment.
  Result<WrittenSource> write(const InFlight& flight, const Loop& loop, const Lessons* lessons);

  /// Sets the moment of the clock after which no reply is waited for; 0: no limit.
  void set_latest(std::int64_t at_ns);
  /// Replaces the given limits of spending.
  void raise(const SpendLimits& limits);
  /// Spending by all processes of the run so far.
  Spending spent() const;
  /// Counts what the run spends, to which others than this writer add; null: nothing is counted.
  llm::Ledger* ledger() const { return desk_.ledger.get(); }
  /// Why the budgets allow no further call; empty if they allow one.
  std::string refusal() const;

 private:
  /// What a run's prompts contain besides its attempts, as it was when the run began.
  struct Brief {
    DeviceFacts device;
    double baseline_ns = 0;
    std::vector<std::string> titles;  ///< Titles of the examples, in the order of `sources`.
    std::vector<std::string> sources;
    std::vector<std::string> cautions;
    std::vector<std::string> size_classes = {};
    std::vector<std::string> gpus = {};
    std::vector<std::string> rivals = {};
    bool has_dialect_headers = true;  ///< Runs whose brief does not say so had the headers.

    template <class Self, class V>
    static void fields(Self& s, V&& v) {
      v("device", s.device), v("baseline_ns", s.baseline_ns), v("titles", s.titles),
          v("sources", s.sources), v("cautions", s.cautions), v("size_classes", s.size_classes),
          v("gpus", s.gpus), v("rivals", s.rivals), v("has_cute", s.has_dialect_headers);
    }
  };

  Writer(const Writing& writing, store::RunStore& store, const platform::Clock& clock,
         RunSummary run)
      : writing_(&writing), store_(&store), clock_(&clock), run_(std::move(run)) {}
  static Result<Brief> brief_of(const Writing& writing, store::RunStore& store,
                                const RunSummary& run, double baseline_ns);
  /// A judge's reading of the findings on the parent; the judge is asked about each parent once in
  /// a run.
  Result<std::optional<Reading>> read_parent(const propose::Situation& situation);
  /// Adds to `history` the lines for attempts after `after` up to `last` that `view` shows; null:
  /// all.
  Result<> add_lines(propose::History& history, int after, int last, const View* view) const;
  /// The attempt, reduced to what the run's configuration lets the writer know.
  Result<Attempt> attempt_seen(int number) const;
  Result<Attempt> parent_of(int number) const;
  /// Attempts that a situation refers to.
  struct Shown {
    Attempt parent;
    std::vector<Attempt> sources;
    propose::History history;
  };
  /// The part of a situation that `view` shows; the attempts that this part refers to are kept in
  /// `shown`.
  Result<propose::Situation> as_seen(const propose::Situation& whole, const View& view,
                                     Shown& shown) const;
  /// Asks one role; a request that was turned down becomes a reading that says so.
  Result<Reading> consult(const propose::Situation& whole, const View& view);
  /// Has a proposal made for a situation, and asks the roles that `manner` wants before and after
  /// it.
  Result<WrittenSource> compose(propose::Situation& whole, const Manner& manner);
  /// The most promising of as many proposals as the run's shortlist wants; all of them are paid
  /// for.
  Result<Proposal> propose(const propose::Situation& seen);
  Result<> review(propose::Situation& whole, const Manner& manner, WrittenSource& source);
  void set_constants(propose::Situation& situation) const;

  const Writing* writing_;
  store::RunStore* store_;
  const platform::Clock* clock_;
  RunSummary run_;
  Brief brief_;
  Desk desk_;
  propose::History history_;  ///< History of the attempts that were told.
  int in_history_ = 0;        ///< Number of the last attempt in history_.
  /// Message of the refusal with which the run's last process ended; empty after the first
  /// proposal.
  std::string refused_before_;
};

}  // namespace kw::engine

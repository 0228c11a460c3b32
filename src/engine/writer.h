// Writer: has the sources of a run written, by a proposer that sees what the run knows.
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

/// The exchanges of one run, kept in its store.
class StoredExchanges final : public llm::ExchangeStore {
 public:
  /// `store` must outlive this.
  StoredExchanges(store::RunStore& store, std::int64_t run) : store_(store), run_(run) {}
  Result<std::optional<Exchange>> find(const std::string& key) override;
  Result<> keep(const Exchange& exchange) override;

 private:
  std::mutex mutex_;
  store::RunStore& store_;
  const std::int64_t run_;
};

/// A proposer with what it stands on, for one run.
struct Desk {
  std::unique_ptr<llm::ExchangeStore> exchanges;
  std::unique_ptr<llm::Ledger> ledger;  ///< Null: nothing is counted.
  std::vector<std::unique_ptr<llm::ChatModel>> models;
  std::unique_ptr<propose::Proposer> proposer;
  std::unique_ptr<propose::Judge> judge;  ///< Null: findings go to the proposer without a reading.
  /// Logarithm of the gain that is expected of a candidate; null: nothing is expected.
  std::function<double(const Attempt* parent, const Candidate&)> expected;
  std::unique_ptr<propose::Counsel> counsel;  ///< Null: asks that want roles are written without.
};

/// What a run needs to have sources written.
struct Writing {
  /// Opens the desk of a run that has just been created or is taken up again.
  std::function<Result<Desk>(const RunSummary&)> open;
  const task::Definition* task = nullptr;  ///< Borrowed.
  DeviceFacts device;
  std::vector<propose::Example> examples;
  std::vector<std::string> cautions;
  TechniqueGraph graph{};  ///< That a workspace without one of its own begins with.
};

/// What was written for one ask.
struct WrittenSource {
  Proposal proposal;
  /// Set where there is nothing to judge: verdict (propose, no_candidate).
  std::optional<Evaluation> ended;
  double wait_ns = 0;
};

/// Equal attempts in the store give equal situations: what could differ after a resume (device
/// facts, examples) is kept with the run when it begins.
class Writer {
 public:
  /// `writing`, `store` and `clock` must outlive the writer. `baseline_ns`: mean of the opponent.
  static Result<Writer> open(const Writing& writing, store::RunStore& store,
                             const platform::Clock& clock, const RunSummary& run,
                             double baseline_ns);

  /// Asks the proposer. `lessons` may be null. A request that was turned down is an attempt
  /// without an answer (Verdict::is_unanswered); other errors are the surroundings'.
  Result<WrittenSource> write(const InFlight& flight, const Loop& loop, const Lessons* lessons);

  /// Nobody is waited for beyond this moment of the clock; 0: without a bound.
  void set_latest(std::int64_t at_ns);
  /// Replaces those bounds that are given.
  void raise(const SpendLimits& limits);
  /// By all processes of the run so far.
  Spending spent() const;
  /// Counts what others spend for the run too; null: nothing is counted.
  llm::Ledger* ledger() const { return desk_.ledger.get(); }
  /// Why the budgets allow no further call; empty: they may.
  std::string refusal() const;

 private:
  /// What a run's prompts are made of beside its attempts, as it was when the run began.
  struct Brief {
    DeviceFacts device;
    double baseline_ns = 0;
    std::vector<std::string> titles;  ///< Of the examples, with their sources beside.
    std::vector<std::string> sources;
    std::vector<std::string> cautions;

    template <class Self, class V>
    static void fields(Self& s, V&& v) {
      v("device", s.device), v("baseline_ns", s.baseline_ns), v("titles", s.titles),
          v("sources", s.sources), v("cautions", s.cautions);
    }
  };

  Writer(const Writing& writing, store::RunStore& store, const platform::Clock& clock,
         RunSummary run)
      : writing_(&writing), store_(&store), clock_(&clock), run_(std::move(run)) {}
  static Result<Brief> brief_of(const Writing& writing, store::RunStore& store,
                                const RunSummary& run, double baseline_ns);
  /// A judge's words on the parent, asked for once in a run.
  Result<std::optional<Reading>> read_parent(const propose::Situation& situation);
  /// Adds the lines behind attempt `after` up to attempt `last` that `view` shows; null: all.
  Result<> add_lines(propose::History& history, int after, int last, const View* view) const;
  /// As whoever writes may know it.
  Result<Attempt> attempt_seen(int number) const;
  Result<Attempt> parent_of(int number) const;
  /// Attempts that a situation refers to.
  struct Shown {
    Attempt parent;
    std::vector<Attempt> sources;
    propose::History history;
  };
  /// The situation as `view` shows it; what it refers to is kept in `shown`.
  Result<propose::Situation> as_seen(const propose::Situation& whole, const View& view,
                                     Shown& shown) const;
  /// What one in a role says; a request that was turned down is a reading with trouble.
  Result<Reading> consult(const propose::Situation& whole, const View& view);
  /// The proposal for a situation, with all that its manner wants asked before and after.
  Result<WrittenSource> compose(propose::Situation& whole, const Manner& manner);
  /// Of as many proposals as the run's shortlist wants, the one that promises most; all are paid.
  Result<Proposal> propose(const propose::Situation& seen);
  Result<> review(propose::Situation& whole, const Manner& manner, WrittenSource& source);
  void set_constants(propose::Situation& situation) const;

  const Writing* writing_;
  store::RunStore* store_;
  const platform::Clock* clock_;
  RunSummary run_;
  Brief brief_;
  Desk desk_;
  propose::History history_;  ///< Of the attempts that were told.
  int in_history_ = 0;        ///< The last of them.
  /// The words of the refusal that the run ended with when its last process did; empty from the
  /// first proposal on.
  std::string refused_before_;
};

}  // namespace kw::engine

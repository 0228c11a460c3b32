// What a run knows after each judged attempt; the same attempts always give the same standing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/attempt.h"
#include "search/budget.h"
#include "search/reward.h"
#include "search/types.h"

namespace kw::engine {

/// The product of two measured ratios; their intervals widen in quadrature on the log scale.
Speedup chain(const Speedup& first, const Speedup& second);

/// The kernel to beat: at first the best baseline, then every new best.
struct Incumbent {
  int attempt = 0;  ///< Number of the attempt; 0: the baseline.
  Candidate candidate;
  Speedup against_baseline{1, 1, 1, 1, "", 0, false};
};

/// Number of confirmations that are tried if the first winner does not hold.
inline constexpr std::size_t kConfirmationTries = 3;

class Standing {
 public:
  /// `baseline` is the opponent of the first pairs.
  Standing(Candidate baseline, const search::RewardPolicy& policy);

  /// Completes `attempt` (class, chained speedup, reward, words) from its evaluation, which was
  /// paired with `opponent`, and takes it into account. If the evaluation says that this opponent
  /// went wrong, its pairs count as pairs with the baseline.
  search::Tell absorb(Attempt& attempt, const search::Ask& ask, const Incumbent& opponent);

  const Incumbent& incumbent() const { return incumbent_; }
  const Incumbent& baseline() const { return baseline_; }
  /// The opponent of the next pairs: the incumbent, or the baseline once the incumbent has failed
  /// as an opponent. The incumbent's own figures remain valid, because they come from pairs in
  /// which it was the candidate.
  const Incumbent& opponent() const { return is_incumbent_unfit_ ? baseline_ : incumbent_; }
  /// The incumbent, or, while nothing has beaten the baseline, the fastest correct attempt; 0 if
  /// none was correct.
  int best_attempt() const;
  /// Speedup of best_attempt() over the baseline; 0 if there is none.
  double best_speedup() const;
  /// Attempts worth confirming, most promising first, at most kConfirmationTries.
  std::vector<int> contenders() const;
  const search::Statistics& statistics() const { return statistics_; }
  search::Statistics& statistics() { return statistics_; }

 private:
  OutcomeClass classify(const Attempt& attempt, const Incumbent& opponent) const;
  void advance(const Attempt& attempt);
  void count_fruitless(const Attempt& attempt, bool is_written);
  void rank(const Attempt& attempt);

  struct Contender {
    int attempt = 0;
    double low = 0;  ///< Lower end of the attempt's speedup over the baseline.
  };

  const search::RewardPolicy& policy_;
  Incumbent baseline_;
  Incumbent incumbent_;
  bool is_incumbent_unfit_ = false;  ///< True once the incumbent has failed as an opponent.
  int fastest_correct_ = 0;
  double fastest_speedup_ = 0;
  std::vector<Contender> contenders_;  ///< Largest `low` first; among equals the earlier attempt.
  search::Statistics statistics_;
};

/// What a strategy is told of a complete attempt, except for the ask, its idea and the reward.
/// `is_written`: the source was written for that ask.
search::Tell tell_of(const Attempt& attempt, bool is_written);

/// Reward of a complete attempt by any policy: it depends only on what was judged.
double reward_of(const Attempt& attempt, const search::RewardPolicy& policy);

/// One line on the result of an attempt, for the proposer and for people.
std::string words_for(const Attempt& attempt);

/// A failed verdict in words: "failed at check: wrong_result (3 of 9 elements)".
std::string failure_words(const Verdict& verdict);

/// A place in a source (file:line:column, or the file alone) with the file name that a person
/// knows: `path` replaces whatever name a stage uses (`candidate.cpp`, `NAME.cpp`, `NAME`). Models
/// keep reading the stages' names, because they know no others. Other places stay as they are.
std::string at_path(std::string_view place, std::string_view name, std::string_view path);
/// The same for the place of what a verdict rests on, whose sentence is made anew.
void move_place(Verdict& verdict, std::string_view name, std::string_view path);
/// The file of a baseline in the task's folder.
std::string path_in_task(const Candidate& baseline);

}  // namespace kw::engine

// Standing: what a run knows after each tell; the same attempts always give the same standing.
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

/// The best baseline at first, then every new best.
struct Incumbent {
  int attempt = 0;  ///< 0: the baseline.
  Candidate candidate;
  Speedup against_baseline{1, 1, 1, 1, "", 0, false};
};

/// Confirmations tried when the first winner does not hold.
inline constexpr std::size_t kConfirmationTries = 3;

class Standing {
 public:
  /// `baseline` is the opponent of the first pairs.
  Standing(Candidate baseline, const search::RewardPolicy& policy);

  /// Completes `attempt` (class, chained speedup, reward, words) from its evaluation, which was
  /// paired with `opponent`, and takes it into account. Where the evaluation says that this
  /// opponent went wrong, its pairs are those with the baseline.
  search::Tell absorb(Attempt& attempt, const search::Ask& ask, const Incumbent& opponent);

  const Incumbent& incumbent() const { return incumbent_; }
  const Incumbent& baseline() const { return baseline_; }
  /// What the next pairs are timed against: the incumbent, or the baseline once the incumbent has
  /// gone wrong in that seat. Its own figures stand: they are of pairs in which it was judged.
  const Incumbent& opponent() const { return is_incumbent_unfit_ ? baseline_ : incumbent_; }
  /// The incumbent, or while nothing has beaten the baseline the fastest correct attempt; 0: none
  /// was correct.
  int best_attempt() const;
  double best_speedup() const;  ///< Of best_attempt(), over the baseline; 0: none.
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
    double low = 0;  ///< Lower end of its speedup over the baseline.
  };

  const search::RewardPolicy& policy_;
  Incumbent baseline_;
  Incumbent incumbent_;
  bool is_incumbent_unfit_ = false;  ///< As an opponent.
  int fastest_correct_ = 0;
  double fastest_speedup_ = 0;
  std::vector<Contender> contenders_;  ///< By `low`, earlier attempts first where it is equal.
  search::Statistics statistics_;
};

/// What a strategy is told of a complete attempt, but for the ask, its idea and the reward.
/// `is_written`: for that ask.
search::Tell tell_of(const Attempt& attempt, bool is_written);

/// Of a complete attempt by any policy: it depends on what was judged alone.
double reward_of(const Attempt& attempt, const search::RewardPolicy& policy);

/// One line on what an attempt came to, for the proposer and for people.
std::string words_for(const Attempt& attempt);

/// "failed at check: wrong_result (3 of 9 elements)".
std::string failure_words(const Verdict& verdict);

/// A place, or words that begin with one, whose file is the one that a person knows: `path` for
/// whatever a stage calls it (`candidate.cpp`, `NAME.cpp`, `NAME`). What models read keeps those
/// names, for they know no other.
std::string at_path(std::string_view text, std::string_view name, std::string_view path);
/// Of a baseline in its task's folder.
std::string at_path(std::string_view text, const Candidate& baseline);

}  // namespace kw::engine

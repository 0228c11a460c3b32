// Ensemble: which of several models writes the next source, by what each has been worth its cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kw::search {

/// What a written source was worth, 0–1: nothing where it failed or repeated another; else 0.3 for
/// being correct and 0.7 by how often it doubled the speed that it set out from, at most once. The
/// 0.3 is Kevin-32B's (arXiv 2507.11948); `from`: speedup of the parent, where it was correct.
double writing_reward(bool is_correct, double speedup, double from);

/// A bandit under costs. The model with the largest
///
///     (mean reward + 0.25 sqrt(2 ln t / n)) / (mean cost of its replies + mean cost of a reply)
///
/// writes next; n: how often it was chosen, t: all choices. This is fractional KUBE (Tran-Thanh et
/// al., AAAI 2012), whose cost of an arm is here a reply and a judging, and judging counts as much
/// as a reply costs on average over the models: where only replies counted, a useless model that
/// costs a hundredth would be asked for ever. Each model is tried once first, in the order given.
/// One that could not be asked rests for 2, 4, 8 … choices. Pure: equal tells give equal choices.
class Ensemble {
 public:
  enum class Unit { Dollars, Tokens };

  /// At least one model.
  Ensemble(std::vector<std::string> models, Unit unit);

  struct Choice {
    std::size_t model = 0;  ///< Its place in the list.
    std::string why;        ///< For people: what each was worth so far.
  };
  /// Counts as chosen at once, so that the next choice looks elsewhere.
  Choice choose();

  /// What became of the oldest choice not yet told. `writer`: name of the model that was asked in
  /// the end; empty: the chosen one. `cost`: in the ensemble's unit.
  void tell(const std::string& writer, double reward, double cost);

  /// The same where the chosen one was asked and gave no usable answer: it rests.
  void tell_unanswered();

  const std::vector<std::string>& models() const { return names_; }
  Unit unit() const { return unit_; }

 private:
  struct Member {
    int told = 0;
    int waiting = 0;  ///< Chosen, not yet told.
    double reward = 0;
    double cost = 0;
    int outages = 0;      ///< In a row.
    int rests_until = 0;  ///< Number of the choice from which on it may be chosen again.
  };

  /// Ends the oldest choice not yet told.
  std::size_t take_choice();
  void rest(Member& member);
  double mean_cost() const;
  double index_of(const Member& member) const;
  std::string account_of(std::size_t i) const;
  std::string cost_text(double cost) const;

  std::vector<std::string> names_;
  Unit unit_;
  std::vector<Member> members_;
  std::vector<std::size_t> waiting_;  ///< Choices not yet told, oldest first.
  int choices_ = 0;
};

}  // namespace kw::search

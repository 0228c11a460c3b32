// Chooses which of several models writes the next source, by what each model's sources were worth
// and cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kw::search {

/// The reward of a written source, from 0 to 1: 0 if it failed or repeated another source; else 0.3
/// for being correct plus 0.7 × log2 of its speedup over its parent, limited to 0–1. The 0.3 is
/// Kevin-32B's (arXiv 2507.11948). `from`: the parent's speedup, if the parent was correct.
double writing_reward(bool is_correct, double speedup, double from);

/// A bandit under costs. The model with the largest
///
///     (mean reward + 0.25 sqrt(2 ln t / n)) / (mean cost of its replies + mean cost of a reply)
///
/// writes next, where n is how often the model was chosen and t the number of all choices. This is
/// fractional KUBE (Tran-Thanh et al., AAAI 2012); the cost of an arm is here a reply and its
/// judging, and judging counts as much as a reply costs on average over the models. If only replies
/// counted, a useless model that costs a hundredth would be asked for ever. Each model is tried
/// once first, in the order given. A model that could not be asked rests for 2, 4, 8 … choices.
/// Pure: equal tells give equal choices.
class Ensemble {
 public:
  enum class Unit { Dollars, Tokens };

  /// Precondition: at least one model.
  Ensemble(std::vector<std::string> models, Unit unit);

  struct Choice {
    std::size_t model = 0;  ///< Index of the model in the list.
    std::string why;        ///< What each model was worth so far, in words for people.
  };
  /// Chooses a model. The choice counts at once, so that the next one prefers other models.
  Choice choose();

  /// Tells what became of the oldest choice not yet told. `writer`: name of the model that was
  /// asked in the end; empty: the chosen model. `cost`: in the ensemble's unit.
  void tell(const std::string& writer, double reward, double cost);

  /// Tells that the oldest choice not yet told gave no usable answer: its model rests.
  void tell_unanswered();

  const std::vector<std::string>& models() const { return names_; }
  Unit unit() const { return unit_; }

 private:
  struct Member {
    int told = 0;
    int waiting = 0;  ///< Choices of this model that were not yet told.
    double reward = 0;
    double cost = 0;
    int outages = 0;      ///< Outages in a row.
    int rests_until = 0;  ///< Number of the first choice at which the model may be chosen again.
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

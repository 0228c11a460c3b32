// Reward-refine, after TritonGym: generate once, then refine the previous kernel; the rewards teach
// which technique to name next. docs/strategies.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/contains.h"
#include "search/authoring.h"
#include "search/methods.h"
#include "search/reward.h"
#include "search/reward_model.h"
#include "search/works.h"

namespace kw::search {
namespace {

// These values, and every use of the reward model except its updates, are our choice.
constexpr double kTriesOther = 0.2;  // share of asks that name a random technique
constexpr std::size_t kPlainFeatures = 5;
constexpr std::size_t kStateFeatures = kPlainFeatures + kResources.size();

class RewardRefine final : public Authoring {
 public:
  RewardRefine(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options),
        rng_(options.seed),
        attempts_(options.rounds),
        cards_(options.techniques.empty() ? technique_cards(options.target, options.work)
                                          : options.techniques),
        policy_(**find_reward_policy("triton_gym")),
        model_(kStateFeatures + 2 * cards_.size()) {}

 protected:
  std::string doing() const override {
    if (!is_done())
      return fmt::format(
          "attempt {} of {}; the reward model has seen {}, mean error {:.2g} (of the mean so far "
          "{:.2g}), of what it expects {:.2g} comes",
          attempt_ + 1, attempts_, model_.updates(), model_.mean_error(), model_.plain_error(),
          model_.slope());
    if (fastest_ns_ > 0)
      return fmt::format("{} attempts; the best takes {:.4g} ms", attempts_, fastest_ns_ / 1e6);
    return fmt::format("{} attempts, and none of them works", attempts_);
  }

  bool is_done() const override { return attempt_ >= attempts_; }
  bool tunes_at_end() const override { return true; }

  std::optional<Ask> next() override {
    if (is_waiting() || is_done()) return std::nullopt;
    if (!previous_)
      return write(Errand::Write, 0, fmt::format("attempt 1 of {}: generate", attempts_));
    return refine(works_.at(*previous_));
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (tell.is_correct() && tell.time_ns > 0 && (fastest_ns_ == 0 || tell.time_ns < fastest_ns_))
      fastest_ns_ = tell.time_ns;
    if (!id) return;
    if (ask.role == Role::Write) ++attempt_;
    if (!may_derive(tell.ask)) return;
    const double reward = policy_.compute(tell);
    if (ask.role == Role::Write && previous_)
      model_.update(features(works_.at(*previous_), action_of(ask)), squashed(reward));
    const bool is_first = !previous_ || works_.at(*previous_).speedup < tell.speedup.value;
    if (ask.role == Role::Write || (tell.is_correct() && is_first)) {
      previous_ = id;
      reward_ = reward;
    }
  }

  void steered() override {
    if (pinned() != 0) previous_ = works_.of(pinned());
    if (previous_ && !may_derive(works_.at(*previous_).ask) &&
        !may_derive(works_.at(*previous_).point))
      previous_ = works_.of(best().ask());
  }

 private:
  static constexpr std::size_t kNoTechnique = static_cast<std::size_t>(-1);

  /// The reward that the model learns: the logarithm of a gain, since rewards of fast kernels grow
  /// without bound.
  static double squashed(double reward) { return reward > 0 ? std::log1p(reward) : reward / 5; }

  std::size_t action_of(const Ask& ask) const {
    const auto card = std::ranges::find(cards_, ask.manner.technique, &TechniqueCard::name);
    return card == cards_.end() ? kNoTechnique : static_cast<std::size_t>(card - cards_.begin());
  }

  /// Features of the previous kernel (the state, with its profile), of the named technique (the
  /// action), and of how much the kernel uses the resource that the technique relieves.
  std::vector<double> features(const Work& state, std::size_t action) const {
    std::vector<double> all(kStateFeatures + 2 * cards_.size(), 0);
    all[0] = 1;
    all[1] = state.is_correct() ? 1 : 0;
    all[2] = state.stage > Stage::Compile ? 1 : 0;
    all[3] = state.is_correct() ? std::log(std::max(1e-3, state.speedup)) : 0;
    all[4] = std::min(3, state.failures);
    const auto& used = state.traits.used;
    for (std::size_t r = 0; r < kResources.size(); ++r)
      all[kPlainFeatures + r] = share_of(used, kResources[r]);
    if (action == kNoTechnique) return all;
    all[kStateFeatures + action] = 1;
    all[kStateFeatures + cards_.size() + action] = share_of(used, cards_[action].resource);
    return all;
  }

  Ask refine(const Work& work) {
    const bool is_by_lot = work.is_correct() && rng_.uniform() < kTriesOther;
    const std::size_t action = work.is_correct() ? choose(work, is_by_lot) : kNoTechnique;
    Ask ask = write(work.is_correct() ? Errand::Improve : Errand::Repair, work.point,
                    fmt::format("attempt {} of {}: refine the previous, {}, reward {:.3g}",
                                attempt_ + 1, attempts_, words_of(work), reward_));
    ask.manner.writer.prompt = "refine_previous";
    if (action == kNoTechnique) return ask;
    ask.manner.technique = cards_[action].name;
    ask.manner.method = cards_[action].what;
    ask.why += fmt::format("; {} {}: {:.2f}", cards_[action].name,
                           is_by_lot ? "by lot, expected" : "promises most",
                           model_.predict(features(work, action)));
    return ask;
  }

  /// The technique with the largest predicted reward, among those that the kernel does not show.
  std::size_t choose(const Work& work, bool is_by_lot) {
    std::vector<std::size_t> open;
    for (std::size_t t = 0; t < cards_.size(); ++t)
      if (!contains(work.techniques, cards_[t].name)) open.push_back(t);
    if (open.empty()) return kNoTechnique;
    if (is_by_lot) return open[static_cast<std::size_t>(rng_.below(open.size()))];
    return *std::ranges::max_element(
        open, {}, [&](std::size_t t) { return model_.predict(features(work, t)); });
  }

  Rng rng_;
  const int attempts_;
  const std::vector<TechniqueCard> cards_;
  const RewardPolicy& policy_;
  RewardModel model_;
  Works works_;
  int attempt_ = 0;
  std::optional<WorkId> previous_;
  double reward_ = 0;
  double fastest_ns_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_reward_refine(std::vector<Idea> ideas,
                                             const StrategyOptions& options) {
  return std::make_unique<RewardRefine>(std::move(ideas), options);
}

}  // namespace kw::search

// Refine: the expert kernels first, then have one written, mended while it fails, tuned when it
// works, and the best improved.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {
namespace {

/// Expert kernels to start from, the last of the list: those are the most advanced.
constexpr std::size_t kMostStarts = 3;

/// One source at a time: each word depends on what became of the one before. Ends by the run's
/// rules alone.
class Refine final : public QueuedStrategy {
 public:
  Refine(std::vector<Idea> ideas, const StrategyOptions& options)
      : ideas_(std::move(ideas)),
        repairs_(options.repairs),
        start_asks_(options.start_asks),
        start_tuning_(std::min(options.start_asks, options.exhaustive_up_to)),
        tuning_(options) {
    const std::size_t most = std::min(kMostStarts, start_asks_);
    for (std::size_t i = ideas_.size(); i-- > 0 && starts_.size() < most;)
      if (ideas_[i].is_expert) starts_.insert(starts_.begin(), static_cast<int>(i));
    begin_anew();
  }

  std::string describe() const override {
    if (next_start_ < starts_.size())
      return fmt::format("expert kernel {} of {}", next_start_ + 1, starts_.size());
    return tuning_.is_active() ? tuning_.describe() : next_.why;
  }

  void steer(const Steering& steering) override {
    if (steering.pinned != steering_.pinned) pinned_after_ = asked();
    steering_ = steering;
    if (is_stopped(steering_.pinned)) steering_.pinned = 0;
    best_.leave_out([this](int ask) { return is_stopped(ask); });
    if (steering_.pinned != 0) next_start_ = starts_.size();
    if (tuning_.is_active() && !may_derive(tuning_.parent())) tuning_.drop();
    if (next_.errand == Errand::Write || next_.errand == Errand::Improve ||
        !may_derive(next_.parent))
      begin_anew();
  }

 protected:
  std::optional<Ask> propose() override {
    auto ask = choose();
    if (ask) lineage_.add(asked() + 1, ask->parent);
    return ask;
  }

  void learn(const Ask& ask, const Tell& tell) override {
    best_.observe(tell);
    if (ask.role == Role::Idea) {
      end_of_start(ask, tell);
    } else if (ask.role == Role::Tune) {
      tuning_.tell(ask, tell);
    } else if (!may_derive(tell.ask)) {
      // A person has meanwhile given up what this was made from.
    } else if (!tell.is_correct()) {
      follow_failure(ask, tell);
      return;
    } else if (!tuning_.is_active()) {
      tuning_.start(tell, best_.speedup());
    }
    begin_anew();
  }

  bool is_exhausted() const override { return false; }

 private:
  std::optional<Ask> choose() {
    if (has_starts()) return start_from(starts_[next_start_++]);
    if (tuning_.is_active()) return tuning_.ask();
    if (is_waiting()) return std::nullopt;
    return next_;
  }

  /// Passes over those that a person has closed.
  bool has_starts() {
    while (next_start_ < starts_.size() && steering_.closed.contains(starts_[next_start_]))
      ++next_start_;
    return next_start_ < starts_.size();
  }

  Ask start_from(int index) const {
    const Idea& idea = ideas_[static_cast<std::size_t>(index)];
    Ask ask;
    ask.idea = index;
    ask.knobs = idea.space.first();
    ask.why = fmt::format("start from what experts made, {} of {}: {}", next_start_, starts_.size(),
                          idea.name);
    return ask;
  }

  /// The fastest of them has its knobs tuned, as far as the start's share allows.
  void end_of_start(const Ask& ask, const Tell& tell) {
    if (tell.is_correct() && tell.speedup.value > fastest_start_.speedup.value) {
      fastest_start_ = tell;
      fastest_start_.idea = ask.idea;
      fastest_start_.written = ideas_[static_cast<std::size_t>(ask.idea)];
    }
    if (has_starts() || is_waiting() || tuning_.is_active()) return;
    const std::size_t left = start_asks_ - std::min(start_asks_, starts_.size());
    if (may_derive(fastest_start_.ask))
      tuning_.start(fastest_start_, best_.speedup(), std::min(left, start_tuning_));
  }

  bool is_stopped(int ask) const {
    return std::ranges::any_of(steering_.stopped,
                               [&](int root) { return lineage_.is_below(ask, root); });
  }

  /// Whether a person lets anything be made from this ask: all that was asked since a pin was set
  /// comes from what it names.
  bool may_derive(int ask) const {
    const int pinned = steering_.pinned;
    return !is_stopped(ask) && (pinned == 0 || ask == pinned || ask > pinned_after_);
  }

  void plan(Errand errand, int parent, std::string why) {
    next_ = {};
    next_.idea = kUnwritten;
    next_.role = Role::Write;
    next_.errand = errand;
    next_.parent = parent;
    next_.why = std::move(why);
  }

  void begin_anew() {
    failures_ = 0;
    last_failure_.reset();
    if (const int pinned = steering_.pinned; pinned != 0 && !is_stopped(pinned))
      plan(Errand::Improve, pinned,
           fmt::format("improve attempt {}, which a person has pinned", pinned));
    else if (best_.ask() != 0)
      plan(Errand::Improve, best_.ask(), fmt::format("improve the best, attempt {}", best_.ask()));
    else
      plan(Errand::Write, 0, "a first kernel");
  }

  void follow_failure(const Ask& ask, const Tell& tell) {
    if (++failures_ > repairs_) {
      begin_anew();
      next_.why += fmt::format("; {} repairs did not help", repairs_);
      return;
    }
    // A new approach has its first failure mended, whatever its class.
    const bool is_loop = ask.errand != Errand::Rethink && last_failure_ == tell.outcome;
    last_failure_ = tell.outcome;
    if (is_loop)
      plan(Errand::Rethink, tell.ask,
           fmt::format("another approach: {} twice in a row", name_of(tell.outcome)));
    else
      plan(Errand::Repair, tell.ask,
           fmt::format("mend attempt {}: {} (repair {} of {})", tell.ask, name_of(tell.outcome),
                       failures_, repairs_));
  }

  const std::vector<Idea> ideas_;
  const int repairs_;
  const std::size_t start_asks_;    // for starts_ and the tuning of the fastest of them
  const std::size_t start_tuning_;  // bound on the latter
  std::vector<int> starts_;
  std::size_t next_start_ = 0;
  Tell fastest_start_;
  WrittenTuning tuning_;
  BestAsk best_;
  Lineage lineage_;
  Steering steering_;
  int pinned_after_ = 0;  // asks made before the pin
  Ask next_;
  int failures_ = 0;  // of sources since the last correct or new one
  std::optional<Outcome> last_failure_;
};

}  // namespace

std::unique_ptr<Strategy> make_refine(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Refine>(std::move(ideas), options);
}

}  // namespace kw::search

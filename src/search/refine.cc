// Refine: the expert kernels first, then have one written, mended while it fails, tuned when it
// works, and the best improved.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/expert_start.h"
#include "search/methods.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {
namespace {

/// One source at a time: each word depends on what became of the one before. Ends by the run's
/// rules alone.
class Refine final : public QueuedStrategy {
 public:
  Refine(std::vector<Idea> ideas, const StrategyOptions& options)
      : repairs_(options.repairs), start_(std::move(ideas), options), tuning_(options) {
    begin_anew();
  }

  std::string describe() const override {
    if (std::string start = start_.describe(); !start.empty()) return start;
    return tuning_.is_active() ? tuning_.describe() : next_.why;
  }

  void steer(const Steering& steering) override {
    if (steering.pinned != steering_.pinned) pinned_after_ = asked();
    steering_ = steering;
    if (is_stopped(steering_.pinned)) steering_.pinned = 0;
    best_.leave_out([this](int ask) { return is_stopped(ask); });
    if (steering_.pinned != 0) start_.give_up();
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
    if (start_.has_next(steering_.closed)) return start_.next();
    if (tuning_.is_active()) return tuning_.ask();
    if (is_waiting()) return std::nullopt;
    return next_;
  }

  void end_of_start(const Ask& ask, const Tell& tell) {
    start_.observe(ask, tell);
    if (start_.has_next(steering_.closed) || is_waiting() || tuning_.is_active()) return;
    if (may_derive(start_.fastest().ask)) start_.tune_fastest(tuning_, best_.speedup());
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

  const int repairs_;
  ExpertStart start_;
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

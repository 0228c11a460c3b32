// Refine: have a kernel written, mended while it fails, tuned when it works, and the best improved.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {
namespace {

/// One source at a time: each word depends on what became of the one before. Ends by the run's
/// rules alone.
class Refine final : public QueuedStrategy {
 public:
  explicit Refine(const StrategyOptions& options) : repairs_(options.repairs), tuning_(options) {
    begin_anew();
  }

  std::string describe() const override {
    return tuning_.is_active() ? tuning_.describe() : next_.why;
  }

 protected:
  std::optional<Ask> propose() override {
    if (tuning_.is_active()) return tuning_.ask();
    if (is_waiting()) return std::nullopt;
    return next_;
  }

  void learn(const Ask& ask, const Tell& tell) override {
    best_.observe(tell);
    if (ask.role == Role::Tune) {
      tuning_.tell(ask, tell);
    } else if (!tell.is_correct()) {
      follow_failure(ask, tell);
      return;
    } else {
      tuning_.start(tell, best_.speedup());
    }
    begin_anew();
  }

  bool is_exhausted() const override { return false; }

 private:
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
    if (best_.ask() != 0)
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
  WrittenTuning tuning_;
  BestAsk best_;
  Ask next_;
  int failures_ = 0;  // of sources since the last correct or new one
  std::optional<Outcome> last_failure_;
};

}  // namespace

std::unique_ptr<Strategy> make_refine(std::vector<Idea>, const StrategyOptions& options) {
  return std::make_unique<Refine>(options);
}

}  // namespace kw::search

// Best of n: n kernels written from the task alone, the best of them tuned.
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {
namespace {

class BestOfN final : public QueuedStrategy {
 public:
  explicit BestOfN(const StrategyOptions& options) : writes_(options.writes), tuning_(options) {}

  std::string describe() const override {
    if (finished()) return fmt::format("{} kernels written, the best tuned", writes_);
    return tuning_.is_active() ? tuning_.describe()
                               : fmt::format("kernel {} of {}", asked_for_, writes_);
  }

 protected:
  std::optional<Ask> propose() override {
    if (tuning_.is_active()) return tuning_.ask();
    if (asked_for_ == writes_) return std::nullopt;
    Ask ask;
    ask.idea = kUnwritten;
    ask.role = Role::Write;
    ask.why = fmt::format("kernel {} of {}", ++asked_for_, writes_);
    return ask;
  }

  void learn(const Ask& ask, const Tell& tell) override {
    if (ask.role == Role::Tune) {
      tuning_.tell(ask, tell);
      return;
    }
    if (tell.is_correct() && tell.speedup.value > fastest_.speedup.value) fastest_ = tell;
    if (++told_ == writes_) tuning_.start(fastest_, fastest_.speedup.value);
  }

  bool is_exhausted() const override { return told_ == writes_ && !tuning_.is_active(); }

 private:
  const int writes_;
  WrittenTuning tuning_;
  int asked_for_ = 0;
  int told_ = 0;
  Tell fastest_;
};

}  // namespace

std::unique_ptr<Strategy> make_best_of_n(std::vector<Idea>, const StrategyOptions& options) {
  return std::make_unique<BestOfN>(options);
}

}  // namespace kw::search

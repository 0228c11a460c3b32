// Best of n: the expert kernels first, then n kernels written from the task alone; the best of
// these is tuned.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "search/expert_start.h"
#include "search/methods.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {
namespace {

class BestOfN final : public QueuedStrategy {
 public:
  BestOfN(std::vector<Idea> ideas, const StrategyOptions& options)
      : writes_(options.writes), start_(std::move(ideas), options), tuning_(options) {}

  std::string describe() const override {
    if (finished()) return fmt::format("{} kernels written, the best tuned", writes_);
    if (std::string start = start_.describe(); !start.empty()) return start;
    return tuning_.is_active() ? tuning_.describe()
                               : fmt::format("kernel {} of {}", asked_for_, writes_);
  }

  void steer(const Steering& steering) override { closed_ = steering.closed; }

 protected:
  std::optional<Ask> propose() override {
    if (auto again = take_unanswered()) return again;
    if (start_.has_next(closed_)) {
      ++starting_;
      return start_.next();
    }
    if (tuning_.is_active()) return tuning_.ask();
    if (starting_ > 0 || asked_for_ == writes_) return std::nullopt;
    Ask ask;
    ask.idea = kUnwritten;
    ask.role = Role::Write;
    ask.why = fmt::format("kernel {} of {}", ++asked_for_, writes_);
    return ask;
  }

  void learn(const Ask& ask, const Tell& tell) override {
    if (tell.is_correct()) best_ = std::max(best_, tell.merit);
    if (ask.role == Role::Tune) {
      tuning_.tell(ask, tell);
    } else if (ask.role == Role::Idea) {
      start_.observe(ask, tell);
      if (--starting_ == 0 && !start_.has_next(closed_)) start_.tune_fastest(tuning_, best_);
    } else {
      if (tell.is_correct() && tell.merit > fastest_.merit) fastest_ = tell;
      if (++told_ == writes_) tuning_.start(fastest_, best_);
    }
  }

  bool is_exhausted() const override { return told_ == writes_ && !tuning_.is_active(); }

 private:
  const int writes_;
  ExpertStart start_;
  WrittenTuning tuning_;
  std::set<int> closed_;  // ideas that a person has closed
  int starting_ = 0;      // expert kernels in flight
  int asked_for_ = 0;
  int told_ = 0;
  double best_ = 0;  // largest merit so far
  Tell fastest_;     // the fastest written source
};

}  // namespace

std::unique_ptr<Strategy> make_best_of_n(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<BestOfN>(std::move(ideas), options);
}

}  // namespace kw::search

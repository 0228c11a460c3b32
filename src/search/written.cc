// Tunes sources that were written during a run.
// SPDX-License-Identifier: Apache-2.0
#include "search/written.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"

namespace kw::search {

bool WrittenTuning::start(const Tell& tell, double best, std::size_t most) {
  KW_ASSERT(!tuner_);
  if (!tell.is_correct() || !tell.written || tell.merit <= 0 || most == 0) return false;
  if (tell.written->space.size() <= 1 || tell.merit * gain_ < best) return false;
  if (!tuned_.insert(tell.idea).second) return false;
  const Idea& idea = ideas_.insert_or_assign(tell.idea, *tell.written).first->second;
  tuning_ = tell.idea;
  parent_ = tell.ask;
  most_ = most;
  asked_ = told_ = 0;
  start_merit_ = tell.merit;
  const TuningJob job{tell.idea,   tell.ask,
                      &idea.space, idea.space.first(),
                      tell.merit,  options_.seed.child(static_cast<std::size_t>(tell.idea))};
  StrategyOptions options = options_;
  options.tuning_points = std::min(options.tuning_points, most);
  tuner_ = options.tuner != nullptr ? options.tuner->make(job, options) : make_auto(job, options);
  end_when_done();
  return is_active();
}

std::optional<Ask> WrittenTuning::ask() {
  if (asked_ == most_) return std::nullopt;
  auto ask = tuner_->ask();
  if (ask) ++asked_;
  return ask;
}

void WrittenTuning::tell(const Ask& ask, const Tell& tell) {
  // A tell about another source belongs to a tuner that was given up, since no source is tuned
  // twice.
  if (!tuner_ || ask.idea != tuning_) return;
  // A low-fidelity result rests on few samples and does not count as a gain.
  if (tell.is_correct() && ask.fidelity == 1) gain_ = std::max(gain_, tell.merit / start_merit_);
  ++told_;
  tuner_->tell(tell);
  end_when_done();
}

std::string WrittenTuning::describe() const {
  return fmt::format("tuning {}: {}", ideas_.at(tuning_).name, tuner_->describe());
}

void WrittenTuning::end_when_done() {
  if (tuner_->finished() || told_ == most_) tuner_.reset();
}

void Lineage::add(int ask, int parent) {
  KW_ASSERT(ask == static_cast<int>(parents_.size()) + 1 && parent < ask);
  parents_.push_back(parent);
}

bool Lineage::is_below(int ask, int root) const {
  while (ask > root) ask = parents_.at(static_cast<std::size_t>(ask - 1));
  return ask == root;
}

void BestAsk::observe(const Tell& tell) {
  if (!tell.is_correct()) return;
  all_.push_back(
      {tell.ask, tell.speedup.value, tell.merit, tell.outcome_class == OutcomeClass::NewBest});
  consider(all_.back());
}

void BestAsk::leave_out(std::function<bool(int)> is_out) {
  is_out_ = std::move(is_out);
  best_ = {};
  leaves_out_ = std::ranges::any_of(all_, [&](const Correct& c) { return is_out_(c.ask); });
  for (const Correct& correct : all_) consider(correct);
}

void BestAsk::consider(const Correct& correct) {
  if (is_out_ && is_out_(correct.ask)) {
    leaves_out_ = true;
    return;
  }
  const bool is_faster = correct.speedup > best_.speedup;
  const bool is_better =
      leaves_out_ ? is_faster : correct.is_new_best || (is_faster && !best_.is_new_best);
  if (is_better) best_ = correct;
}

}  // namespace kw::search

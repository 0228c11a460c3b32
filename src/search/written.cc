// Tuning of written sources.
// SPDX-License-Identifier: Apache-2.0
#include "search/written.h"

#include <algorithm>

#include <fmt/format.h>

#include "search/methods.h"

namespace kw::search {

bool WrittenTuning::start(const Tell& tell, double best) {
  KW_ASSERT(!tuner_);
  if (!tell.is_correct() || !tell.written || tell.speedup.value <= 0) return false;
  if (tell.written->space.size() <= 1 || tell.speedup.value * gain_ < best) return false;
  if (!tuned_.insert(tell.idea).second) return false;
  const Idea& idea = ideas_.insert_or_assign(tell.idea, *tell.written).first->second;
  tuning_ = tell.idea;
  start_speedup_ = tell.speedup.value;
  const TuningJob job{tell.idea,          tell.ask,
                      &idea.space,        idea.space.first(),
                      tell.speedup.value, options_.seed.child(static_cast<std::size_t>(tell.idea))};
  tuner_ =
      options_.tuner != nullptr ? options_.tuner->make(job, options_) : make_auto(job, options_);
  end_when_done();
  return is_active();
}

void WrittenTuning::tell(const Ask& ask, const Tell& tell) {
  KW_ASSERT(tuner_);
  // What few samples say at low fidelity does not move the mark.
  if (tell.is_correct() && ask.fidelity == 1)
    gain_ = std::max(gain_, tell.speedup.value / start_speedup_);
  tuner_->tell(tell);
  end_when_done();
}

std::string WrittenTuning::describe() const {
  return fmt::format("tuning {}: {}", ideas_.at(tuning_).name, tuner_->describe());
}

void WrittenTuning::end_when_done() {
  if (tuner_->finished()) tuner_.reset();
}

void BestAsk::observe(const Tell& tell) {
  if (!tell.is_correct()) return;
  const bool is_new_best = tell.outcome_class == OutcomeClass::NewBest;
  if (!is_new_best && (is_new_best_ || tell.speedup.value <= speedup_)) return;
  is_new_best_ = is_new_best_ || is_new_best;
  ask_ = tell.ask;
  speedup_ = tell.speedup.value;
}

}  // namespace kw::search

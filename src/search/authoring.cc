// Tries experts first, then asks for sources, and tunes each source before the next is asked for.
// SPDX-License-Identifier: Apache-2.0
#include "search/authoring.h"

#include <algorithm>
#include <utility>

namespace kw::search {

Authoring::Authoring(std::vector<Idea> ideas, const StrategyOptions& options)
    : start_(std::move(ideas), options), tuning_(options) {}

std::string Authoring::describe() const {
  if (std::string start = start_.describe(); !start.empty()) return start;
  return tuning_.is_active() ? tuning_.describe() : doing();
}

void Authoring::steer(const Steering& steering) {
  if (steering.pinned != steering_.pinned) pinned_after_ = asked();
  steering_ = steering;
  if (is_stopped(steering_.pinned)) steering_.pinned = 0;
  best_.leave_out([this](int ask) { return is_stopped(ask); });
  if (steering_.pinned != 0) start_.give_up();
  if (tuning_.is_active() && !may_derive(tuning_.parent())) tuning_.drop();
  steered();
}

Ask Authoring::write(Errand errand, int parent, std::string why) {
  Ask ask;
  ask.idea = kUnwritten;
  ask.role = Role::Write;
  ask.errand = errand;
  ask.parent = parent;
  ask.why = std::move(why);
  return ask;
}

bool Authoring::is_stopped(int ask) const {
  return std::ranges::any_of(steering_.stopped,
                             [&](int root) { return lineage_.is_below(ask, root); });
}

bool Authoring::may_derive(int ask) const {
  const int pinned = steering_.pinned;
  return !is_stopped(ask) && (pinned == 0 || ask == pinned || ask > pinned_after_);
}

std::optional<Ask> Authoring::propose() {
  auto ask = choose_again();
  if (!ask) ask = choose();
  if (ask) lineage_.add(asked() + 1, ask->parent);
  return ask;
}

std::optional<Ask> Authoring::choose_again() {
  while (auto ask = take_unanswered())
    if (ask->parent == 0 ? pinned() == 0 : may_derive(ask->parent)) return ask;
  return std::nullopt;
}

std::optional<Ask> Authoring::choose() {
  if (start_.has_next(steering_.closed)) {
    ++starting_;
    return start_.next();
  }
  if (tuning_.is_active()) return tuning_.ask();
  if (starting_ > 0) return std::nullopt;
  return next();
}

void Authoring::end_of_start(const Ask& ask, const Tell& tell) {
  --starting_;
  start_.observe(ask, tell);
  if (start_.has_next(steering_.closed) || starting_ > 0 || tuning_.is_active()) return;
  if (may_derive(start_.fastest().ask)) start_.tune_fastest(tuning_, best_.merit());
}

void Authoring::learn(const Ask& ask, const Tell& tell) {
  best_.observe(tell);
  if (ask.role == Role::Idea)
    end_of_start(ask, tell);
  else if (ask.role == Role::Tune)
    tuning_.tell(ask, tell);
  else
    tune_written(tell);
  judged(ask, tell);
  // start() tunes each source only once, so a second call does nothing.
  if (tunes_at_end() && is_done() && !is_waiting() && !tuning_.is_active() &&
      may_derive(best_written_.ask))
    tuning_.start(best_written_, best_.merit());
}

void Authoring::tune_written(const Tell& tell) {
  if (!tell.is_correct() || !may_derive(tell.ask)) return;
  if (tell.merit > best_written_.merit) best_written_ = tell;
  if (!tunes_at_end() && !tuning_.is_active()) tuning_.start(tell, best_.merit());
}

bool Authoring::is_exhausted() const { return starting_ == 0 && !tuning_.is_active() && is_done(); }

}  // namespace kw::search

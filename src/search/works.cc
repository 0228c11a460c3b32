// Builds the tree of sources from asks and tells.
// SPDX-License-Identifier: Apache-2.0
#include "search/works.h"

#include <fmt/format.h>

namespace kw::search {

std::optional<WorkId> Works::of(int ask) const {
  const auto place = static_cast<std::size_t>(ask - 1);
  return ask > 0 && place < by_ask_.size() ? by_ask_[place] : std::nullopt;
}

std::optional<WorkId> Works::observe(const Ask& ask, const Tell& tell) {
  by_ask_.resize(static_cast<std::size_t>(tell.ask));
  const auto parent = of(ask.parent);
  if (ask.role == Role::Tune) {
    by_ask_.back() = parent;
    if (!parent || !tell.is_correct() || ask.fidelity < 1) return std::nullopt;
    Work& work = all_[*parent];
    if (tell.merit <= work.merit) return std::nullopt;
    work.point = tell.ask;
    work.merit = tell.merit;
    work.speedup = tell.speedup.value;
    work.time_ns = tell.time_ns;
    return std::nullopt;
  }
  const WorkId id = all_.size();
  by_ask_.back() = id;
  Work work;
  work.ask = work.point = tell.ask;
  work.parent = parent;
  work.outcome = tell.outcome;
  work.stage = tell.stage;
  if (tell.is_correct()) {
    work.merit = tell.merit;
    work.speedup = work.first_speedup = tell.speedup.value;
    work.time_ns = tell.time_ns;
  } else {
    work.failures = 1 + (parent ? all_[*parent].failures : 0);
  }
  work.technique = ask.manner.technique;
  if (tell.written) work.techniques = tell.written->techniques;
  work.traits = tell.traits;
  all_.push_back(std::move(work));
  if (parent) all_[*parent].children.push_back(id);
  return id;
}

void Ranking::set(WorkId id, double merit, bool is_in) {
  if (id >= keys_.size()) keys_.resize(id + 1, 0);
  if (keys_[id] != 0) all_.erase({keys_[id], id});
  keys_[id] = is_in ? -merit : 0;
  if (keys_[id] != 0) all_.emplace(keys_[id], id);
}

std::optional<WorkId> Ranking::first() const {
  return all_.empty() ? std::nullopt : std::optional(all_.begin()->second);
}

std::vector<WorkId> Ranking::leaders(std::size_t count, WorkId but) const {
  std::vector<WorkId> leaders;
  for (auto at = all_.begin(); at != all_.end() && leaders.size() < count; ++at)
    if (at->second != but) leaders.push_back(at->second);
  return leaders;
}

std::string words_of(const Work& work) {
  if (!work.is_correct()) return fmt::format("attempt {} ({})", work.point, name_of(work.outcome));
  return fmt::format("attempt {} ({:.3g}x)", work.point, work.speedup);
}

}  // namespace kw::search

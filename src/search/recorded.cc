// The landscape of a recorded run, and the simulated writer that replays the run's replies.
// SPDX-License-Identifier: Apache-2.0
#include "search/recorded.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/contains.h"
#include "record/target.h"

namespace kw::search {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

LandscapePoint point_of(const Tell& tell) {
  return {tell.outcome, tell.is_correct() ? tell.speedup.value : 0};
}

/// The values of each knob that occur in the steps. The values of the first step come first, so
/// that an idea begins where the run began.
std::vector<KnobAxis> knobs_of(const std::vector<RecordedStep>& steps,
                               const std::vector<std::size_t>& of_source) {
  std::vector<KnobAxis> knobs;
  for (const auto& [name, first] : steps[of_source.front()].knobs) {
    std::set<std::int64_t> others;
    for (const std::size_t i : of_source) others.insert(steps[i].knobs.at(name));
    others.erase(first);
    KnobAxis knob{name, {first}};
    knob.values.insert(knob.values.end(), others.begin(), others.end());
    knobs.push_back(std::move(knob));
  }
  return knobs;
}

/// The card of this name from technique_cards(); if there is none, a card without a known resource.
TechniqueCard card_of(const std::string& name) {
  for (const Target target : all_targets())
    for (const std::string_view work : EnumNames<WorkClass>::names)
      for (TechniqueCard& card : technique_cards(target, *enum_from<WorkClass>(work)))
        if (card.name == name) return std::move(card);
  return {name, "apply " + name, ""};
}

bool has_knobs_of(const RecordedStep& step, const RecordedStep& first) {
  return std::ranges::equal(step.knobs, first.knobs,
                            [](const auto& a, const auto& b) { return a.first == b.first; });
}

}  // namespace

bool RecordedLandscape::is_searchable(const std::vector<RecordedStep>& steps) {
  return std::ranges::any_of(steps, [](const RecordedStep& step) {
    return !step.source.empty() && point_of(step.tell).speedup > 0;
  });
}

RecordedLandscape::RecordedLandscape(std::vector<RecordedStep> steps) : steps_(std::move(steps)) {
  KW_ASSERT(is_searchable(steps_));
  std::vector<std::vector<std::size_t>> sources;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const RecordedStep& step = steps_[i];
    if (step.source.empty()) continue;
    const auto [at, is_new] = known.emplace(step.source, sources.size());
    if (is_new) sources.emplace_back();
    auto& of_source = sources[at->second];
    if (is_new || has_knobs_of(step, steps_[of_source.front()])) of_source.push_back(i);
  }
  std::ranges::stable_sort(sources, {}, [&](const auto& of_source) {
    const RecordedStep& first = steps_[of_source.front()];
    return std::pair(first.place == kUnwritten, first.place);
  });
  for (const auto& of_source : sources) add_idea(of_source);
}

void RecordedLandscape::add_idea(const std::vector<std::size_t>& of_source) {
  const RecordedStep& first = steps_[of_source.front()];
  Points points;
  for (const std::size_t i : of_source) {
    points[steps_[i].knobs].emplace(steps_[i].fidelity, i);
    best_ = std::max(best_, point_of(steps_[i].tell).speedup);
  }
  std::set<KnobPoint> evaluated;
  for (const auto& [point, by_fidelity] : points) evaluated.insert(point);
  places_[first.source] = static_cast<int>(ideas_.size());
  ideas_.push_back({first.name,
                    KnobSpace(knobs_of(steps_, of_source),
                              [evaluated = std::move(evaluated)](const KnobPoint& point) {
                                return evaluated.contains(point);
                              }),
                    first.techniques, first.is_expert});
  points_.push_back(std::move(points));
}

std::optional<std::size_t> RecordedLandscape::step_at(int idea, const KnobPoint& knobs,
                                                      double fidelity) const {
  if (idea < 0 || static_cast<std::size_t>(idea) >= points_.size()) return std::nullopt;
  const Points& points = points_[static_cast<std::size_t>(idea)];
  const auto found = points.find(knobs);
  if (found == points.end()) return std::nullopt;
  const auto nearest = std::ranges::min_element(found->second, {}, [fidelity](const auto& entry) {
    return std::abs(entry.first - fidelity);
  });
  return nearest->second;
}

LandscapePoint RecordedLandscape::measure(int idea, const KnobPoint& knobs, double fidelity,
                                          std::uint64_t) const {
  const auto step = step_at(idea, knobs, fidelity);
  return step ? point_of(steps_[*step].tell) : LandscapePoint{Outcome::NoCandidate, 0};
}

LandscapePoint RecordedLandscape::truth(int idea, const KnobPoint& knobs) const {
  return measure(idea, knobs, 1, 0);
}

int RecordedLandscape::idea_of(const RecordedStep& step) const {
  const auto found = places_.find(step.source);
  return found == places_.end() ? kUnwritten : found->second;
}

std::vector<TechniqueCard> RecordedLandscape::cards() const {
  std::set<std::string> names;
  for (const RecordedStep& step : steps_)
    names.insert(step.techniques.begin(), step.techniques.end());
  std::vector<TechniqueCard> cards;
  for (const std::string& name : names) cards.push_back(card_of(name));
  return cards;
}

namespace {

/// Kinds of request to a writer: a first kernel, a repair, or an improvement.
enum class Request { First, Mend, Gain };

class RecordedWriter {
 public:
  RecordedWriter(const RecordedLandscape& landscape, const RewardPolicy& policy, std::uint64_t seed)
      : landscape_(landscape), policy_(policy), seed_(Seed::from_number(seed).child("record")) {
    for (std::size_t i = 0; i < steps().size(); ++i) {
      by_attempt_[steps()[i].attempt] = i;
      if (is_reply(i)) replies_.push_back(i);
    }
  }

  Answer answer(const Ask& ask, std::vector<Recorded>& answers) {
    const std::size_t step = ask.role == Role::Write ? reply_to(ask) : evaluated(ask);
    made_[ask.id] = step;
    answers.push_back(how_);
    return judge(ask, step);
  }

 private:
  const std::vector<RecordedStep>& steps() const { return landscape_.steps(); }

  /// Whether the step can answer a request to write: it is a writer's reply, or the first use of a
  /// given source.
  bool is_reply(std::size_t i) {
    const RecordedStep& step = steps()[i];
    const bool is_first = !step.source.empty() && sources_.insert(step.source).second;
    return step.role == Role::Write || (step.role == Role::Idea && is_first);
  }

  std::size_t evaluated(const Ask& ask) {
    const auto found = landscape_.step_at(ask.idea, ask.knobs, ask.fidelity);
    how_ = found ? Recorded::Same : Recorded::None;
    return found.value_or(kNone);
  }

  std::size_t parent_of(const RecordedStep& step) const {
    const auto found = by_attempt_.find(step.parent);
    return found == by_attempt_.end() ? kNone : found->second;
  }

  Request request_of(const RecordedStep& step) const {
    const std::size_t parent = parent_of(step);
    if (parent == kNone) return Request::First;
    return steps()[parent].tell.is_correct() ? Request::Gain : Request::Mend;
  }

  static Request request_of(const Ask& ask) {
    if (ask.errand == Errand::Write) return Request::First;
    return ask.errand == Errand::Improve ? Request::Gain : Request::Mend;
  }

  static bool shows_what_is_named(const RecordedStep& step, const Ask& ask) {
    const auto shows = [&](const std::string& name) { return contains(step.techniques, name); };
    if (ask.manner.takes_all) return std::ranges::all_of(ask.manner.menu, shows, &MenuItem::name);
    return ask.manner.technique.empty() || shows(ask.manner.technique);
  }

  bool has_parent(const RecordedStep& step, const Ask& ask) const {
    const std::size_t theirs = parent_of(step);
    const auto found = made_.find(ask.parent);
    const std::size_t ours = found == made_.end() ? kNone : found->second;
    if (theirs == kNone || ours == kNone)
      return theirs == ours && request_of(ask) == Request::First;
    return steps()[theirs].source == steps()[ours].source &&
           (theirs == ours || !steps()[ours].source.empty());
  }

  std::size_t reply_to(const Ask& ask) {
    std::vector<std::size_t> same, alike;
    for (const std::size_t i : replies_) {
      if (given_.contains(i) || request_of(steps()[i]) != request_of(ask) ||
          !shows_what_is_named(steps()[i], ask))
        continue;
      (has_parent(steps()[i], ask) ? same : alike).push_back(i);
    }
    how_ = !same.empty() ? Recorded::Same : !alike.empty() ? Recorded::Alike : Recorded::None;
    if (how_ == Recorded::None) return kNone;
    const auto& pool = same.empty() ? alike : same;
    Rng rng(seed_.child(static_cast<std::uint64_t>(ask.id)));
    const std::size_t chosen = pool[static_cast<std::size_t>(rng.below(pool.size()))];
    given_.insert(chosen);
    return chosen;
  }

  Answer judge(const Ask& ask, std::size_t step) {
    Answer answer;
    Tell& tell = answer.tell;  // a default tell means that there was no candidate, at stage propose
    if (step == kNone) {
      grant(policy_, tell);
      return answer;
    }
    tell = steps()[step].tell;
    tell.outcome_class = OutcomeClass::Failed;
    tell.idea = kUnwritten;
    if (ask.role == Role::Write) {
      tell.idea = landscape_.idea_of(steps()[step]);
      if (tell.idea != kUnwritten)
        tell.written = landscape_.ideas()[static_cast<std::size_t>(tell.idea)];
    }
    if (ask.manner.counsel.empty()) tell.chosen.clear();
    tell.traits.is_repeated =
        tell.idea != kUnwritten && !judged_.emplace(tell.idea, steps()[step].knobs).second;
    grant(policy_, tell);
    answer.truth = point_of(tell).speedup;
    return answer;
  }

  const RecordedLandscape& landscape_;
  const RewardPolicy& policy_;
  const Seed seed_;
  std::map<int, std::size_t> by_attempt_;
  std::set<std::string> sources_;
  std::vector<std::size_t> replies_;
  std::set<std::size_t> given_;
  std::map<int, std::size_t> made_;  // by ask: the step that answered it, or kNone
  std::set<std::pair<int, KnobPoint>> judged_;
  Recorded how_ = Recorded::None;  // how the last ask was answered
};

}  // namespace

RecordedPlay play(Strategy& strategy, const RecordedLandscape& landscape,
                  const PlayOptions& options, const RewardPolicy& policy, std::uint64_t seed) {
  RecordedPlay result;
  RecordedWriter writer(landscape, policy, seed);
  result.play =
      play(strategy, [&](const Ask& ask) { return writer.answer(ask, result.answers); }, options);
  return result;
}

}  // namespace kw::search

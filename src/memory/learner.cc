// Records what a run's attempts show, and applies the rules that make lessons of them.
// SPDX-License-Identifier: Apache-2.0
#include "memory/learner.h"

#include <algorithm>

#include "base/text.h"
#include "memory/experience.h"
#include "memory/knowledge.h"
#include "memory/statements.h"

namespace kw::memory {
namespace {

// more sources than this are not remembered for the run's summary
constexpr std::size_t kMostTried = 4096;
constexpr std::size_t kLabelBytes = 80;
constexpr std::size_t kPlanBytes = 240;

std::string label_of(const Attempt& attempt, const std::vector<std::string>& techniques) {
  std::string label = join(techniques, ", ");
  std::replace(label.begin(), label.end(), '_', ' ');
  if (label.empty()) label = attempt.candidate.name;
  if (label.empty()) label = "attempt " + std::to_string(attempt.number);
  return sanitise(label, kLabelBytes);
}

bool is_confirmed(const std::optional<Evaluation>& confirmation) {
  return confirmation && confirmation->speedup.is_faster;
}

}  // namespace

Learner::Learner(LessonScope scope, LessonSnapshot begun)
    : scope_(std::move(scope)), known_(std::move(begun)) {
  known_.sources.resize(known_.lessons.size());
  for (std::size_t i = 0; i < known_.lessons.size(); ++i) keys_[known_.lessons[i].key] = i;
}

void Learner::take(const Lesson& news) {
  if (const auto known = keys_.find(news.key); known != keys_.end()) {
    Lesson& lesson = known_.lessons[known->second];
    lesson = merged(std::move(lesson), news);
    return;
  }
  keys_[news.key] = known_.lessons.size();
  known_.lessons.push_back(news);
  known_.sources.emplace_back();
}

const TriedSource* Learner::made_from(const TriedSource& tried) const {
  const TriedSource* from = by_number(tried.parent);
  // An attempt's parent has a smaller number than the attempt, so the loop ends.
  while (from != nullptr && from->outcome != Outcome::Correct && from->parent < from->number)
    from = by_number(from->parent);
  return from != nullptr && from->outcome == Outcome::Correct ? from : nullptr;
}

void Learner::take(const Attempt& attempt, const TriedSource& tried, const std::string& at) {
  news_ = experience_of(attempt, tried, made_from(tried), scope_);
  for (Experience& one : news_) {
    Experience own = one;
    own.at = known_.at;  // not the attempt's time: a resumed run must build the same prompts
    known_.experience.push_back(std::move(own));
    one.at = at;
  }
}

std::optional<std::size_t> Learner::find(const Attempt& attempt) const {
  if (attempt.recalled != 0) {
    const auto known = numbers_.find(attempt.recalled);
    return known == numbers_.end() ? std::nullopt : std::optional(known->second);
  }
  const auto known = sources_.find(attempt.candidate.sha256);
  return known == sources_.end() ? std::nullopt : std::optional(known->second);
}

const TriedSource* Learner::by_number(int number) const {
  const auto found = numbers_.find(number);
  return found == numbers_.end() ? nullptr : &tried_[found->second];
}

void Learner::remember(const Attempt& attempt) {
  const TriedSource* parent = by_number(attempt.parent);
  TriedSource tried;
  tried.number = attempt.number;
  tried.parent = attempt.parent;
  tried.facts = facts_of(
      attempt, parent == nullptr ? std::vector<std::string>() : parent->techniques, *scope_.task);
  tried.techniques = techniques_shown(attempt);
  tried.label = label_of(attempt, tried.facts.techniques);
  tried.plan = first_sentence(attempt.plan, kPlanBytes);
  tried.outcome = attempt.evaluation.verdict.outcome;
  tried.bound = bound_of(attempt.evaluation);
  if (!attempt.candidate.sha256.empty()) sources_[attempt.candidate.sha256] = tried_.size();
  tried_.push_back(std::move(tried));
}

std::vector<Lesson> Learner::observe(const Attempt& attempt, bool is_written,
                                     const std::string& at) {
  news_.clear();
  if (attempt.evaluation.verdict.is_unanswered()) return {};
  const auto known = find(attempt);
  if (!known && (attempt.recalled != 0 || tried_.size() >= kMostTried)) return {};
  const std::size_t place = known.value_or(tried_.size());
  if (!known) remember(attempt);
  // An attempt that has the same source as an earlier one (another setting of its knobs, or a
  // recalled attempt) is represented by the earlier one when later attempts are made from it.
  numbers_[attempt.number] = place;
  if (attempt.recalled != 0) return {};
  TriedSource& tried = tried_[place];
  tried.speedup = std::max(tried.speedup, attempt.against_baseline.value);
  tried.is_gain |= attempt.outcome_class == OutcomeClass::NewBest;
  if (known || !is_written) return {};

  take(attempt, tried, at);
  std::vector<Lesson> lessons;
  for (auto& lesson :
       {caution_of(attempt, tried.facts, scope_), instruction_of(attempt, tried.facts, scope_),
        insight_of(attempt, tried.facts, scope_)}) {
    if (!lesson) continue;
    lessons.push_back(*lesson);
    for (Sighting& sighting : lessons.back().seen_in) sighting.at = at;
    take(lessons.back());
  }
  return lessons;
}

std::vector<Lesson> Learner::conclude(const RunSummary& run, const Attempt* best,
                                      const std::optional<Evaluation>& confirmation,
                                      const std::string& at) const {
  std::vector<Lesson> lessons;
  if (best != nullptr && is_confirmed(confirmation)) {
    const TriedSource* tried = by_number(best->number);
    const TriedSource* parent = tried == nullptr ? nullptr : by_number(tried->parent);
    if (auto win = win_of(*best, *confirmation, tried, parent, scope_))
      lessons.push_back(std::move(*win));
  }
  if (auto summary = summary_of(run, tried_, confirmation, scope_))
    lessons.push_back(std::move(*summary));
  for (Lesson& lesson : lessons)
    for (Sighting& sighting : lesson.seen_in) sighting.at = at;
  return lessons;
}

std::vector<Remembered> Learner::remembered(Bound bound) const {
  const Task& task = scope_.task->task;
  return remembered_of(known_,
                       {task.name, task.family, scope_.target, scope_.device, bound, known_.at});
}

ToldLessons Learner::told() const {
  const Task& task = scope_.task->task;
  return recall(known_, {task.name, task.family, scope_.target, scope_.device, scope_.run});
}

}  // namespace kw::memory

// Lets a run learn lessons, keeps these in the store, and puts them into prompts.
// SPDX-License-Identifier: Apache-2.0
#include "engine/lessons.h"

#include <algorithm>

#include "memory/experience.h"
#include "memory/knowledge.h"
#include "search/strategy.h"

namespace kw::engine {
namespace {

memory::RecallScope scope_of(const Learning& learning) {
  const Task& task = learning.task->task;
  return {task.name, task.family, learning.target, learning.device, ""};
}

/// Task, device and time for which the advice in a run's first prompt is chosen.
memory::AdviceScope advice_scope(const Learning& learning, const LessonSnapshot& snapshot) {
  const Task& task = learning.task->task;
  return {task.name, task.family, learning.target, learning.device, Bound::Unknown, snapshot.at};
}

/// Adds experience and knowledge to the snapshot that a run begins with, and which of them its
/// first prompt tells.
Result<> add_memory(store::RunStore& store, const Learning& learning, llm::Ledger* ledger,
                    LessonSnapshot& snapshot) {
  const memory::AdviceScope scope = advice_scope(learning, snapshot);
  snapshot.experience = KW_TRY(store.lessons().experience(learning.target));
  memory::keep_nearest(snapshot.experience, scope);
  snapshot.told_experience = memory::told_of(memory::advise(snapshot.experience, scope));
  if (learning.shelf == nullptr) return {};
  KW_TRY(keep_knowledge(store, *learning.shelf, learning.target));
  snapshot.cards = KW_TRY(find_knowledge(store, *learning.shelf, *learning.task, learning.target,
                                         learning.arch, learning.has_dialect_headers, ledger));
  for (const FoundCard* shown : memory::choose_cards(snapshot.cards, scope))
    snapshot.told_cards.push_back(shown->card.id);
  return {};
}

}  // namespace

Result<LessonSnapshot> lessons_for(store::RunStore& store, const Learning& learning,
                                   const std::string& at, llm::Ledger* ledger) {
  LessonSnapshot snapshot;
  snapshot.at = at;
  snapshot.family = learning.task->task.family;
  snapshot.device = learning.device;
  const memory::RecallScope scope = scope_of(learning);
  snapshot.found =
      KW_TRY(store.lessons().find({memory::query_words(*learning.task), learning.target}));
  snapshot.lessons = memory::bearing_on(KW_TRY(store.lessons().all()), scope, snapshot.found);
  for (const Lesson& lesson : snapshot.lessons) {
    std::string source;
    if (memory::shows_source(lesson, scope) && is_told(lesson))
      source = KW_TRY(store.artifacts().get(KW_TRY(Sha256::from_hex(lesson.source_sha256))));
    snapshot.sources.push_back(std::move(source));
  }
  snapshot.told = memory::recall(snapshot, scope).ids;
  KW_TRY(add_memory(store, learning, ledger, snapshot));
  return snapshot;
}

void tell(const memory::ToldLessons& told, propose::Situation& situation) {
  std::vector<propose::Example> examples;
  for (const memory::ToldWin& win : told.wins) examples.push_back({win.title, win.source});
  for (propose::Example& example : situation.examples)
    if (examples.size() < memory::kMostExamples) examples.push_back(std::move(example));
  situation.examples = std::move(examples);
  situation.cautions.insert(situation.cautions.end(), told.cautions.begin(), told.cautions.end());
  situation.task_instructions = told.instructions;
  situation.insights = told.insights;
}

void tell(std::vector<memory::Remembered> remembered, propose::Situation& situation) {
  // Remembered code that the prompt already shows as an example is left out.
  std::erase_if(remembered, [&](const memory::Remembered& one) {
    return !one.code.empty() &&
           std::ranges::any_of(situation.examples, [&](const propose::Example& example) {
             return memory::excerpt(example.source) == one.code;
           });
  });
  situation.remembered = std::move(remembered);
}

Result<std::optional<Lessons>> Lessons::open(const Learning* learning, store::RunStore& store,
                                             const platform::Clock& clock, const RunSummary& run,
                                             llm::Ledger* ledger) {
  if (learning == nullptr || !run.config.uses_memory) return std::optional<Lessons>();
  auto begun = KW_TRY(store.lessons().snapshot(run.id));
  if (!begun) {
    begun = KW_TRY(lessons_for(store, *learning, platform::utc_text(clock.wall_seconds()), ledger));
    // A run without prompts is no evidence of which lessons help, so none is recorded as told. The
    // same holds for a run that does not change memory.
    const bool tells = KW_TRY(search::find_strategy(run.config.strategy))->is_writing;
    if (!tells || run.config.freezes_memory)
      for (auto* told : {&begun->told, &begun->told_experience, &begun->told_cards}) told->clear();
    KW_TRY(store.lessons().begin(run.id, *begun));
  }
  memory::LessonScope scope{learning->task, learning->target, begun->device, run.name};
  return std::optional(Lessons(*learning, clock,
                               memory::Learner(std::move(scope), std::move(*begun)),
                               run.config.freezes_memory));
}

std::vector<Lesson> Lessons::covered(std::vector<Lesson> lessons) const {
  for (Lesson& lesson : lessons) lesson.text = veil_.cover(lesson.text);
  return lessons;
}

std::vector<Lesson> Lessons::observe(const Attempt& attempt, bool is_written) {
  auto lessons = covered(learner_.observe(attempt, is_written, now()));
  return is_frozen_ ? std::vector<Lesson>() : lessons;
}

std::vector<Experience> Lessons::take_experience() {
  std::vector<Experience> all = learner_.take_experience();
  if (is_frozen_) return {};
  for (Experience& one : all) one.failure = veil_.cover(one.failure);
  return all;
}

void Lessons::tell(propose::Situation& situation) const {
  memory::ToldLessons told = learner_.told();
  for (memory::ToldWin& win : told.wins) win.title = veil_.cover(win.title);
  for (auto* texts : {&told.cautions, &told.instructions, &told.insights})
    for (std::string& text : *texts) text = veil_.cover(text);
  engine::tell(told, situation);
  const Bound bound =
      situation.parent == nullptr ? Bound::Unknown : memory::bound_of(situation.parent->evaluation);
  engine::tell(learner_.remembered(bound), situation);
  for (memory::Remembered& one : situation.remembered) one.text = veil_.cover(one.text);
}

Result<> Lessons::conclude(store::RunStore& store, const RunSummary& run, const Attempt* best,
                           const std::optional<Evaluation>& confirmation) const {
  if (is_frozen_) return {};
  KW_TRY(store.lessons().learn(run.id, covered(learner_.conclude(run, best, confirmation, now()))));
  if (run.is_confirmed) KW_TRY(store.lessons().credit(run.id));
  return {};
}

}  // namespace kw::engine

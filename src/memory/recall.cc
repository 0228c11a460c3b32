// Relevance of lessons.
// SPDX-License-Identifier: Apache-2.0
#include "memory/recall.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/contains.h"

namespace kw::memory {
namespace {

bool is_of_run(const Lesson& lesson, const RecallScope& scope) {
  return !scope.run.empty() && std::any_of(lesson.seen_in.begin(), lesson.seen_in.end(),
                                           [&](const Sighting& s) { return s.run == scope.run; });
}

bool bears_on(const Lesson& lesson, const RecallScope& scope) {
  if (lesson.target != scope.target) return false;
  if (lesson.task == scope.task) return true;
  return lesson.family == scope.family && lesson.kind != LessonKind::Instruction;
}

/// Greater is more relevant. What was never used counts as half a success in one. Of wins the
/// larger gain teaches more, however the runs ended that knew it.
auto rank_of(const Lesson& lesson, const RecallScope& scope) {
  const double success = (lesson.helped + 1.0) / (lesson.uses + 2.0);
  const bool is_win = lesson.kind == LessonKind::Win;
  return std::tuple(is_of_run(lesson, scope), lesson.task == scope.task,
                    lesson.device == scope.device, is_win ? lesson.gain.value : success,
                    is_win ? success : static_cast<double>(lesson.seen), lesson.id, lesson.key);
}

/// Indices of the lessons that may be told, most relevant first.
std::vector<std::size_t> order_of(const std::vector<Lesson>& lessons, const RecallScope& scope) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lessons.size(); ++i)
    if (bears_on(lessons[i], scope)) order.push_back(i);
  // Ranks end with the key, so that no two are equal.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank_of(lessons[a], scope) > rank_of(lessons[b], scope);
  });
  return order;
}

std::string title_of(const Lesson& win, const RecallScope& scope) {
  return win.task == scope.task
             ? fmt::format("For this very task. {}", win.text)
             : fmt::format("For the task `{}` ({}). {}", win.task, win.family, win.text);
}

/// Of another task it says which.
std::string words_of(const Lesson& lesson, const RecallScope& scope) {
  std::string words = lesson.task == scope.task ? "" : fmt::format("(`{}`) ", lesson.task);
  words += lesson.text;
  if (lesson.kind == LessonKind::Caution) words += fmt::format(" Seen {} times.", lesson.seen);
  return words;
}

bool add(std::vector<std::string>& told, std::size_t most, std::string words) {
  if (told.size() == most || contains(told, words)) return false;
  told.push_back(std::move(words));
  return true;
}

/// Adds one lesson where its kind has room.
class Telling {
 public:
  explicit Telling(const RecallScope& scope) : scope_(scope) {}

  void tell(const Lesson& lesson, const std::string& source) {
    if (has_taken(lesson, source)) told.ids.push_back(lesson.id);
  }
  ToldLessons told;

 private:
  bool has_taken(const Lesson& lesson, const std::string& source) {
    const std::string words = words_of(lesson, scope_);
    switch (lesson.kind) {
      case LessonKind::Win:
        if (source.empty() || told.wins.size() == kMostWins ||
            bytes_ + source.size() > kMostWinBytes)
          return false;
        bytes_ += source.size();
        told.wins.push_back({title_of(lesson, scope_), source});
        return true;
      case LessonKind::Caution:
        return add(told.cautions, kMostCautions, words);
      case LessonKind::Instruction:
        return add(told.instructions, kMostInstructions, words);
      case LessonKind::Insight:
        return add(told.insights, kMostInsights, words);
    }
    return false;
  }

  const RecallScope& scope_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<Lesson> bearing_on(const std::vector<Lesson>& all, const RecallScope& scope) {
  constexpr std::array<std::size_t, EnumNames<LessonKind>::names.size()> kRoom{
      2 * kMostWins, 4 * kMostCautions, 2 * kMostInstructions, 2 * kMostInsights};
  std::array<std::size_t, kRoom.size()> count{};
  std::vector<Lesson> chosen;
  for (const std::size_t i : order_of(all, scope)) {
    const auto kind = static_cast<std::size_t>(all[i].kind);
    if (all[i].state == LessonState::Dropped || count.at(kind)++ < kRoom.at(kind))
      chosen.push_back(all[i]);
  }
  return chosen;
}

ToldLessons recall(const LessonSnapshot& known, const RecallScope& scope) {
  Telling telling(scope);
  for (const std::size_t i : order_of(known.lessons, scope))
    if (is_told(known.lessons[i]))
      telling.tell(known.lessons[i], i < known.sources.size() ? known.sources[i] : std::string());
  return std::move(telling.told);
}

}  // namespace kw::memory

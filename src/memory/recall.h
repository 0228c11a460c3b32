// Recall: which lessons a prompt tells, and in which words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/lesson.h"
#include "task/definition.h"

namespace kw::memory {

/// Who asks.
struct RecallScope {
  std::string task;
  std::string family;
  Target target = Target::Cpu;
  std::string device;  ///< DeviceFacts::id.
  std::string run;     ///< What this run taught comes first; empty: no run yet.
};

/// Most lessons of a kind that a prompt tells. What is beyond goes from the end of the order of
/// recall(), so the least relevant first.
inline constexpr std::size_t kMostWins = 2;
inline constexpr std::size_t kMostCautions = 8;
inline constexpr std::size_t kMostInstructions = 6;
inline constexpr std::size_t kMostInsights = 6;
inline constexpr std::size_t kMostElsewhere = 3;        ///< Of other families, all kinds together.
inline constexpr std::size_t kMostExamples = 3;         ///< Wins and kernels of the playbook.
inline constexpr std::size_t kMostWinBytes = 16 << 10;  ///< Sources of wins, together.

/// A lesson of another family bears on a task if full-text search ranks it this close to the best.
inline constexpr double kLeastRelevance = 0.5;

/// A verified kernel of an earlier run.
struct ToldWin {
  std::string title;
  std::string source;
};

/// Sentences for a prompt, most relevant first.
struct ToldLessons {
  std::vector<std::int64_t> ids;  ///< Of all of them.
  std::vector<ToldWin> wins;
  std::vector<std::string> cautions;
  std::vector<std::string> instructions;
  std::vector<std::string> insights;
};

/// Words of a task that lessons are looked for by; a search takes a millisecond with so many.
inline constexpr std::size_t kMostQueryWords = 160;
inline constexpr std::size_t kMostCodeWords = 40;  ///< Of them from the reference.

/// What a lesson about a task could share with it: the distinct words of three letters or more, in
/// lower case, of its name, family, summary and specification, then those of its reference.
std::vector<std::string> query_words(const task::Definition& task);

/// Whether prompts show the source of a win: of its task or family; of others they tell the words.
bool shows_source(const Lesson& win, const RecallScope& scope);

/// Those that bear on a task: its own first, then (no instructions) those of its family and what
/// full-text search `found` among the others, for its target; unripe ones included, so that a run
/// can count them. Each kind has room for twice what is told, cautions, most of which are unripe,
/// for four times. Dropped ones come beside that, all of them, so that a run does not tell them
/// when it sees them again.
std::vector<Lesson> bearing_on(const std::vector<Lesson>& all, const RecallScope& scope,
                               const std::vector<LessonMatch>& found = {});

/// What a prompt tells. Order within a kind: what this run taught; the same task; the same family;
/// the same device; a win's gain, of others the share of uses that ended with a win, each of
/// another task's counting up to twice by its relevance; then sightings; newest. Equal sentences
/// are told once. O(lessons log lessons): well below a millisecond.
ToldLessons recall(const LessonSnapshot& known, const RecallScope& scope);

}  // namespace kw::memory

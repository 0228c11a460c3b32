// Recall: which lessons a prompt tells, and how it words them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/lesson.h"
#include "task/definition.h"

namespace kw::memory {

/// The run for which lessons are chosen.
struct RecallScope {
  std::string task;
  std::string family;
  Target target = kDefaultTarget;
  std::string device;  ///< DeviceFacts::id.
  std::string run;     ///< Id of the run, whose own lessons come first; empty: there is no run yet.
};

/// The most lessons of each kind that a prompt tells. If there are more, recall() leaves out the
/// least relevant ones.
inline constexpr std::size_t kMostWins = 2;
inline constexpr std::size_t kMostCautions = 8;
inline constexpr std::size_t kMostInstructions = 6;
inline constexpr std::size_t kMostInsights = 6;
/// The most lessons from other families that a prompt tells, of all kinds together.
inline constexpr std::size_t kMostElsewhere = 3;
/// The most wins and playbook kernels that a prompt shows.
inline constexpr std::size_t kMostExamples = 3;
/// The most bytes of the sources of all wins that a prompt shows.
inline constexpr std::size_t kMostWinBytes = 16 << 10;

/// A lesson of another family is used where the full-text search gives it at least this share of
/// the best match's rank.
inline constexpr double kLeastRelevance = 0.5;

/// A verified kernel of an earlier run.
struct ToldWin {
  std::string title;
  std::string source;
};

/// The lessons that a prompt tells, as sentences, most relevant first.
struct ToldLessons {
  std::vector<std::int64_t> ids;  ///< The ids of all lessons below.
  std::vector<ToldWin> wins;
  std::vector<std::string> cautions;
  std::vector<std::string> instructions;
  std::vector<std::string> insights;
};

/// The most words of a task by which lessons are searched; a search by this many takes a
/// millisecond.
inline constexpr std::size_t kMostQueryWords = 160;
/// The most words of the reference among the words by which lessons are searched.
inline constexpr std::size_t kMostCodeWords = 40;

/// The words by which lessons are searched for a task: the distinct words of at least three
/// letters, in lower case, of its name, family, summary and specification, then those of its
/// reference.
std::vector<std::string> query_words(const task::Definition& task);

/// Whether prompts show the source of a win: they do for the same task or family, and otherwise
/// show only its text.
bool shows_source(const Lesson& win, const RecallScope& scope);

/// The lessons for the scope's target that a run loads: first those of its task, then (except
/// instructions) those of its family, and those among the others that the full-text search `found`.
/// Unripe lessons are included so that the run can count further sightings. For each kind, twice as
/// many lessons are loaded as a prompt tells; for cautions, most of which are unripe, four times as
/// many. All dropped lessons are included too, so that a run does not tell them when it sees them
/// again.
std::vector<Lesson> bearing_on(const std::vector<Lesson>& all, const RecallScope& scope,
                               const std::vector<LessonMatch>& found = {});

/// Chooses the lessons for a prompt. Lessons of a kind are ordered by: learnt by this run; same
/// task; same family; same device; a win's gain, or for other lessons the share of their uses that
/// ended with a win, raised by up to a factor of two by relevance for other tasks' lessons; number
/// of sightings; newest. Equal sentences are told once. O(lessons log lessons), well below a
/// millisecond.
ToldLessons recall(const LessonSnapshot& known, const RecallScope& scope);

}  // namespace kw::memory

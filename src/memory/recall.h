// Recall: which lessons a prompt tells, and in which words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/lesson.h"

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
inline constexpr std::size_t kMostExamples = 3;         ///< Wins and kernels of the playbook.
inline constexpr std::size_t kMostWinBytes = 16 << 10;  ///< Sources of wins, together.

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

/// Those that bear on a task: its own first, then (no instructions) those of its family, for its
/// target; unripe ones included, so that a run can count them. Each kind has room for twice what is
/// told, cautions, most of which are unripe, for four times. Dropped ones come beside that, all of
/// them, so that a run does not tell them when it sees them again.
std::vector<Lesson> bearing_on(const std::vector<Lesson>& all, const RecallScope& scope);

/// What a prompt tells. Order within a kind: what this run taught; the same task; the same device;
/// a win's gain, of others the share of uses that ended with a win, then sightings; newest. Equal
/// sentences are told once. O(lessons log lessons): well below a millisecond.
ToldLessons recall(const LessonSnapshot& known, const RecallScope& scope);

}  // namespace kw::memory

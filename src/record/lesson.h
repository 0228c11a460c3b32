// Lesson: what a run taught, in the words that later prompts show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/card.h"
#include "record/enums.h"
#include "record/evaluation.h"
#include "record/experience.h"

namespace kw {

enum class LessonKind {
  Win,          ///< A confirmed kernel: a few-shot example.
  Caution,      ///< A failure that happened more than once.
  Instruction,  ///< A requirement of the task that a failure showed was missed.
  Insight,      ///< What was tried, the result, and why.
};
template <>
struct EnumNames<LessonKind> {
  static constexpr std::array<std::string_view, 4> names{"win", "caution", "instruction",
                                                         "insight"};
};

enum class LessonState {
  Live,
  Frozen,   ///< Still used, but neither updated nor removed to make room for others.
  Dropped,  ///< Never used again and not learnt again.
};
template <>
struct EnumNames<LessonState> {
  static constexpr std::array<std::string_view, 3> names{"live", "frozen", "dropped"};
};

/// A run, or one of its attempts, in which a lesson was seen.
struct Sighting {
  std::string run;
  int attempt = 0;  ///< Number of the attempt; 0: the run as a whole.
  std::string at;   ///< UTC, ISO 8601.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("run", s.run), v("attempt", s.attempt), v("at", s.at);
  }
};

/// One lesson with its scope and its origin. Lessons with the same key are merged into one.
struct Lesson {
  std::int64_t id = 0;  ///< Row of the store; 0: not stored yet.
  std::string key;      ///< The scope and the subject: names, or the first line of a complaint.
  LessonKind kind = LessonKind::Insight;
  LessonState state = LessonState::Live;
  std::string task;
  std::string family;
  Target target = kDefaultTarget;
  std::string device;           ///< DeviceFacts::id of the last sighting.
  std::string text;             ///< Whole sentences that reveal no hidden shapes.
  std::string source_sha256{};  ///< Wins: hash of its verified source among the artifacts.
  Speedup gain{};               ///< Wins: the confirmed speedup; value 0: none.
  int seen = 1;                 ///< Number of sightings so far.
  /// Where the lesson was seen, first and most recently; at most kMostSightings entries.
  std::vector<Sighting> seen_in{};
  int uses = 0;    ///< Runs whose first prompt told the lesson.
  int helped = 0;  ///< Runs among `uses` that ended with a confirmed win.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("key", s.key), v("kind", s.kind), v("state", s.state), v("task", s.task),
        v("family", s.family), v("target", s.target), v("device", s.device), v("text", s.text),
        v("source_sha256", s.source_sha256), v("gain", s.gain), v("seen", s.seen),
        v("seen_in", s.seen_in), v("uses", s.uses), v("helped", s.helped);
  }
};

inline constexpr std::size_t kMostSightings = 8;

/// A lesson that full-text search found.
struct LessonMatch {
  std::int64_t id = 0;
  double relevance = 0;  ///< Rank (BM25) as a share of the best match's, 0–1.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("relevance", s.relevance);
  }
};

/// The memory with which a run began: a snapshot, so that the prompts of the run do not depend on
/// what other runs learn meanwhile.
struct LessonSnapshot {
  std::string family;  ///< Family of the run's task.
  std::string device;  ///< Device of the process that began the run.
  /// Lessons that concern the run's task, dropped ones included.
  std::vector<Lesson> lessons;
  /// Source of each of `lessons` that is a win; empty for the others.
  std::vector<std::string> sources;
  std::vector<std::int64_t> told;  ///< Ids of the lessons that the first prompt tells.
  /// Lessons that a search for the words of the task found, best first.
  std::vector<LessonMatch> found;
  /// UTC time when the run began: experience is aged until then.
  std::string at;
  std::vector<Experience> experience;  ///< Experience with the run's target.
  /// Ids of the entries of `experience` that the first prompt tells.
  std::vector<std::int64_t> told_experience;
  std::vector<FoundCard> cards;          ///< Cards that a search found, best first.
  std::vector<std::int64_t> told_cards;  ///< Ids of the cards that the first prompt shows.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("family", s.family), v("device", s.device), v("lessons", s.lessons), v("sources", s.sources),
        v("told", s.told), v("found", s.found), v("at", s.at), v("experience", s.experience),
        v("told_experience", s.told_experience), v("cards", s.cards), v("told_cards", s.told_cards);
  }
};

/// How a run changed one lesson.
struct LessonChange {
  std::vector<Lesson> before;  ///< The lesson before the change; empty: it is new.
  Lesson after;
  std::string evicted{};  ///< Why the lesson was removed to make room for another; empty: it stays.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("before", s.before), v("after", s.after), v("evicted", s.evicted);
  }
};

/// Whether prompts may tell the lesson: live and frozen ones, a caution only if its failure
/// happened more than once.
bool is_told(const Lesson& lesson);

/// `known` with the newer words and gain of `news`, which has the same key, and with its sighting
/// unless that was counted before. Frozen and dropped lessons stay as they are.
Lesson merged(Lesson known, const Lesson& news);

}  // namespace kw

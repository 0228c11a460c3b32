// Lesson: what a run taught, as later prompts are told it.
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
  Caution,      ///< A failure that came back.
  Instruction,  ///< What the task asks for where a failure showed that it was missed.
  Insight,      ///< What was tried, what it did and why.
};
template <>
struct EnumNames<LessonKind> {
  static constexpr std::array<std::string_view, 4> names{"win", "caution", "instruction",
                                                         "insight"};
};

enum class LessonState {
  Live,
  Frozen,   ///< Still used, not updated any more, never makes room for others.
  Dropped,  ///< Never used again and not learnt again.
};
template <>
struct EnumNames<LessonState> {
  static constexpr std::array<std::string_view, 3> names{"live", "frozen", "dropped"};
};

/// Where a lesson was seen.
struct Sighting {
  std::string run;
  int attempt = 0;  ///< 0: the run as a whole.
  std::string at;   ///< UTC, ISO 8601.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("run", s.run), v("attempt", s.attempt), v("at", s.at);
  }
};

/// One lesson with where it holds and where it comes from. Lessons of equal key are one lesson.
struct Lesson {
  std::int64_t id = 0;  ///< Of the store; 0: not stored yet.
  std::string key;      ///< Its scope and what it is about: names, or a complaint's first line.
  LessonKind kind = LessonKind::Insight;
  LessonState state = LessonState::Live;
  std::string task;
  std::string family;
  Target target = Target::Cpu;
  std::string device;               ///< DeviceFacts::id of the last sighting.
  std::string text;                 ///< Whole sentences, free of hidden shapes.
  std::string source_sha256{};      ///< Of a win: its verified source among the artifacts.
  Speedup gain{};                   ///< Of a win, as confirmed; value 0: none.
  int seen = 1;                     ///< Sightings so far.
  std::vector<Sighting> seen_in{};  ///< The first and the latest, at most kMostSightings.
  int uses = 0;                     ///< Runs whose first prompt told it.
  int helped = 0;                   ///< Those of them that ended with a confirmed win.

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
  double relevance = 0;  ///< 0–1: its rank (BM25) over that of the best match.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("relevance", s.relevance);
  }
};

/// Lessons with which a run began; a snapshot, so that its prompts do not depend on what others
/// learn meanwhile.
struct LessonSnapshot {
  std::string family;                  ///< Of the run's task.
  std::string device;                  ///< Of the process that began the run.
  std::vector<Lesson> lessons;         ///< Those that bear on its task, dropped ones included.
  std::vector<std::string> sources;    ///< Of each lesson's win; empty for others.
  std::vector<std::int64_t> told;      ///< Ids of those that the first prompt tells.
  std::vector<LessonMatch> found;      ///< What a search for the task's words found, best first.
  std::string at;                      ///< UTC, when the run began: experience ages until then.
  std::vector<Experience> experience;  ///< Of its target.
  std::vector<std::int64_t> told_experience;  ///< Ids of what the first prompt tells of it.
  std::vector<FoundCard> cards;               ///< Knowledge that was found, best first.
  std::vector<std::int64_t> told_cards;       ///< Ids of those that the first prompt shows.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("family", s.family), v("device", s.device), v("lessons", s.lessons), v("sources", s.sources),
        v("told", s.told), v("found", s.found), v("at", s.at), v("experience", s.experience),
        v("told_experience", s.told_experience), v("cards", s.cards), v("told_cards", s.told_cards);
  }
};

/// What a run did to one lesson.
struct LessonChange {
  std::vector<Lesson> before;  ///< None: it is new.
  Lesson after;
  std::string evicted{};  ///< Why it made room for another; empty: it stays.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("before", s.before), v("after", s.after), v("evicted", s.evicted);
  }
};

/// Whether prompts may tell it: live or frozen, and a caution only once its failure came back.
bool is_told(const Lesson& lesson);

/// `known` after `news` of the same key: the newer words and gain, one more sighting unless it was
/// counted before. Frozen and dropped lessons stay as they are.
Lesson merged(Lesson known, const Lesson& news);

}  // namespace kw

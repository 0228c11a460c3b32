// Rules that make lessons out of outcomes. Pure; no model is asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/pattern.h"
#include "record/attempt.h"
#include "record/lesson.h"
#include "task/definition.h"

namespace kw::memory {

/// How the evidence begins where the engine ends an attempt at the screen since the source shows
/// what a person's order forbids.
inline constexpr std::string_view kNamesForbidden = "it names the technique '";

/// How the evidence begins where a reply had another form than the one asked for: about one prompt,
/// and wrong advice where the other form is asked for.
inline constexpr std::string_view kWholeForEdits =
    "the reply holds a whole file where edits of the parent were asked for";
inline constexpr std::string_view kEditsForWhole =
    "the reply holds edits where a whole file, written anew, was asked for";
inline constexpr std::string_view kEditsOfNothing =
    "the reply holds edits, but there is no parent to edit: send the whole file";

/// What every lesson of a run has in common.
struct LessonScope {
  const task::Definition* task = nullptr;  ///< Borrowed.
  Target target = Target::Cpu;
  std::string device;
  std::string run;
};

/// What a lesson needs to know of a source beside its attempt.
struct SourceFacts {
  std::vector<std::string> techniques;  ///< What is new in it against its parent.
  MismatchPattern pattern = MismatchPattern::None;
  std::string cause;  ///< Why a correct one was slow; empty: nothing points anywhere.
  std::string cause_words;
};

/// Whether a failure says something about how kernels should be written: no request that was turned
/// down, no form of a reply that was not the one asked for, no order of a person, no machine that
/// could not measure.
bool is_about_kernels(const Verdict& verdict);

/// "compile failed: no such name", one line.
std::string failure_of(const Evaluation& evaluation);

/// Declared techniques, or those that the plan names out of a closed vocabulary; 16 at most.
std::vector<std::string> techniques_shown(const Attempt& attempt);

/// Of these the ones that the parent does not show, if there are any; 4 at most.
std::vector<std::string> techniques_of(const Attempt& attempt,
                                       const std::vector<std::string>& of_parent);

SourceFacts facts_of(const Attempt& attempt, const std::vector<std::string>& of_parent,
                     const task::Definition& task);

/// A failure as a caution, told once it came back: the same outcome with the same pattern or first
/// diagnostic. Nothing where the failure says nothing about kernels (a request turned down, an
/// order of a person, a machine that could not measure).
std::optional<Lesson> caution_of(const Attempt& attempt, const SourceFacts& facts,
                                 const LessonScope& scope);

/// A wrong result whose pattern points at something that the task asks for: that, in the words of
/// its specification.
std::optional<Lesson> instruction_of(const Attempt& attempt, const SourceFacts& facts,
                                     const LessonScope& scope);

/// A correct kernel that was clearly slower than the best of its time: what slowed it down.
std::optional<Lesson> insight_of(const Attempt& attempt, const SourceFacts& facts,
                                 const LessonScope& scope);

/// What a run remembers of one source for its last words.
struct TriedSource {
  int number = 0;
  int parent = 0;
  std::vector<std::string> techniques;
  std::string label;  ///< Techniques, or its name.
  std::string plan;   ///< Its first sentence.
  Outcome outcome = Outcome::NoCandidate;
  bool is_gain = false;          ///< A new best of its time.
  double speedup = 0;            ///< Best of its settings over the baseline; 0: not measured.
  Bound bound = Bound::Unknown;  ///< Of the timed workload that is farthest from its ceiling.
  SourceFacts facts;
};

/// A win that was confirmed as a few-shot example; nothing for kernels that the playbook shows
/// anyway. `tried`: of the best; `parent`: what it was made from, null if unknown.
std::optional<Lesson> win_of(const Attempt& best, const Evaluation& confirmation,
                             const TriedSource* tried, const TriedSource* parent,
                             const LessonScope& scope);

/// What was tried, what helped by how much, what did not and why. Nothing where nothing was tried.
std::optional<Lesson> summary_of(const RunSummary& run, const std::vector<TriedSource>& tried,
                                 const std::optional<Evaluation>& confirmation,
                                 const LessonScope& scope);

}  // namespace kw::memory

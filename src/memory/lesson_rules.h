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

/// Properties that all lessons of a run share.
struct LessonScope {
  const task::Definition* task = nullptr;  ///< Borrowed.
  Target target = kDefaultTarget;
  std::string device;
  std::string run;
};

/// Facts about a source that the rules need and the attempt does not hold.
struct SourceFacts {
  /// Techniques that the source adds to its parent's, as techniques_of() returns them.
  std::vector<std::string> techniques;
  MismatchPattern pattern = MismatchPattern::None;
  std::string cause;  ///< Why a correct kernel was slow; empty: unknown.
  std::string cause_words;
};

/// Whether a failure says something about how kernels should be written. It does not where a
/// request was turned down, a reply had the wrong form, a person's order forbade the source, or the
/// machine could not measure.
bool is_about_kernels(const Verdict& verdict);

/// The failure in one line: "compile failed: no such name".
std::string failure_of(const Evaluation& evaluation);

/// The techniques that the source declares, or else those that its plan names from a closed
/// vocabulary; at most 16.
std::vector<std::string> techniques_shown(const Attempt& attempt);

/// The techniques of the attempt that its parent does not show, or all of them if it adds none; at
/// most 4.
std::vector<std::string> techniques_of(const Attempt& attempt,
                                       const std::vector<std::string>& of_parent);

SourceFacts facts_of(const Attempt& attempt, const std::vector<std::string>& of_parent,
                     const task::Definition& task);

/// A failure as a caution, which prompts tell once the same failure occurred again: the same
/// outcome with the same pattern or the same first diagnostic. Nothing where the failure is not
/// about kernels.
std::optional<Lesson> caution_of(const Attempt& attempt, const SourceFacts& facts,
                                 const LessonScope& scope);

/// An instruction, in the words of the task's specification, where the pattern of a wrong result
/// points at something that the specification demands.
std::optional<Lesson> instruction_of(const Attempt& attempt, const SourceFacts& facts,
                                     const LessonScope& scope);

/// An insight from a correct kernel that was clearly slower than the best kernel at that time: what
/// slowed it down.
std::optional<Lesson> insight_of(const Attempt& attempt, const SourceFacts& facts,
                                 const LessonScope& scope);

/// What a run remembers of one source for its summary.
struct TriedSource {
  int number = 0;
  int parent = 0;
  std::vector<std::string> techniques;
  std::string label;  ///< The source's techniques, or else its name.
  std::string plan;   ///< The first sentence of the plan.
  Outcome outcome = Outcome::NoCandidate;
  bool is_gain = false;  ///< Whether the source was a new best when it was measured.
  /// The best speedup over the baseline at any setting of the knobs; 0: not measured.
  double speedup = 0;
  /// The bottleneck of the timed workload that is farthest from its ceiling.
  Bound bound = Bound::Unknown;
  SourceFacts facts;
};

/// A confirmed win as an example for prompts; nothing for kernels of the playbook, which prompts
/// show anyway. `tried` is the best kernel's source; `parent` is the source from which it was made,
/// null if unknown.
std::optional<Lesson> win_of(const Attempt& best, const Evaluation& confirmation,
                             const TriedSource* tried, const TriedSource* parent,
                             const LessonScope& scope);

/// The summary of a run: what was tried, what helped by how much, what did not help and why.
/// Nothing where nothing was tried.
std::optional<Lesson> summary_of(const RunSummary& run, const std::vector<TriedSource>& tried,
                                 const std::optional<Evaluation>& confirmation,
                                 const LessonScope& scope);

}  // namespace kw::memory

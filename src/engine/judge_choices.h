// Compares judges on recorded kernels that none of them was fitted to: which technique each would
// apply next, and what that technique gained.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/gain_model.h"

namespace kw::engine {

/// A kernel of a recorded run, and the techniques that were applied in that run to similar kernels
/// (of the same bottleneck; first kernels form a group of their own), with the mean logarithm of
/// what each gained.
struct JudgeQuestion {
  std::string run;
  KernelState state;
  std::vector<std::string> menu;  ///< At least two techniques, sorted; none that the kernel shows.
  std::vector<double> gains;

  double best() const;
};

/// At most `most` questions, spread evenly over all; kernels where every technique gained the same
/// are left out.
std::vector<JudgeQuestion> judge_questions(const std::vector<GainSample>& samples,
                                           std::size_t most);

/// For each question the indices in its menu that a judge prefers: several if the judge cannot tell
/// them apart, none if its answer cannot be read.
using JudgeAnswers = std::vector<std::vector<std::size_t>>;

/// Answers of models: each question is answered by a model that was fitted to four fifths of the
/// runs, without the question's run.
JudgeAnswers answers_of_learned(const std::vector<JudgeQuestion>& questions,
                                const std::vector<GainSample>& samples);
/// Answers by rules: they prefer techniques whose card relieves the kernel's bottleneck.
JudgeAnswers answers_of_rules(const std::vector<JudgeQuestion>& questions,
                              const std::vector<search::TechniqueCard>& cards);
/// Answers that prefer all techniques alike, as a random choice would.
JudgeAnswers answers_by_lot(const std::vector<JudgeQuestion>& questions);

struct ChoiceStanding {
  double hits = 0;  ///< Share of questions in which the judge named what gained most (within 1 %).
  double gain = 0;  ///< Mean logarithm of the gain of what the judge named.
  /// Questions without a readable answer: they count as no hit and no gain.
  std::size_t unread = 0;
};

/// Computes how often a judge was right and what it gained; if it gave several answers to a
/// question, each counts an equal part.
ChoiceStanding standing_of(const std::vector<JudgeQuestion>& questions,
                           const JudgeAnswers& answers);

/// What a model is told of a kernel, in one sentence for each fact.
std::vector<std::string> facts_of(const KernelState& state);

}  // namespace kw::engine

// Judges side by side on recorded kernels that none of them was fitted to: which technique each
// would apply next, and what that one gained.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/gain_model.h"

namespace kw::engine {

/// A kernel of a recorded run and the techniques that were applied in it to kernels like this one
/// (the same run and bottleneck; first kernels apart), with the mean logarithm of what each gained.
struct JudgeQuestion {
  std::string run;
  KernelState state;
  std::vector<std::string> menu;  ///< At least two, sorted; none that the kernel shows.
  std::vector<double> gains;

  double best() const;
};

/// At most `most`, evenly out of all; kernels where every technique gained the same are left out.
std::vector<JudgeQuestion> judge_questions(const std::vector<GainSample>& samples,
                                           std::size_t most);

/// For each question the places in its menu that a judge likes best, several where it cannot tell
/// them apart; none: it gave no answer that can be read.
using JudgeAnswers = std::vector<std::vector<std::size_t>>;

/// By a model that is fitted to four fifths of the runs, this one not among them.
JudgeAnswers answers_of_learned(const std::vector<JudgeQuestion>& questions,
                                const std::vector<GainSample>& samples);
/// A technique is right whose card relieves the kernel's bottleneck.
JudgeAnswers answers_of_rules(const std::vector<JudgeQuestion>& questions,
                              const std::vector<search::TechniqueCard>& cards);
/// All are alike.
JudgeAnswers answers_by_lot(const std::vector<JudgeQuestion>& questions);

struct ChoiceStanding {
  double hits = 0;         ///< Share of questions where it named what gained most (within 1 %).
  double gain = 0;         ///< Mean logarithm of the gain of what it named.
  std::size_t unread = 0;  ///< Questions without an answer: no hit, and nothing gained.
};

/// Of several answers to one question each counts its part.
ChoiceStanding standing_of(const std::vector<JudgeQuestion>& questions,
                           const JudgeAnswers& answers);

/// What a model is told of a kernel, a sentence each.
std::vector<std::string> facts_of(const KernelState& state);

}  // namespace kw::engine

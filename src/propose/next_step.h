// NextStep: a model that is given facts about a kernel and names the technique to apply next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "propose/question.h"
#include "propose/relabel.h"

namespace kw::propose {

class NextStep {
 public:
  /// `model` must outlive the object. Error: the prompt's template is missing or broken.
  static Result<NextStep> open(const memory::DataFiles& data, llm::ChatModel& model,
                               const ReplySettings& reply);

  /// Index in `menu` of the step that the model would take next. Makes one call. A reply that names
  /// no step of the menu is an error with Advice::GiveUp; other errors come from the environment.
  Result<std::size_t> choose(const std::vector<std::string>& facts,
                             const std::vector<NamedStep>& menu);

 private:
  explicit NextStep(Question question) : question_(std::move(question)) {}

  Question question_;
};

/// Index in `menu` of the step that a reply names, by the step's letter or by the words of its
/// name.
Result<std::size_t> parse_next_step(std::string_view reply, const std::vector<NamedStep>& menu);

}  // namespace kw::propose

// NextStep: a model that names the technique which it would apply next, from facts about a kernel.
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
  /// `model` must outlive this. Error: the prompt's template is missing or broken.
  static Result<NextStep> open(const memory::DataFiles& data, llm::ChatModel& model,
                               const ReplySettings& reply);

  /// The place in `menu` of the step that the model would take. Makes one call. A reply that names
  /// no step of the menu is an error with Advice::GiveUp; other errors are the surroundings'.
  Result<std::size_t> choose(const std::vector<std::string>& facts,
                             const std::vector<NamedStep>& menu);

 private:
  explicit NextStep(Question question) : question_(std::move(question)) {}

  Question question_;
};

/// The place in `menu` that a reply names: by its letters, or by the words of its name.
Result<std::size_t> parse_next_step(std::string_view reply, const std::vector<NamedStep>& menu);

}  // namespace kw::propose

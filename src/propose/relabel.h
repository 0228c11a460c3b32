// Relabelling by a model: under which of the names in use each step of a kernel belongs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "propose/question.h"

namespace kw::propose {

struct NamedStep {
  std::string name;
  std::string what;
};

class ModelRelabeller {
 public:
  /// `model` must outlive this. Error: the prompt's template is missing or broken.
  static Result<ModelRelabeller> open(const memory::DataFiles& data, llm::ChatModel& model,
                                      const ReplySettings& reply);

  /// Makes one call. A reply is an error with Advice::GiveUp if it keeps to no form, has another
  /// length, or calls a name in use that is not; the steps are then left out, as in ReGraphT.
  Result<std::vector<std::string>> label(const std::vector<std::string>& names,
                                         const std::vector<NamedStep>& steps);

 private:
  explicit ModelRelabeller(Question question) : question_(std::move(question)) {}

  Question question_;
};

/// The names of a reply, in the order of the steps.
Result<std::vector<std::string>> parse_labels(std::string_view reply,
                                              const std::vector<std::string>& names,
                                              std::size_t steps);

}  // namespace kw::propose

// Relabelling by a model: which of the known technique names each step of a kernel should have.
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
  /// `model` must outlive the object. Error: the prompt's template is missing or broken.
  static Result<ModelRelabeller> open(const memory::DataFiles& data, llm::ChatModel& model,
                                      const ReplySettings& reply);

  /// Returns one technique name for each step; makes one call. Error with Advice::GiveUp: the reply
  /// has no valid form or another length, or marks a name as known that is not in `names`. Callers
  /// then leave the steps out, as ReGraphT does.
  Result<std::vector<std::string>> label(const std::vector<std::string>& names,
                                         const std::vector<NamedStep>& steps);

 private:
  explicit ModelRelabeller(Question question) : question_(std::move(question)) {}

  Question question_;
};

/// Reads the technique names from a reply, in the order of the steps.
Result<std::vector<std::string>> parse_labels(std::string_view reply,
                                              const std::vector<std::string>& names,
                                              std::size_t steps);

}  // namespace kw::propose

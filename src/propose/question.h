// Question: a prompt with a template folder of its own that a model is asked repeatedly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llm/chat_model.h"
#include "memory/data_files.h"
#include "memory/template.h"

namespace kw::propose {

class Question {
 public:
  /// The prompt is prompts/`folder`/ask.md, which may use the variables in `known`. `name` names
  /// the question in errors and in recorded exchanges, so it must not change between versions.
  /// `reply` holds the settings of each request. `model` must outlive the object. Error: the
  /// template is missing or broken.
  static Result<Question> open(const memory::DataFiles& data, const std::string& folder,
                               const std::string& name, const std::vector<std::string>& known,
                               llm::ChatModel& model, const ReplySettings& reply);

  /// Makes one call and returns the text of the reply. An empty reply is an error with
  /// Advice::GiveUp; other errors come from the environment. The scope of the exchange numbers the
  /// questions.
  Result<std::string> ask(const memory::Fields& fields);

 private:
  Question(memory::Templates templates, std::string name, llm::ChatModel& model,
           ReplySettings reply)
      : templates_(std::move(templates)),
        name_(std::move(name)),
        model_(&model),
        reply_(std::move(reply)) {}

  memory::Templates templates_;
  std::string name_;
  llm::ChatModel* model_;
  ReplySettings reply_;
  int asked_ = 0;
};

}  // namespace kw::propose

// TaskDrafter: has a model write a task folder from words, and tells it what is wrong with it until
// nothing is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "llm/chat_model.h"
#include "memory/data_files.h"
#include "memory/template.h"
#include "task/definition.h"

namespace kw::propose {

struct TaskDrafterOptions {
  int tries = 4;  ///< Replies at most.
  ReplySettings reply{};
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::stop_token cancel;
};

/// What is wrong with a task that loads, in lines for the model; none: it is admitted. May compile
/// and run its reference. Errors are the surroundings' and end the drafting.
using TaskCheck = std::function<Result<std::vector<std::string>>(const task::Definition&)>;

struct DraftedTask {
  std::map<std::string, std::string> files;  ///< Texts by plain name; empty: no reply held any.
  std::vector<std::string> problems;         ///< What is wrong with the files; none: they passed.
  int tries = 0;
  std::string ended;  ///< Why no further reply was asked for, where a budget or the model said so.

  bool is_good() const { return !files.empty() && problems.empty(); }
};

class TaskDrafter {
 public:
  /// The templates under prompts/new_task/. `model` must outlive the drafter.
  static Result<TaskDrafter> open(const memory::DataFiles& data, llm::ChatModel& model,
                                  TaskDrafterOptions options);

  /// Exchanges of scope "draft NAME". Each reply is read (only the four files, by plain name),
  /// merged with what was sent before, loaded like any task and handed to `check`; what they find
  /// goes back. An error of the first call, and one of `check`, is an error; a later call that
  /// fails ends the drafting with what there is.
  Result<DraftedTask> draft(const std::string& name, const std::string& words,
                            const TaskCheck& check);

 private:
  TaskDrafter(memory::Templates templates, llm::ChatModel& model, TaskDrafterOptions options)
      : templates_(std::move(templates)), model_(model), options_(std::move(options)) {}
  Result<std::vector<ChatMessage>> opening(const std::string& name, const std::string& words) const;
  Result<> take(const ChatReply& reply, const std::string& name, const TaskCheck& check,
                DraftedTask& drafted) const;
  Result<ChatMessage> told(const std::vector<std::string>& problems) const;

  memory::Templates templates_;
  llm::ChatModel& model_;
  TaskDrafterOptions options_;
};

}  // namespace kw::propose

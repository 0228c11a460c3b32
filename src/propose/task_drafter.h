// TaskDrafter: has a model write a task folder from a description, and reports problems to it until
// none are left.
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
  int tries = 4;  ///< Limit of replies.
  ReplySettings reply{};
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::stop_token cancel;
};

/// Checks a task that loads, and returns its problems in lines for the model; empty: the task is
/// admitted. May compile and run the task's reference. An error comes from the environment and ends
/// the drafting.
using TaskCheck = std::function<Result<std::vector<std::string>>(const task::Definition&)>;

struct DraftedTask {
  std::map<std::string, std::string> files;  ///< Texts by plain name; empty: no reply held any.
  std::vector<std::string> problems;         ///< Problems of the files; empty: they passed.
  int tries = 0;
  std::string ended;  ///< Why no further reply was requested, if an error was the reason.

  bool is_good() const { return !files.empty() && problems.empty(); }
};

class TaskDrafter {
 public:
  /// Reads the templates under prompts/new_task/. `model` must outlive the drafter.
  static Result<TaskDrafter> open(const memory::DataFiles& data, llm::ChatModel& model,
                                  TaskDrafterOptions options);

  /// Makes exchanges of scope "draft NAME". Each reply is read (only the four files of a task, by
  /// plain name), merged with the files of earlier replies, loaded as a task and passed to `check`;
  /// the problems are sent back. An error of `check` or of the first call is returned; if a later
  /// call fails, the drafting ends with the files so far.
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

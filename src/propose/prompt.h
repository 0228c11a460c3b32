// PromptBook: builds a model's prompt from the templates in prompts/ and a situation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/data_files.h"
#include "memory/template.h"
#include "propose/proposer.h"
#include "record/exchange.h"

namespace kw::propose {

struct PromptOptions {
  std::int64_t max_tokens = kPromptTokens;  ///< Limit of both messages, at 3.5 bytes a token.
  std::int64_t reply_tokens = 0;  ///< Limit of the reply, which the prompt tells; 0: not known.
};

struct Prompt {
  std::string system;
  std::string user;
  std::int64_t tokens = 0;           ///< Estimated tokens of both messages.
  std::vector<std::string> dropped;  ///< What was left out, one line for each kind.
  bool is_over_budget = false;       ///< Whether even the parts that always stay exceed it.

  std::vector<ChatMessage> messages() const {
    if (system.empty()) return {{ChatRole::User, user}};
    return {{ChatRole::System, system}, {ChatRole::User, user}};
  }
};

class PromptBook {
 public:
  /// Reads the templates under prompts/, embedded or overridden. Error: a template is missing or
  /// cannot be used; the error names the line.
  static Result<PromptBook> open(const memory::DataFiles& data);

  /// Builds the prompt for writing an attempt; equal situations give equal prompts. If the prompt
  /// is over budget, parts are left out in this order until the rest fits: attempts that failed or
  /// gained nothing, oldest first, except the last six; the code of the best attempt where it is
  /// not the parent; examples, least relevant first; the remaining attempts, oldest first;
  /// insights, cautions, instructions of the task, each from the last on; findings, least important
  /// first, except the first three. Rules, task, goal, restrictions, machine, instructions, the
  /// parent's code and its verdict always stay. Error: a template fails, or the shapes to show
  /// cannot be resolved. Takes less than 5 ms with 200 attempts of history.
  Result<Prompt> build(const Situation& situation, const PromptOptions& options = {}) const;
  /// Builds the single message that a role is asked, from the template that the situation's view
  /// names. Over budget, parts are left out in the order of build().
  Result<Prompt> build_counsel(const Situation& situation, const PromptOptions& options = {}) const;
  /// Builds the question to a judge model about the situation's parent: the findings that the
  /// writer gets, without history, examples or specification. Precondition: the situation has a
  /// parent.
  Result<std::string> build_reading(const Situation& situation) const;

 private:
  explicit PromptBook(memory::Templates templates) : templates_(std::move(templates)) {}
  /// Renders the templates of the user's messages and of the system message; an empty `system`
  /// gives no system message.
  Result<Prompt> fill(const Situation& situation, const PromptOptions& options,
                      const std::string& system, const std::vector<std::string>& user) const;
  memory::Templates templates_;
};

}  // namespace kw::propose

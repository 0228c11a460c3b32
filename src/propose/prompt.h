// PromptBook: builds what a model is sent from the files of prompts/ and a situation.
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
  std::int64_t max_tokens = kPromptTokens;  ///< Bound on both messages, at 3.5 bytes a token.
};

struct Prompt {
  std::string system;
  std::string user;
  std::int64_t tokens = 0;           ///< Likely count of both messages together.
  std::vector<std::string> dropped;  ///< What the budget left out, one line a kind.
  bool is_over_budget = false;       ///< The parts that are never dropped exceed the budget alone.

  std::vector<ChatMessage> messages() const {
    if (system.empty()) return {{ChatRole::User, user}};
    return {{ChatRole::System, system}, {ChatRole::User, user}};
  }
};

class PromptBook {
 public:
  /// The templates under prompts/, embedded or overridden. Errors: a template that cannot be used,
  /// with its place; a file that is missing.
  static Result<PromptBook> open(const memory::DataFiles& data);

  /// Equal situations give equal prompts. Over budget, things go in this order until the rest fits:
  /// attempts that failed or gained nothing, oldest first, but for the last six; the code of the
  /// best where it is not the parent; examples, least relevant first; the remaining attempts,
  /// oldest first; insights, cautions, instructions of the task, last first each; findings, least
  /// important first, but for the first three. Rules, task, goal, restrictions, machine,
  /// instructions, the parent's code and the verdict on it are never dropped. What fails is a
  /// template, or show shapes that cannot be resolved. Below 5 ms with 200 attempts of history.
  Result<Prompt> build(const Situation& situation, const PromptOptions& options = {}) const;
  /// The one message that a role is asked, from the file that the situation's view names. Over
  /// budget the order of build() holds.
  Result<Prompt> build_counsel(const Situation& situation, const PromptOptions& options = {}) const;
  /// What a judge model is asked about the parent of a situation: the same findings as the writer
  /// gets, without history, examples or specification. Precondition: there is a parent.
  Result<std::string> build_reading(const Situation& situation) const;

 private:
  explicit PromptBook(memory::Templates templates) : templates_(std::move(templates)) {}
  /// Renders the files; an empty `system` makes no system message.
  Result<Prompt> fill(const Situation& situation, const PromptOptions& options,
                      const std::string& system, const std::vector<std::string>& user) const;
  memory::Templates templates_;
};

}  // namespace kw::propose

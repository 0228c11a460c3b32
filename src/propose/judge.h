// Judge: a model that interprets the findings on an attempt for the writer of the next one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "llm/chat_model.h"
#include "llm/exchanges.h"
#include "propose/prompt.h"
#include "propose/proposer.h"

namespace kw::propose {

class Judge {
 public:
  virtual ~Judge() = default;
  /// The judge's advice on the situation's parent. If there is none (no connection, budget,
  /// refusal), the reading says why; an error means that the run is being interrupted.
  virtual Result<Reading> read(const Situation& situation) = 0;
};

struct ModelJudgeOptions {
  ReplySettings reply = ReplySettings().for_words();
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::stop_token cancel;
};

class ModelJudge final : public Judge {
 public:
  /// `model` must outlive the judge.
  ModelJudge(PromptBook book, llm::ChatModel& model, ModelJudgeOptions options)
      : book_(std::move(book)), model_(model), options_(std::move(options)) {}

  /// Makes one exchange of scope "reading of attempt N". After two failures in a row the judge is
  /// no longer asked, because each try would wait for a dead connection.
  Result<Reading> read(const Situation& situation) override;

 private:
  Result<ChatReply> ask(const ChatRequest& request, const std::string& scope);

  PromptBook book_;
  llm::ChatModel& model_;
  ModelJudgeOptions options_;
  llm::KeyMaker keys_;
  int failures_ = 0;  // failures in a row
};

/// The scope of a judge's exchange about this attempt.
std::string scope_of_reading(int attempt);
/// The attempt that the judge was asked about; 0: the exchange was not made by a judge.
int attempt_of_reading(std::string_view scope);

}  // namespace kw::propose

// Counsel: advice from a role (planner, judge, critic) before a source is written, or on a written
// one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "llm/chat_model.h"
#include "llm/exchanges.h"
#include "propose/prompt.h"
#include "propose/proposer.h"

namespace kw::propose {

/// Name of the role in which fixed rules pick the most important finding; no model plays it.
inline constexpr std::string_view kRulesRole = "rules";
/// Name of the role whose advice comes from recorded optimisation steps; no model plays it.
inline constexpr std::string_view kLearnedRole = "learned";

class Counsel {
 public:
  virtual ~Counsel() = default;
  /// Asks the role that the situation's view names. Where no advice comes (budget, refusal, a reply
  /// that does not match its schema), the reading says why. An error comes from the environment and
  /// says whether to retry, give up or stop.
  virtual Result<Reading> consult(const Situation& situation) = 0;
};

struct ModelCounselOptions {
  PromptOptions prompt;
  ReplySettings reply = ReplySettings().for_words();
  /// Returns the learned judge's advice on the situation's parent, which is correct; an empty text:
  /// the judge has no advice.
  std::function<std::string(const Situation&)> learned{};
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::function<void(const Prompt&)>
      on_prompt{};  ///< Called before a prompt is sent; may be empty.
  std::stop_token cancel;
};

class ModelCounsel final : public Counsel {
 public:
  /// A role without a model of its own is played by the model that writes the attempt, or by the
  /// next writer where that model cannot be asked. Models are borrowed; `writers` is not empty.
  ModelCounsel(PromptBook book, std::map<std::string, llm::ChatModel*> roles,
               std::vector<llm::ChatModel*> writers, ModelCounselOptions options);

  /// Makes one exchange of scope "ROLE for attempt N", and a second one if the first reply does not
  /// match the schema of the view's prompt. If the second reply does not match either, the advice
  /// comes from rules_reading(), and `trouble` says so. No model is asked in the roles `rules` and
  /// `learned`; for a failed parent, and where `learned` has no advice, the advice comes from
  /// rules_reading() too.
  Result<Reading> consult(const Situation& situation) override;

 private:
  Result<ChatReply> ask(const ChatRequest& request, const Situation& situation, Reading& reading);
  /// The models to ask, in order: the next one is asked where one cannot answer.
  std::vector<llm::ChatModel*> models_for(const Situation& situation) const;
  Reading learned_reading(const Situation& situation) const;

  PromptBook book_;
  std::map<std::string, llm::ChatModel*> roles_;
  std::vector<llm::ChatModel*> writers_;
  ModelCounselOptions options_;
  llm::KeyMaker keys_;
};

/// Advice by fixed rules: the parent's most important findings as instructions, about the failure
/// or, for a correct parent, about its speed. Pure.
Reading rules_reading(const Situation& situation);

/// The scope of an exchange in a role, "ROLE for attempt N".
std::string scope_of_counsel(std::string_view role, int number);
/// The attempt that an exchange of this scope was for; 0: the exchange was not made in a role.
int attempt_of_counsel(std::string_view scope);

}  // namespace kw::propose

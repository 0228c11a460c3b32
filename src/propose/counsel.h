// Counsel: what somebody in a role says before a source is written, or about one that was.
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

/// The role in which rules read the findings; no model has it.
inline constexpr std::string_view kRulesRole = "rules";
/// The role in which what recorded steps have taught speaks; no model has it.
inline constexpr std::string_view kLearnedRole = "learned";

class Counsel {
 public:
  virtual ~Counsel() = default;
  /// Asks as the situation's view says. Where no words come (budget, refusal, a reply that keeps to
  /// no schema), the reading holds the trouble; an error is the surroundings' and says what to do.
  virtual Result<Reading> consult(const Situation& situation) = 0;
};

struct ModelCounselOptions {
  PromptOptions prompt;
  ReplySettings reply = ReplySettings().for_words();
  /// The learned judge's words on the situation's parent, which is correct; empty: it has none.
  std::function<std::string(const Situation&)> learned{};
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::function<void(const Prompt&)>
      on_prompt{};  ///< Called before a prompt is sent; may be empty.
  std::stop_token cancel;
};

class ModelCounsel final : public Counsel {
 public:
  /// A role without a model is played by the model that writes the attempt, or by the next writer
  /// where that model cannot be asked. Models are borrowed; `writers` is not empty.
  ModelCounsel(PromptBook book, std::map<std::string, llm::ChatModel*> roles,
               std::vector<llm::ChatModel*> writers, ModelCounselOptions options);

  /// One exchange of scope "ROLE for attempt N", two where the first reply does not keep to the
  /// schema of the view's prompt; where the second does not either, rules speak, and `trouble` says
  /// so. The roles `rules` and `learned` ask no model; about a failed parent, and where the role
  /// `learned` has nothing to say, rules speak.
  Result<Reading> consult(const Situation& situation) override;

 private:
  Result<ChatReply> ask(const ChatRequest& request, const Situation& situation, Reading& reading);
  /// The models that may be asked, in this order.
  std::vector<llm::ChatModel*> models_for(const Situation& situation) const;
  Reading learned_reading(const Situation& situation) const;

  PromptBook book_;
  std::map<std::string, llm::ChatModel*> roles_;
  std::vector<llm::ChatModel*> writers_;
  ModelCounselOptions options_;
  llm::KeyMaker keys_;
};

/// What rules read in the parent's findings: the first that explains the failure, or the one that
/// says most about its speed, as instructions. Pure.
Reading rules_reading(const Situation& situation);

/// The scope of an exchange in a role, "ROLE for attempt N".
std::string scope_of_counsel(std::string_view role, int number);
/// The attempt that an exchange of this scope was for; 0: the scope is no role's.
int attempt_of_counsel(std::string_view scope);

}  // namespace kw::propose

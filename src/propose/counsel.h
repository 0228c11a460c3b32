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

/// The role that no model has: rules read the findings.
inline constexpr std::string_view kRulesRole = "rules";
/// Nor has this one: what recorded steps have taught speaks.
inline constexpr std::string_view kLearnedRole = "learned";

class Counsel {
 public:
  virtual ~Counsel() = default;
  /// Words by the situation's view. That there are none (budget, refusal, a reply that keeps to no
  /// schema) is a reading with trouble; an error is the surroundings' and says what to do.
  virtual Result<Reading> consult(const Situation& situation) = 0;
};

struct ModelCounselOptions {
  PromptOptions prompt;
  ReplySettings reply = ReplySettings().for_words();
  /// The learned judge's words on the situation's parent, which is correct; empty: it has none.
  std::function<std::string(const Situation&)> learned{};
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::function<void(const Prompt&)> on_prompt{};     ///< Before it is sent; may be empty.
  std::stop_token cancel;
};

class ModelCounsel final : public Counsel {
 public:
  /// A role without a model of its own is played by whoever writes the attempt, and where that one
  /// cannot be asked by the next that writes. Models are borrowed; `writers` is not empty.
  ModelCounsel(PromptBook book, std::map<std::string, llm::ChatModel*> roles,
               std::vector<llm::ChatModel*> writers, ModelCounselOptions options);

  /// One exchange of scope "ROLE for attempt N", two where the first reply does not keep to the
  /// schema of the view's prompt; where the second does not either, rules speak, and `trouble` says
  /// so. The roles `rules` and `learned` ask nobody; where the latter has nothing to say, and of
  /// what failed, rules speak.
  Result<Reading> consult(const Situation& situation) override;

 private:
  Result<ChatReply> ask(const ChatRequest& request, const Situation& situation, Reading& reading);
  /// Who may be asked, in this order.
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

/// The scope of such an exchange.
std::string scope_of_counsel(std::string_view role, int number);
/// The attempt that it was for; 0: the scope is another one.
int attempt_of_counsel(std::string_view scope);

}  // namespace kw::propose

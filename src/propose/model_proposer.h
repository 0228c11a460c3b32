// ModelProposer: has one or several language models write candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "llm/chat_model.h"
#include "llm/exchanges.h"
#include "propose/prompt.h"
#include "propose/proposer.h"

namespace kw::propose {

struct ModelProposerOptions {
  PromptOptions prompt;
  ReplySettings reply{};
  std::function<void(const llm::Delta&)> on_delta;    ///< Feeds a live view; may be empty.
  std::function<void(const std::string&)> on_notice;  ///< What a user should hear; may be empty.
  std::function<void(const Prompt&)>
      on_prompt{};  ///< Called before a prompt is sent; may be empty.
  /// Whether a budget refused the latest call; if so, the next of several models is asked. May be
  /// empty.
  std::function<bool()> is_refused;
  std::map<std::string, llm::ChatModel*>
      /// Models by role; the model of the role that a view names is asked first. Borrowed.
      roles;
  std::stop_token cancel;
};

class ModelProposer final : public Proposer {
 public:
  /// `models` is not empty; the models are borrowed and must outlive the proposer. Attempt n is
  /// written by the situation's writer, or by model (n - 1) mod size if the situation names none,
  /// so that a resumed run asks the same model. The next model is asked where a budget refuses the
  /// call (another model may be cheaper) or the model cannot be reached.
  ModelProposer(PromptBook book, std::vector<llm::ChatModel*> models, ModelProposerOptions options);

  /// Makes one exchange of scope "attempt N". Refusals, empty replies, replies without code, edits
  /// that do not apply and headers that cannot be read give a proposal without candidate, with
  /// evidence and findings; their cost is counted too. A reply that was cut off after its code is
  /// used.
  Result<Proposal> propose(const Situation& situation) override;

 private:
  Result<ChatReply> complete(const Situation& situation, const ChatRequest& request,
                             llm::Call& call, Proposal& proposal);
  /// The models to ask, in order: the next one is asked where one cannot answer.
  std::vector<llm::ChatModel*> models_for(const Situation& situation) const;
  PromptBook book_;
  std::vector<llm::ChatModel*> models_;
  ModelProposerOptions options_;
  llm::KeyMaker keys_;
};

}  // namespace kw::propose

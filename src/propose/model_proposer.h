// ModelProposer: a language model, or one of several, as the writer of candidates.
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
  /// Whether a budget refused the latest call; then the next of several models is asked. May be
  /// empty.
  std::function<bool()> is_refused;
  std::map<std::string, llm::ChatModel*>
      roles;  ///< Asked first where a view names the role; borrowed.
  std::stop_token cancel;
};

class ModelProposer final : public Proposer {
 public:
  /// `models` is not empty; the situation's writer is asked, or where it names none the (n - 1 mod
  /// size)th for attempt n, so that a resumed run asks the same. The next of them is asked where a
  /// budget refuses that one (others may be cheaper) or it cannot be reached. They are borrowed and
  /// must outlive the proposer.
  ModelProposer(PromptBook book, std::vector<llm::ChatModel*> models, ModelProposerOptions options);

  /// One exchange of scope "attempt N". Refusals, empty replies, replies without code, edits that
  /// do not apply and headers that cannot be read are proposals without candidate, with evidence
  /// and findings; what they cost is counted all the same. A reply that was cut off behind its code
  /// is used.
  Result<Proposal> propose(const Situation& situation) override;

 private:
  Result<ChatReply> complete(const Situation& situation, const ChatRequest& request,
                             llm::Call& call, Proposal& proposal);
  /// The models that may be asked, in this order.
  std::vector<llm::ChatModel*> models_for(const Situation& situation) const;
  PromptBook book_;
  std::vector<llm::ChatModel*> models_;
  ModelProposerOptions options_;
  llm::KeyMaker keys_;
};

}  // namespace kw::propose

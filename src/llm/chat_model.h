// ChatModel and EmbeddingModel: the two services of a language model's server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/enums.h"
#include "record/exchange.h"

namespace kw::llm {

/// A piece of a reply, passed on while the model writes.
struct Delta {
  enum class Kind {
    Text,
    Thinking,
    Restart,  ///< The reply broke off and is asked for again: the pieces so far are void.
  };
  Kind kind = Kind::Text;
  std::string_view text;
};

/// Kinds of failure that a user would handle differently.
enum class Trouble {
  Key,      ///< The key is missing, wrong, or not allowed to ask this.
  Name,     ///< The model or the address does not exist.
  Credit,   ///< The account is empty or its quota is used up.
  Pace,     ///< Requests came too often.
  Request,  ///< The server does not accept the request.
  Server,   ///< The server failed, or is overloaded.
  Network,  ///< Nobody answered, or the answer broke off.
};

/// What the providers report about the last try, whether it succeeded or not.
struct TryReport {
  std::optional<Trouble> trouble;                        ///< Nothing: a reply came.
  std::optional<std::chrono::milliseconds> retry_after;  ///< The wait that the server asked for.
  Usage spent;                                           ///< What a failed try may have cost.
  /// The try was interrupted while its question waits for an answer. Asking the same question again
  /// continues the wait, so that both tries are one call.
  bool is_pending = false;
};

/// Options and report of one call: its listeners, its cancellation, and what the provider reports.
/// Not shared between threads.
struct Call {
  std::string scope;  ///< The purpose, such as "attempt 12"; part of the key of record and replay.
  /// Gets pieces of the reply for a live view; may be empty.
  std::function<void(const Delta&)> on_delta;
  std::function<void(const std::string&)> on_notice;  ///< Gets messages for the user; may be empty.
  std::stop_token cancel;
  TryReport report;

  void tell(Delta::Kind kind, std::string_view text) const {
    if (on_delta && (!text.empty() || kind == Delta::Kind::Restart)) on_delta({kind, text});
  }
  void say(const std::string& notice) const {
    if (on_notice) on_notice(notice);
  }
};

class ChatModel {
 public:
  virtual ~ChatModel() = default;
  /// Asks for one reply; blocks until the reply is complete; spends tokens. Safe to call from
  /// several threads. Errors are one line. Their advice is Retry for trouble that may pass (429,
  /// 5xx, connection), GiveUp for trouble with this request (400), and Stop for trouble that every
  /// request will meet (key, model name, budget, cancellation, tries used up). A reply that is cut
  /// off, refused or empty is no error; see why_unusable().
  virtual Result<ChatReply> complete(const ChatRequest& request, Call& call) = 0;
  /// Provider and name as in the spec, "openai:gpt-4.1", without any key.
  virtual const std::string& name() const = 0;
};

struct Embeddings {
  std::vector<std::vector<float>> vectors;  ///< One vector for each text, all of one length.
  Usage usage;
  std::string model;
  std::optional<double> cost_usd;
};

class EmbeddingModel {
 public:
  virtual ~EmbeddingModel() = default;
  /// Vectors for `texts`, in their order. Errors as for ChatModel.
  virtual Result<Embeddings> embed(const std::vector<std::string>& texts, Call& call) = 0;
  virtual const std::string& name() const = 0;
};

/// Why the text of a reply cannot be used as it is, in one line for a person; empty where it can.
std::string why_unusable(const ChatReply& reply);

}  // namespace kw::llm

template <>
struct kw::EnumNames<kw::llm::Trouble> {
  static constexpr std::array<std::string_view, 7> names{"key",     "name",   "credit", "pace",
                                                         "request", "server", "network"};
};

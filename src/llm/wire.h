// Sends one request to a model's server, and turns any answer into a reply or a clear error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "llm/chat_model.h"
#include "llm/secret.h"
#include "llm/spec.h"
#include "net/http.h"
#include "net/sse.h"
#include "platform/clock.h"

namespace kw::llm {

/// A model's server, and the data that every request to it needs. The pointers must outlive the
/// endpoint's models.
struct Endpoint {
  net::HttpClient* http = nullptr;
  platform::Clock* clock = nullptr;
  ModelSpec spec;
  Secret key;         ///< Not set: no key is sent.
  Redactor redactor;  ///< Applied to every error and notice.
  net::HttpTimeouts timeouts;
  std::optional<Price> price;
};

/// A refusal by the server: a status other than 200, or an error in the body of a 200.
struct ServerError {
  /// The HTTP status. For an error in a body: the status that its code or type means; 0: neither is
  /// known.
  int status = 0;
  bool is_in_reply = false;  ///< Whether the error came under status 200.
  std::string message;
  std::string type;
  std::string code;
  std::string param;
  std::string address;  ///< Where a redirect leads.
  std::optional<std::chrono::milliseconds> retry_after;

  /// Whether the message or the parameter names `word`.
  bool names(std::string_view word) const;
};

/// Reads any of the forms in which servers report errors: OpenAI's, Anthropic's, vLLM's,
/// llama.cpp's, Ollama's, FastAPI's, a proxy's web page, plain text.
ServerError read_server_error(const net::HttpHead& head, std::string_view body);
ServerError server_error_from(const Json& body);
/// Reads an error from the body of a reply with status 200.
ServerError error_in_reply(const Json& body);
/// Whether the body of a reply with status 200 is an error, in OpenAI's form or vLLM's older one.
bool is_error(const Json& body);

/// The kind of trouble that the error means for the user.
Trouble trouble_of(const ServerError& error);

/// The wait that a server asks for: in seconds, as an HTTP date (compared with `wall_seconds`), or
/// in the finer retry-after-ms.
std::optional<std::chrono::milliseconds> retry_after_of(const net::HttpHead& head,
                                                        std::int64_t wall_seconds);

/// What the user can do about a server's error, where the server's own words may not say it.
enum class ServerHint {
  None,
  CheckKey,             ///< A key was sent and not accepted.
  SetKey,               ///< No key was sent.
  CheckName,            ///< The server does not know the model.
  CheckNameAndAddress,  ///< The same, or the base URL lacks its usual end.
  ShortenPrompt,        ///< The request is too large.
  LowerTokens,          ///< Prompt and reply do not fit the model's context together.
  GiveFinalAddress,     ///< The server redirects, which is not followed.
};
ServerHint hint_of(const ServerError& error, const Endpoint& endpoint);
/// The hint as the end of an error's line, with the name of the endpoint's key.
std::string words_of(ServerHint hint, const Endpoint& endpoint);

/// The error in one line for the user, with fitting advice; redacted.
Error to_error(const ServerError& error, const Endpoint& endpoint);

/// Reads a reply piece by piece as it arrives; each try has its own reader.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  /// Takes one event of the stream. An error ends the exchange.
  virtual Result<> on_event(const net::SseEvent& event) = 0;
  /// Takes the body of a server that answered without streaming.
  virtual Result<> on_whole(const Json& body) = 0;
  /// Ends the stream: an error where the reply is not complete.
  virtual Result<> finish() = 0;
};

/// The result of one POST that reached the server.
struct Posted {
  /// The server's refusal; if there is one, the reader got nothing.
  std::optional<ServerError> refusal;
};

/// Sends `body` as JSON to base_url + `path` and feeds the answer to `reader`. The kind of answer
/// is decided by its first byte, not by its content type, which proxies get wrong. Sets
/// call.report.retry_after. Errors are redacted.
Result<Posted> post(const Endpoint& endpoint, std::string_view path,
                    const std::vector<net::Header>& headers, const Json& body, ReplyReader& reader,
                    Call& call);

}  // namespace kw::llm

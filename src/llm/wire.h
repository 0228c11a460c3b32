// Wire: one request to a model's server, whatever answers it, reduced to a reply or a clear error.
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

/// A model's server and what every request to it carries. The pointers must outlive its models.
struct Endpoint {
  net::HttpClient* http = nullptr;
  platform::Clock* clock = nullptr;
  ModelSpec spec;
  Secret key;         ///< Not set: none is sent.
  Redactor redactor;  ///< Applied to every error and notice.
  net::HttpTimeouts timeouts;
  std::optional<Price> price;
};

/// A refusal by the server: a status other than 200, or an error in the body of a 200.
struct ServerError {
  int status = 0;            ///< In a body: what its code or type amounts to; 0: neither says.
  bool is_in_reply = false;  ///< It came under status 200.
  std::string message;
  std::string type;
  std::string code;
  std::string param;
  std::optional<std::chrono::milliseconds> retry_after;

  /// True where the message or the parameter names `word`.
  bool names(std::string_view word) const;
};

/// Reads any of the shapes in which servers report errors: OpenAI's, Anthropic's, vLLM's,
/// llama.cpp's, Ollama's, FastAPI's, a proxy's web page, plain text.
ServerError read_server_error(const net::HttpHead& head, std::string_view body);
ServerError server_error_from(const Json& body);
/// The same of an error that came under status 200.
ServerError error_in_reply(const Json& body);
/// Whether what came under status 200 is such an error: OpenAI's form, or vLLM's older one.
bool is_error(const Json& body);

/// What it is about.
Trouble trouble_of(const ServerError& error);

/// Seconds, an HTTP date (against `wall_seconds`), or the finer retry-after-ms.
std::optional<std::chrono::milliseconds> retry_after_of(const net::HttpHead& head,
                                                        std::int64_t wall_seconds);

/// One line for the user with the advice that fits; redacted.
Error to_error(const ServerError& error, const Endpoint& endpoint);

/// Takes a reply apart as it arrives; one per try.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  /// One event of the stream. An error ends the exchange.
  virtual Result<> on_event(const net::SseEvent& event) = 0;
  /// The body of a server that answered without streaming.
  virtual Result<> on_whole(const Json& body) = 0;
  /// The stream is over: an error where the reply is not complete.
  virtual Result<> finish() = 0;
};

/// What came of one POST that reached the server.
struct Posted {
  std::optional<ServerError> refusal;  ///< Then the reader saw nothing.
};

/// Sends `body` as JSON to base_url + `path` and feeds the answer to `reader`. What the answer is,
/// is seen from its first byte, not from its content type, which proxies get wrong. Sets
/// call.report.retry_after, and to `sent` what a break may cost. Errors are redacted.
Result<Posted> post(const Endpoint& endpoint, std::string_view path,
                    const std::vector<net::Header>& headers, const Json& body, ReplyReader& reader,
                    Call& call);

}  // namespace kw::llm

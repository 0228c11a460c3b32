// HttpClient: sends a request and streams the answer piece by piece; has a fake for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::net {

struct Header {
  std::string name;
  std::string value;
};

/// Bounds on waiting; exceeding any of them is an error with Advice::Retry.
struct HttpTimeouts {
  std::chrono::milliseconds connect{10'000};  ///< Name resolution, TCP and TLS.
  /// From the start of the exchange to the end of the head.
  std::chrono::milliseconds first_byte{300'000};
  std::chrono::milliseconds idle{300'000};     ///< Between two pieces of the body.
  std::chrono::milliseconds total{1'800'000};  ///< The whole exchange.
};

struct HttpRequest {
  std::string method = "POST";
  std::string url;  ///< http or https.
  std::vector<Header> headers;
  std::string body;
  HttpTimeouts timeouts;
  std::size_t max_answer_bytes = std::size_t{64} << 20;
};

/// Status line and headers of an answer.
struct HttpHead {
  int status = 0;
  std::vector<Header> headers;  ///< Names in lower case.

  /// Value of a header, the last where there are several; empty where there is none. `name` must be
  /// in lower case.
  std::string_view find(std::string_view name) const;
};

/// Called with every piece of the body as it arrives. An error ends the exchange and becomes its
/// result.
using OnBody = std::function<Result<>(const HttpHead& head, std::string_view piece)>;

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// Sends and streams the answer, whatever its status, on the calling thread; may be called from
  /// several threads at once. Never follows a redirect, so that a key in a header goes nowhere
  /// else. Errors: Retry for connection, timeout and a body that breaks off; GiveUp for a URL or
  /// header that cannot be sent; Stop once `cancel` was requested. No error repeats a header or the
  /// body.
  virtual Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                                std::stop_token cancel = {}) = 0;
};

/// The text of the error by which a cancelled exchange ends.
inline constexpr std::string_view kCancelled = "cancelled";

/// A URL without user, password, query and fragment, safe to show in a message.
std::string shown_url(std::string_view url);

/// Host of a URL in lower case, without port and brackets; empty where there is none.
std::string host_of(std::string_view url);

/// True for localhost and the loopback addresses.
bool is_loopback(std::string_view host);

}  // namespace kw::net

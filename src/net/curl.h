// The HttpClient that uses libcurl.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "net/http.h"

namespace kw::net {

/// Keeps connections open between requests, so that only the first one pays for TCP and TLS.
/// Proxies come from the usual environment variables (https_proxy, no_proxy). Nothing polls: data,
/// timeouts and cancellation wake the caller at once.
std::unique_ptr<HttpClient> make_curl_client();

}  // namespace kw::net

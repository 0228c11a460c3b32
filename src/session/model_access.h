// What every command needs to reach models: prices and timeouts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "llm/prices.h"
#include "llm/spec.h"
#include "memory/data_files.h"
#include "net/http.h"

namespace kw::session {

/// Timeouts for a model's server: `timeout_ns` until the response begins and for each further
/// piece; for the whole reply six times as long, but at least half an hour. 0: the default
/// timeouts.
net::HttpTimeouts timeouts_of(std::int64_t timeout_ns);

/// The folder below the workspace's runs/ in which --cache-replies stores the replies of models.
inline constexpr const char* kRepliesFolder = "replies";

/// The table of models/prices.yaml, from --data-dir or else as shipped; empty if the file is
/// missing.
Result<llm::PriceTable> open_prices(const memory::DataFiles& data);

/// Fails if the model has no price, which a budget in dollars requires.
Result<> needs_price(const llm::PriceTable& prices, const llm::ModelSpec& spec);

}  // namespace kw::session

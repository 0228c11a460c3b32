// Reads prices, and sets timeouts.
// SPDX-License-Identifier: Apache-2.0
#include "session/model_access.h"

#include <algorithm>
#include <chrono>

namespace kw::session {

net::HttpTimeouts timeouts_of(std::int64_t timeout_ns) {
  net::HttpTimeouts timeouts;
  if (timeout_ns == 0) return timeouts;
  const auto silence =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(timeout_ns));
  constexpr int kWhole = 6;
  timeouts.first_byte = timeouts.idle = silence;
  timeouts.total = std::max(timeouts.total, kWhole * silence);
  return timeouts;
}

Result<llm::PriceTable> open_prices(const memory::DataFiles& data) {
  const auto files = data.under("models");
  const auto found = files.find("prices.yaml");
  if (found == files.end()) return llm::PriceTable();
  return as_input(llm::PriceTable::parse(found->second, "models/prices.yaml"));
}

Result<> needs_price(const llm::PriceTable& prices, const llm::ModelSpec& spec) {
  if (prices.find(spec)) return {};
  return fail_input(
      ErrorCode::Missing, About{"price"},
      "--usd needs a price, and none is known" + prices.near_names(spec) +
          ": add one to models/prices.yaml (docs/models.md), or bound --tokens instead",
      spec.text());
}

}  // namespace kw::session

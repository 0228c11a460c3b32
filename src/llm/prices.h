// PriceTable: what tokens cost, from a file that the user may edit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/spec.h"
#include "record/exchange.h"

namespace kw::llm {

class PriceTable {
 public:
  /// Parses models/prices.yaml (docs/models.md); errors are `origin:line:column: message`.
  static Result<PriceTable> parse(std::string_view text, std::string_view origin);
  /// A table of the prices that a run recorded.
  explicit PriceTable(std::vector<Price> prices = {}) : prices_(std::move(prices)) {}

  /// The price of a model at the server that the spec names; nothing: unknown. manual and scripted
  /// cost nothing.
  std::optional<Price> find(const ModelSpec& spec) const;
  /// A hint such as " (did you mean 'gpt-4.1'?)" with the nearest priced model of the same server,
  /// or an empty text.
  std::string near_names(const ModelSpec& spec) const;
  const std::vector<Price>& all() const { return prices_; }

 private:
  std::vector<Price> prices_;
};

double cost_usd(const Usage& usage, const Price& price);

/// The most that a call with this usage can cost: every prompt token costs the highest prompt rate.
double worst_cost_usd(const Usage& usage, const Price& price);

}  // namespace kw::llm

// Makes a strategy by its name, for tests; programs take it from find_strategy().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "search/strategy.h"

namespace kw::search {

/// Errors as find_strategy(); `ideas` go from simple to best.
inline Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name,
                                                       std::vector<Idea> ideas,
                                                       const StrategyOptions& options) {
  const StrategyInfo* info = KW_TRY(find_strategy(name));
  return info->make(std::move(ideas), options);
}

}  // namespace kw::search

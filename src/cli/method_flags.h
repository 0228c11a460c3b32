// The flags for options of single strategies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "record/attempt.h"
#include "search/method_option.h"
#include "search/strategy.h"

namespace kw::cli {

/// A flag for each of search::method_options().
class MethodFlags {
 public:
  MethodFlags();

  void declare(Flags& flags);
  /// Keeps what was given. Errors: an option that this strategy does not have, or a value that the
  /// option does not allow.
  Result<> into(const search::StrategyInfo& strategy, RunConfig& config) const;

  /// The value of one flag. Precondition: there is such an option.
  search::OptionValue& value(std::string_view flag);
  const search::OptionValue& value(std::string_view flag) const;
  const std::string& text(std::string_view flag) const { return value(flag).text; }

 private:
  std::vector<search::OptionValue> values_;  ///< In the order of method_options().
};

}  // namespace kw::cli

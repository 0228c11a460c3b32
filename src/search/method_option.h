// The list of options of single strategies: how each is called, what values are allowed, and where
// the value is kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "record/method_options.h"

namespace kw::search {

struct StrategyInfo;

/// What a person gave for an option; which member counts depends on the option's kind.
struct OptionValue {
  std::string text;
  std::int64_t number = 0;
  bool is_on = false;
};

enum class OptionKind { Text, Number, Switch };

/// An option that only some strategies have. Programs that offer options (kw optimize) read this
/// list, so that a new option needs a row here and its field in MethodOptions.
struct MethodOption {
  std::string_view flag;  ///< Name with its dashes: "--rounds".
  std::string_view help;  ///< Description in one line.
  OptionKind kind = OptionKind::Text;
  std::span<const std::string_view> values = {};  ///< Allowed texts; empty: any.
  std::int64_t usual = 0;                         ///< The number that stands for "not given".
  std::int64_t least = 0;
  std::int64_t most = 0;
  bool (*has_effect)(const StrategyInfo& strategy) = nullptr;
  /// Ends the sentence "FLAG has no effect on strategy 'NAME'".
  std::string (*why_idle)(const StrategyInfo& strategy) = nullptr;
  /// Keeps a value that was given.
  void (*keep)(MethodOptions& options, const OptionValue& value) = nullptr;
  /// Whether only strategies with a writing model have the option, and none that tunes a landscape.
  bool is_for_writing = false;

  /// Whether a person gave a value.
  bool is_given(const OptionValue& value) const {
    return !value.text.empty() || value.number != usual || value.is_on;
  }
};

/// All options, in the order in which help shows them.
std::span<const MethodOption> method_options();

}  // namespace kw::search

// Declares and checks the flags for options of single strategies.
// SPDX-License-Identifier: Apache-2.0
#include "cli/method_flags.h"

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::cli {
namespace {

/// An error if a text is not among the allowed ones.
Result<> check_text(const search::MethodOption& option, const std::string& text) {
  if (option.values.empty() || contains(option.values, text)) return {};
  const std::vector<std::string> allowed(option.values.begin(), option.values.end());
  return fail_input(
      ErrorCode::BadInput, About{std::string(option.flag) + " " + with_nearest(text, allowed)},
      std::string(option.flag) + " is " + join(allowed, allowed.size() == 2 ? " or " : ", ") +
          ", not '" + text + "'" + suggestion(text, allowed));
}

std::size_t index_of(std::string_view flag) {
  const auto options = search::method_options();
  const auto found = std::ranges::find(options, flag, &search::MethodOption::flag);
  KW_ASSERT(found != options.end());
  return static_cast<std::size_t>(found - options.begin());
}

}  // namespace

MethodFlags::MethodFlags() {
  for (const search::MethodOption& option : search::method_options())
    values_.push_back({.text = {}, .number = option.usual, .is_on = false});
}

search::OptionValue& MethodFlags::value(std::string_view flag) { return values_[index_of(flag)]; }

const search::OptionValue& MethodFlags::value(std::string_view flag) const {
  return values_[index_of(flag)];
}

void MethodFlags::declare(Flags& flags) {
  for (const search::MethodOption& option : search::method_options()) {
    const std::string flag(option.flag), help(option.help);
    search::OptionValue& into = value(flag);
    switch (option.kind) {
      case search::OptionKind::Text:
        flags.text(flag, into.text, help);
        break;
      case search::OptionKind::Switch:
        flags.on_off(flag, into.is_on, help);
        break;
      case search::OptionKind::Number:
        flags.integer(flag, into.number, help, {option.least, option.most});
        break;
    }
  }
}

Result<> MethodFlags::into(const search::StrategyInfo& strategy, RunConfig& config) const {
  for (const search::MethodOption& option : search::method_options()) {
    const search::OptionValue& given = value(option.flag);
    if (!option.is_given(given)) continue;
    if (!option.has_effect(strategy))
      return fail_input(ErrorCode::Contradiction, About{std::string(option.flag)},
                        std::string(option.flag) + " has no effect on strategy '" +
                            std::string(strategy.name) + "'" + option.why_idle(strategy));
    KW_TRY(check_text(option, given.text));
    option.keep(config, given);
  }
  // A judge that is neither of the program's own is a model in that role.
  const std::string& judge = text("--judge");
  if (!judge.empty() && !config.judges_by_rules && !config.judges_learned)
    config.models.push_back("judge=" + judge);
  return {};
}

}  // namespace kw::cli

// Looks for differences and quotients of integer parameters.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/small_sizes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace kw::task {

SmallSizes small_sizes(const CFunction& function, const std::vector<lex::Token>& tokens) {
  const auto at = [&](std::size_t i, std::string_view text) {
    return i < function.close && tokens[i].is(text);
  };
  const auto is_size = [&](std::size_t i) {
    const CParameter* parameter = i < function.close && tokens[i].kind == lex::Token::Kind::Word
                                      ? function.find(tokens[i].text)
                                      : nullptr;
    return parameter != nullptr && !parameter->is_pointer && is_integer(parameter->dtype);
  };
  std::set<std::pair<std::string, std::string>> differences;
  std::set<std::string> divisors, factors, ends;
  SmallSizes small;
  for (std::size_t i = function.open + 1; i < function.close; ++i) {
    if (at(i, "-") && is_size(i - 1)) {
      std::size_t other = i + 1;
      while (at(other, "(") || (at(other, "2") && at(other + 1, "*")))
        other += at(other, "(") ? 1 : 2;
      // The difference of products is one of other things.
      const bool is_product = at(i - 2, "*") || at(i - 2, "/") || at(other + 1, "/") ||
                              (at(other + 1, "*") && !at(other + 2, "2"));
      if (is_size(other) && !is_product)
        differences.emplace(tokens[i - 1].text, tokens[other].text);
    }
    if (!is_size(i)) continue;
    if (at(i - 1, "/") && (at(i - 2, ")") || is_size(i - 2))) divisors.emplace(tokens[i].text);
    if (at(i - 1, "[") && at(i + 1, "]")) small.places.emplace(tokens[i].text);
    if (std::ranges::any_of(std::to_array({"<", "<=", ">", ">=", "!="}),
                            [&](const char* relation) { return at(i - 1, relation); }))
      ends.emplace(tokens[i].text);
    if (at(i - 1, "*") || at(i + 1, "*")) factors.emplace(tokens[i].text);
  }
  for (const auto& [large, window] : differences)
    if (large != window && !differences.contains({window, large}))
      small.windows.emplace(window, large);
  // What has a window of its own is none: `n` in `m - n` and `n - k`.
  for (const auto& [large, window] : differences) small.windows.erase(large);
  std::erase_if(small.places, [&](const std::string& place) { return ends.contains(place); });
  std::ranges::set_intersection(divisors, factors,
                                std::inserter(small.strides, small.strides.end()));
  return small;
}

}  // namespace kw::task

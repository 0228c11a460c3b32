// Wording: a sentence of a finding together with the numbers that it was made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kw {

/// A text and the numbers that were written into it, in their order and not rounded.
struct Wording {
  std::string text{};
  std::vector<double> numbers{};

  Wording& operator+=(const Wording& more) {
    text += more.text;
    numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end());
    return *this;
  }
  friend Wording operator+(Wording first, const Wording& more) { return std::move(first += more); }
  friend Wording operator+(Wording first, std::string_view more) {
    first.text += more;
    return first;
  }
};

/// A time, shown as format_ns() does.
struct InNs {
  double number = 0;
};
/// A size, shown as format_bytes() does.
struct InBytes {
  std::int64_t number = 0;
};
/// A value with a unit, shown as format_si() does.
struct InSi {
  double number = 0;
  std::string_view unit{};
};

namespace wording {

inline std::string shown(const Wording& value) { return value.text; }
inline std::string shown(InNs value) { return format_ns(value.number); }
inline std::string shown(InBytes value) {
  return format_bytes(static_cast<std::uint64_t>(value.number));
}
inline std::string shown(InSi value) { return format_si(value.number, value.unit); }

template <class T>
concept HasNumber = requires(const T& value) { shown(value); };

template <class T>
void keep_number(std::vector<double>& numbers, const T& value) {
  if constexpr (std::is_same_v<T, Wording>)
    numbers.insert(numbers.end(), value.numbers.begin(), value.numbers.end());
  else if constexpr (HasNumber<T>)
    numbers.push_back(static_cast<double>(value.number));
  else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
                     !std::is_same_v<T, char>)
    numbers.push_back(static_cast<double>(value));
}

}  // namespace wording

/// Formats like fmt::format(), and keeps each argument that is a number, and those of each argument
/// that is itself a Wording.
template <class... Args>
Wording worded(fmt::format_string<const Args&...> words, const Args&... args) {
  Wording made{fmt::format(words, args...), {}};
  (wording::keep_number(made.numbers, args), ...);
  return made;
}

}  // namespace kw

/// Writes a Wording, or a number with its unit, as its text.
template <kw::wording::HasNumber T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string_view>::format(kw::wording::shown(value), context);
  }
};

// Names of an enum's values, for files and screens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace kw {

/// Names of an enum's values in declaration order; specialised beside each enum that has names.
template <class E>
struct EnumNames;

template <class E>
constexpr std::string_view name_of(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

template <class E>
constexpr std::optional<E> enum_from(std::string_view name) {
  for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i)
    if (EnumNames<E>::names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace kw

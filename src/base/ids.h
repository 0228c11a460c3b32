// StrongId<Tag>: integer ids that cannot be mixed up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace kw {

/// `using RunId = StrongId<struct RunTag>;` Zero and below mean "none", as rows count from 1.
template <class Tag, class T = std::int64_t>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(T value) : value_(value) {}
  constexpr T value() const { return value_; }
  constexpr explicit operator bool() const { return value_ > 0; }
  constexpr auto operator<=>(const StrongId&) const = default;

 private:
  T value_ = 0;
};

}  // namespace kw

template <class Tag, class T>
struct std::hash<kw::StrongId<Tag, T>> {
  std::size_t operator()(kw::StrongId<Tag, T> id) const noexcept {
    return std::hash<T>()(id.value());
  }
};

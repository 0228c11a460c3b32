// The table of related families of tasks.
// SPDX-License-Identifier: Apache-2.0
#include "memory/kin.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kw::memory {
namespace {

constexpr std::pair<std::string_view, std::string_view> kKin[] = {
    {"matmul", "convolution"},      {"matmul", "attention"},        {"convolution", "attention"},
    {"attention", "normalization"}, {"reduction", "normalization"}, {"reduction", "scan"},
    {"reduction", "histogram"},     {"elementwise", "transpose"},   {"stencil", "transpose"},
    {"elementwise", "stencil"}};

}  // namespace

std::optional<int> kinship(std::string_view family, std::string_view other) {
  const auto found = std::find_if(std::begin(kKin), std::end(kKin), [&](const auto& pair) {
    const auto& [a, b] = pair;
    return (family == a && other == b) || (family == b && other == a);
  });
  if (found == std::end(kKin)) return std::nullopt;
  return static_cast<int>(found - std::begin(kKin));
}

bool are_kin(std::string_view family, std::string_view other) {
  return kinship(family, other).has_value();
}

}  // namespace kw::memory

// The table of related families of tasks.
// SPDX-License-Identifier: Apache-2.0
#include "memory/kin.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kw::memory {
namespace {

constexpr std::pair<std::string_view, std::string_view> kKin[] = {
    {"matmul", "convolution"},      {"matmul", "attention"},      {"convolution", "attention"},
    {"attention", "normalization"}, {"reduction", "scan"},        {"reduction", "normalization"},
    {"reduction", "histogram"},     {"elementwise", "transpose"}, {"elementwise", "stencil"},
    {"stencil", "transpose"}};

}  // namespace

bool are_kin(std::string_view family, std::string_view other) {
  return std::any_of(std::begin(kKin), std::end(kKin), [&](const auto& pair) {
    const auto& [a, b] = pair;
    return (family == a && other == b) || (family == b && other == a);
  });
}

}  // namespace kw::memory

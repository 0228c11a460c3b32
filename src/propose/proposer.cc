// Makes and reads the scopes that name an exchange's purpose.
// SPDX-License-Identifier: Apache-2.0
#include "propose/proposer.h"

#include <charconv>

namespace kw::propose {
namespace {

constexpr std::string_view kScope = "attempt ";

}  // namespace

std::string scope_of_attempt(int number) { return std::string(kScope) + std::to_string(number); }

int attempt_of_scope(std::string_view scope) {
  if (!scope.starts_with(kScope)) return 0;
  int number = 0;
  const char* end = scope.data() + scope.size();
  const auto parsed = std::from_chars(scope.data() + kScope.size(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : 0;
}

std::size_t first_writer(const Situation& s, std::size_t models) {
  return static_cast<std::size_t>((s.writer > 0 ? s.writer : s.number) - 1) % models;
}

}  // namespace kw::propose

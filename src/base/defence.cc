// Reads which defences of the referee the environment switches off for a positive control. The file
// is empty outside test builds.
// SPDX-License-Identifier: Apache-2.0
#include "base/defence.h"

#ifdef KW_DEFENCES_MAY_BE_OFF

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

// The executables that run candidates (players) are linked with this file too, so it uses nothing
// of the C++ runtime.
namespace kw {
namespace {

constexpr char kVariable[] = "KW_DEFENCES_OFF=";
constexpr std::size_t kMostBytes = 1024;

static_assert(std::size(kDefenceNames) <= 64);

constexpr bool are_distinct() {
  for (const DefenceName& one : kDefenceNames)
    for (const DefenceName& other : kDefenceNames)
      if (&one != &other && (one.defence == other.defence || one.name == other.name)) return false;
  return true;
}
static_assert(are_distinct());

std::uint64_t bit_of(std::string_view name) {
  for (const DefenceName& known : kDefenceNames)
    if (known.name == name) return std::uint64_t{1} << static_cast<unsigned>(known.defence);
  std::fprintf(stderr, "the environment variable %s names an unknown defence: %.*s\n", kVariable,
               static_cast<int>(name.size()), name.data());
  std::abort();
}

std::string_view listed() {
  const std::string_view name(kVariable, sizeof kVariable - 2);  // without "="
  char variable[sizeof kVariable];
  std::memcpy(variable, name.data(), name.size());
  variable[name.size()] = 0;
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::uint64_t read_switches() {
  std::uint64_t off = 0;
  std::string_view rest = listed();
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    off |= bit_of(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return off;
}

// The switches are read before main(), so that code loaded later cannot switch a defence off.
const std::uint64_t switched_off = read_switches();

}  // namespace

bool is_on(Defence defence) { return (switched_off >> static_cast<unsigned>(defence) & 1) == 0; }

std::string_view defences_variable() {
  static char variable[kMostBytes];
  const std::string_view value = listed();
  if (value.empty() || value.size() + sizeof kVariable > kMostBytes) return {};
  std::memcpy(variable, kVariable, sizeof kVariable - 1);
  std::memcpy(variable + sizeof kVariable - 1, value.data(), value.size());
  return {variable, sizeof kVariable - 1 + value.size()};
}

}  // namespace kw

#endif

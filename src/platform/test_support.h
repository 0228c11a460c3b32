// Helpers of the tests of src/platform, among them the path of the program that misbehaves on
// demand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/subprocess.h"

namespace kw::platform {

inline std::string attack_program() {
  return (executable_dir().value_or(Path(".")) / "platform_attack").string();
}

inline std::vector<std::string> attack(std::vector<std::string> words) {
  words.insert(words.begin(), attack_program());
  return words;
}

/// Long enough for any machine; a test that reaches it has failed.
inline constexpr std::chrono::seconds kPatience{20};

inline Exit must(Result<Exit> result) {
  if (!result) {
    ADD_FAILURE() << describe(result.error());
    return {};
  }
  return *std::move(result);
}

/// The value of a result; where there is none, fails the test and ends it by an exception.
template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return *std::move(result);
}

}  // namespace kw::platform

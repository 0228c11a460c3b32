// Helpers with which tests read and forge files of bundles and results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/hash.h"

namespace kw::program {

/// The body of a bundle or results file, which follows its first line.
inline nlohmann::json body_of(const std::string& file) {
  return nlohmann::json::parse(file.substr(file.find('\n') + 1));
}

/// The hash that the first line of a bundle or results file names.
inline std::string hash_of(const std::string& file) {
  const auto from = file.find(' ', file.find(' ') + 1) + 1;
  return file.substr(from, file.find(' ', from) - from);
}

/// A complete bundle or results file of this kind with this body.
inline std::string carried_file(const char* kind, const nlohmann::json& body) {
  const std::string text = body.dump();
  return fmt::format("kernelwright-{} 1 {} {}\n{}", kind, sha256(text).hex(), text.size(), text);
}

inline std::string results_file(const nlohmann::json& body) {
  return carried_file("results", body);
}

}  // namespace kw::program

// Secret: a key that never prints; and the redaction of keys in text of any origin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kw::llm {

/// A key. Has no operator<<, no formatter, no conversion and no codec.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  bool is_set() const { return !value_.empty(); }
  /// For the header of a request and for Redactor; nowhere else.
  const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

/// Replaces known keys, and what looks like a key although we do not know it.
class Redactor {
 public:
  /// Keys shorter than 8 characters are left alone: they would match ordinary words.
  void add(const Secret& secret);
  /// Every occurrence of a key, and every word that begins like one ("sk-…": servers repeat a wrong
  /// key with its middle starred), becomes "[key]".
  std::string redact(std::string_view text) const;
  Error redact(Error error) const;

 private:
  std::vector<Secret> secrets_;
};

/// The keys of the environment.
struct Keys {
  Secret openai;     ///< OPENAI_API_KEY
  Secret anthropic;  ///< ANTHROPIC_API_KEY

  Redactor redactor() const;
};

inline constexpr const char* kOpenAiKeyName = "OPENAI_API_KEY";
inline constexpr const char* kAnthropicKeyName = "ANTHROPIC_API_KEY";

/// Reads the keys from this process's environment; called once, in the controller. Blanks around a
/// key are dropped; one with a control character inside is an error that does not repeat it.
Result<Keys> keys_from_environment();

}  // namespace kw::llm

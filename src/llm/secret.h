// Secret: a key that cannot be printed. Redactor: removes keys from texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "llm/spec.h"

namespace kw::llm {

/// A key. It has no operator<<, no formatter, no conversion and no codec, so that it cannot be
/// printed by mistake.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  bool is_set() const { return !value_.empty(); }
  /// The key's text; only for the header of a request and for Redactor.
  const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

/// Removes known keys, and words that look like keys, from texts.
class Redactor {
 public:
  /// Adds a key to be removed. Keys shorter than 8 characters are not added, because they would
  /// match ordinary words.
  void add(const Secret& secret);
  /// Replaces every known key, and every word that looks like a key, by "[key]". Words that begin
  /// with "sk-" count; they may hold stars, because servers repeat a wrong key with a starred
  /// middle.
  std::string redact(std::string_view text) const;
  Error redact(Error error) const;

 private:
  std::vector<Secret> secrets_;
};

/// The keys of the environment, at most one for each provider.
class Keys {
 public:
  void set(Provider provider, Secret key) { keys_[provider] = std::move(key); }
  /// The vendor's key, which also serves other base URLs, as in other clients; empty: there is
  /// none.
  const Secret& of(Provider provider) const;
  Redactor redactor() const;

 private:
  std::map<Provider, Secret> keys_;
};

/// Reads the keys from this process's environment; called once, in the controller. Blanks around a
/// key are dropped; one with a control character inside is an error that does not repeat it.
Result<Keys> keys_from_environment();

}  // namespace kw::llm

// Reads API keys from the environment, and removes them from texts.
// SPDX-License-Identifier: Apache-2.0
#include "llm/secret.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "llm/providers.h"

namespace kw::llm {
namespace {

constexpr std::string_view kMark = "[key]";
constexpr std::size_t kShortestKey = 8;

/// Whether the character occurs in keys of the known vendors, or is a star, which replaces
/// characters in abbreviated keys.
bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '*';
}

void replace_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + kMark.size()))
    text.replace(at, what.size(), kMark);
}

void replace_lookalikes(std::string& text) {
  constexpr std::string_view start = "sk-";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    // the middle of a word such as "task-list" begins no key
    if (at > 0 && is_key_character(text[at - 1])) continue;
    std::size_t end = at;
    while (end < text.size() && is_key_character(text[end])) ++end;
    if (end - at >= kShortestKey) text.replace(at, end - at, kMark);
  }
}

Result<Secret> key_from(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return Secret();
  const std::string_view key = trim(value);
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= 32 || c == 127; };
  if (std::any_of(key.begin(), key.end(), is_bad))
    return fail(ErrorCode::BadKey, "the API key holds a blank or a control character", name,
                Advice::Stop);
  return Secret(std::string(key));
}

}  // namespace

void Redactor::add(const Secret& secret) {
  if (secret.reveal().size() >= kShortestKey) secrets_.push_back(secret);
}

std::string Redactor::redact(std::string_view text) const {
  std::string clean(text);
  for (const Secret& secret : secrets_) replace_all(clean, secret.reveal());
  replace_lookalikes(clean);
  return clean;
}

Error Redactor::redact(Error error) const {
  error.what = redact(error.what);
  error.where = redact(error.where);
  error.about = redact(error.about);
  return error;
}

const Secret& Keys::of(Provider provider) const {
  static const Secret none;
  const auto found = keys_.find(provider);
  return found == keys_.end() ? none : found->second;
}

Redactor Keys::redactor() const {
  Redactor redactor;
  for (const auto& [provider, key] : keys_) redactor.add(key);
  return redactor;
}

Result<Keys> keys_from_environment() {
  Keys keys;
  for (const ProviderInfo& info : providers())
    if (*info.key_name != '\0')
      keys.set(provider_named(info.name).value(), KW_TRY(key_from(info.key_name)));
  return keys;
}

}  // namespace kw::llm

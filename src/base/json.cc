// Reads and writes JSON through nlohmann's library, without its exceptions.
// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/text.h"

namespace kw {
namespace {

/// Offset of the first bracket that opens a level beyond `depth`, or npos.
std::size_t find_too_deep(std::string_view text, std::size_t depth) {
  std::size_t open = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++open > depth) return i;
    } else if ((c == ']' || c == '}') && open > 0) {
      --open;
    }
  }
  return std::string_view::npos;
}

/// Offset behind the end of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

/// Offset behind the end of the array that begins at `at`.
std::size_t end_of_array(std::string_view text, std::size_t at) {
  std::size_t open = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (text[at] == '[') ++open;
    if (text[at++] == ']' && --open == 0) break;
  }
  return at;
}

/// Offset of `needle` at or behind `at`; npos: there is none. Several times as fast as
/// string_view::find in text where the needle's first character is frequent.
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t at) {
  const void* found = memmem(text.data() + at, text.size() - at, needle.data(), needle.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

/// The message of nlohmann's parser without its prefix and without the position that it names.
std::string_view plain_message(std::string_view what) {
  if (const auto colon = what.find(": "); colon != std::string_view::npos)
    what.remove_prefix(colon + 2);
  return what;
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view origin, JsonLimits limits) {
  const auto at = [&](std::size_t offset) {
    const Position place = position_of(text, offset);
    return fmt::format("{}:{}:{}", origin, place.line, place.column);
  };
  if (text.size() > limits.bytes)
    return fail(ErrorCode::TooLarge, About{"bytes"},
                fmt::format("the JSON text has {}; at most {} are read", format_bytes(text.size()),
                            format_bytes(limits.bytes)),
                std::string(origin));
  if (const auto deep = find_too_deep(text, limits.depth); deep != std::string_view::npos)
    return fail(ErrorCode::TooLarge, About{"levels"},
                fmt::format("the JSON text is nested deeper than {} levels", limits.depth),
                at(deep));
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail(ErrorCode::Malformed, sanitise(plain_message(error.what()), 200),
                at(error.byte == 0 ? 0 : error.byte - 1));
  } catch (const Json::exception& error) {
    return fail(ErrorCode::Malformed, sanitise(error.what(), 200), std::string(origin));
  }
}

bool is_nested_deeper(std::string_view text, std::size_t depth) {
  return find_too_deep(text, depth) != std::string_view::npos;
}

std::string without_arrays(std::string_view json, std::string_view key) {
  const std::string start = fmt::format("\"{}\":[", key);
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0;;) {
    const std::size_t found = find_text(json, start, at);
    if (found == std::string_view::npos) return out += json.substr(at);
    const std::size_t end = found + start.size();
    out += json.substr(at, end - at);
    // A longer key that merely ends with this name has an escaped quote before it.
    const bool is_key = found == 0 || json[found - 1] != '\\';
    at = is_key ? end_of_array(json, end - 1) : end;
    if (is_key) out += ']';
  }
}

std::string dump_json(const Json& value) {
  return with_escapes(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string dump_json_pretty(const Json& value) {
  return with_escapes(value.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

}  // namespace kw

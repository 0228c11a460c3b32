// Reads foreign JSON within limits, and writes JSON in one canonical form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t bytes = 64u << 20;
  std::size_t depth = 64;  ///< Depth of nested arrays and objects.
};

/// `origin` names the text in errors, which read `origin:line:column: message`.
Result<Json> parse_json(std::string_view text, std::string_view origin, JsonLimits limits = {});

/// Whether JSON text nests arrays and objects more than `depth` levels deep; nlohmann's parser has
/// no limit on the depth.
bool is_nested_deeper(std::string_view text, std::size_t depth);

/// JSON on one line with sorted keys; bytes that are no UTF-8 are replaced, and hidden characters
/// (foreign_text.h) are written like \u202E. Equal values give equal text, which can be hashed,
/// compared and shown.
std::string dump_json(const Json& value);

/// JSON as dump_json() writes it, but indented by two blanks and with a final newline.
std::string dump_json_pretty(const Json& value);

/// JSON text, as dump_json() writes it, with every array under `key` emptied. Parsing dominates the
/// cost of reading, so arrays that nobody needs are cut from the text first. Other text comes back
/// unchanged.
std::string without_arrays(std::string_view json, std::string_view key);

}  // namespace kw

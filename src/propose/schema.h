// Schemas of replies that are not kernels: a JSON object of a few fields, each with its bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

struct SchemaField {
  enum class Kind {
    Words,   ///< A text of at most `most` words.
    Names,   ///< A list of `least` to `most` of the names that the prompt offers.
    Line,    ///< A line number from 1; 0: none.
    Choice,  ///< One of `choices`.
  };
  std::string_view name;
  Kind kind = Kind::Words;
  int most = 0;
  int least = 0;
  std::span<const std::string_view> choices{};
};

/// The schema of replies to a template of prompts/; empty: any text is a valid reply.
std::span<const SchemaField> schema_of(std::string_view prompt);

/// Reads the fields of a reply as texts, with lists of names joined by ", ". The first JSON object
/// of the reply counts, inside a fence or outside; additional fields are ignored. Total and pure:
/// the error says which field is missing, too long, of the wrong kind, or has a name that was not
/// offered. If no names are offered, fields of names are not read; if fewer are offered than a
/// field's minimum, all of them must be named.
std::expected<std::map<std::string, std::string>, std::string> read_schema(
    std::string_view reply, std::span<const SchemaField> schema,
    const std::vector<std::string>& offered = {});

}  // namespace kw::propose

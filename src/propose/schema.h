// Schemas of replies that are not kernels: a JSON object with a few fields, each with its bound.
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

/// Of the file of prompts/ that asks; empty: any text is a reply.
std::span<const SchemaField> schema_of(std::string_view prompt);

/// The fields as texts, names joined by ", ". The first JSON object of the reply counts, inside a
/// fence or out of it; more fields than asked for are passed over. Total and pure: the error says
/// what is missing, too long, of the wrong kind or not offered. Where no names are offered nothing
/// is read of a field that asks for some; where fewer than its least, all are enough.
std::expected<std::map<std::string, std::string>, std::string> read_schema(
    std::string_view reply, std::span<const SchemaField> schema,
    const std::vector<std::string>& offered = {});

}  // namespace kw::propose

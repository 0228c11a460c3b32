// Splits lists in angle brackets.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/template_head.h"

#include <algorithm>

namespace kw::task {
namespace {

struct AngleList {
  std::vector<TokenRange> parts;
  std::size_t end = 0;  ///< Behind the >.
};

/// The list that opens with the < at the token; nothing where it does not end in this statement.
std::optional<AngleList> read_angles(const SiteReader& reader, std::size_t open) {
  if (!reader.at(open, "<")) return std::nullopt;
  AngleList list;
  std::size_t depth = 1, begin = open + 1;
  for (std::size_t i = begin; i < reader.tokens().size(); ++i) {
    if (reader.at(i, ";") || reader.at(i, "{") || reader.at(i, "}")) return std::nullopt;
    if (reader.at(i, "(") || reader.at(i, "[")) {
      i = lex::find_closing(reader.tokens(), i);
      continue;
    }
    if (reader.at(i, "<")) ++depth;
    if (reader.at(i, ",") && depth == 1) {
      list.parts.push_back({begin, i});
      begin = i + 1;
    }
    if (reader.at(i, ">>")) return std::nullopt;  // a template's argument that is a template
    if (!reader.at(i, ">") || --depth > 0) continue;
    if (begin < i) list.parts.push_back({begin, i});
    list.end = i + 1;
    return list;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TemplateHead> read_template_head(const SiteReader& reader, std::size_t begin) {
  if (!reader.at(begin, "template")) return std::nullopt;
  const auto list = read_angles(reader, begin + 1);
  if (!list || list->parts.empty()) return std::nullopt;
  TemplateHead head{{begin, list->end}, {}};
  for (const TokenRange part : list->parts) {
    TemplateParameter parameter;
    std::size_t equals = part.begin;
    while (equals < part.end && !reader.at(equals, "=")) ++equals;
    if (equals < part.end) parameter.standard = {equals + 1, part.end};
    TokenRange type{part.begin, equals};
    if (type.is_empty()) return std::nullopt;
    parameter.is_type = reader.at(type.begin, "typename") || reader.at(type.begin, "class");
    const std::size_t last = type.end - 1;
    if (!reader.is_word(last)) return std::nullopt;
    if (parameter.is_type) {
      if (type.end > type.begin + 2) return std::nullopt;
      if (last > type.begin) parameter.name = reader.word(last);
    } else {
      // The last word is the name, unless the words are a type without it.
      const bool has_name = last > type.begin && reader.dtype_of_words({type.begin, last});
      if (has_name) parameter.name = reader.word(last);
      if (has_name) type.end = last;
      parameter.dtype = reader.dtype_of_words(type);
      parameter.words = reader.text(type);
      if (!parameter.dtype || is_real(*parameter.dtype)) return std::nullopt;
    }
    head.parameters.push_back(std::move(parameter));
  }
  return head;
}

std::optional<TemplateArguments> read_template_arguments(const SiteReader& reader,
                                                         std::size_t open) {
  auto list = read_angles(reader, open);
  if (!list || list->parts.empty() || !reader.at(list->end, "(")) return std::nullopt;
  return TemplateArguments{std::move(list->parts), list->end};
}

}  // namespace kw::task

// Finds code inside JSON or tags, the forms of tool calls and of some applications' templates.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/json.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "propose/edits.h"
#include "propose/markdown.h"
#include "propose/reply_forms.h"

namespace kw::propose {
namespace {

constexpr int kMostBraces = 50;  // places where a JSON object may begin
constexpr int kMostNested = 8;   // levels of JSON inside strings of JSON
constexpr std::size_t kMostTags = 200;

/// Keys under which editing tools pass the text to replace and the text that replaces it.
struct OldAndNew {
  std::string_view old_text;
  std::string_view new_text;
};
constexpr auto kPairs = std::to_array<OldAndNew>({{"OLD_STR", "NEW_STR"},
                                                  {"OLD_STRING", "NEW_STRING"},
                                                  {"OLD_TEXT", "NEW_TEXT"},
                                                  {"OLD_CODE", "NEW_CODE"},
                                                  {"OLD", "NEW"},
                                                  {"SEARCH", "REPLACE"},
                                                  {"FIND", "REPLACE"},
                                                  {"ORIGINAL", "UPDATED"},
                                                  {"BEFORE", "AFTER"}});

std::string with_end(std::string_view text) {
  std::string out(text);
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out;
}

std::string search_block(std::string_view old_text, std::string_view new_text) {
  return "<<<<<<< SEARCH\n" + with_end(old_text) + "=======\n" + with_end(new_text) +
         ">>>>>>> REPLACE\n";
}

/// Collects what is found in a container of JSON or tags: the last source and all edits.
class Harvest {
 public:
  explicit Harvest(const IsSource& is_source) : is_source_(is_source) {}

  void add_edit(std::string_view old_text, std::string_view new_text) {
    edits_ += search_block(old_text, new_text);
  }

  /// Keeps a text if it is a source, holds fenced code, or holds edits.
  void add_text(std::string_view text) {
    const auto blocks = find_blocks(text);
    const bool has_blocks =
        std::ranges::any_of(blocks, [&](const Block& block) { return is_source_(block.text); });
    const bool has_edits = !find_edits(text, false).edits.empty() ||
                           text.find("*** Begin Patch") != std::string_view::npos;
    if (has_blocks || has_edits)
      code_ = with_patches_as_diffs(text);
    else if (is_source_(text))
      code_ = fenced(text, "cpp") + "\n";
  }

  /// All edits or else the last source; empty: neither was found.
  const std::string& text() const { return edits_.empty() ? code_ : edits_; }

 private:
  const IsSource& is_source_;
  std::string edits_;
  std::string code_;
};

/// Offset after the brace that closes the brace at `open`; nothing where the text ends first.
std::optional<std::size_t> end_of_object(std::string_view text, std::size_t open) {
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        is_in_string = false;
      continue;
    }
    is_in_string = c == '"';
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return std::nullopt;
}

/// The first JSON object at or after `at`, with its offset. Moves `at` behind the object.
std::optional<std::pair<std::size_t, Json>> next_object(std::string_view text, std::size_t& at,
                                                        int& braces) {
  for (; braces < kMostBraces; ++at) {
    at = text.find('{', at);
    if (at == std::string_view::npos) return std::nullopt;
    // A JSON object begins with a quoted name, unless it is empty and thus holds no code.
    const std::size_t name = text.find_first_not_of(" \t\r\n", at + 1);
    if (name == std::string_view::npos || text[name] != '"') continue;
    ++braces;
    const auto end = end_of_object(text, at);
    if (!end) continue;
    auto json = parse_json(text.substr(at, *end - at), "reply");
    if (!json) continue;
    return std::pair{std::exchange(at, *end), std::move(*json)};
  }
  return std::nullopt;
}

class JsonWalk {
 public:
  explicit JsonWalk(Harvest& harvest) : harvest_(harvest) {}

  void visit(const Json& value, int nested = 0) {
    if (value.is_string()) return visit_string(value.get_ref<const std::string&>(), nested);
    if (value.is_array() && visit_lines(value)) return;
    if (value.is_object() && visit_pair(value)) return;
    for (const auto& part : value)
      if (value.is_structured()) visit(part, nested);
  }

 private:
  void visit_string(const std::string& text, int nested) {
    const std::string_view content = trim(text);
    if (nested < kMostNested && (content.starts_with('{') || content.starts_with('[')))
      if (const auto inner = parse_json(content, "reply")) return visit(*inner, nested + 1);
    harvest_.add_text(text);
  }

  /// Takes an array of strings as the lines of one text.
  bool visit_lines(const Json& array) {
    std::string text;
    for (const Json& line : array) {
      if (!line.is_string()) return false;
      text += with_end(line.get_ref<const std::string&>());
    }
    harvest_.add_text(text);
    return array.size() > 1;
  }

  bool visit_pair(const Json& object) {
    std::optional<std::string> old_text, new_text;
    for (const OldAndNew& pair : kPairs) {
      for (const auto& [name, value] : object.items()) {
        if (!value.is_string()) continue;
        const std::string upper = upper_case(name);
        if (upper == pair.old_text) old_text = value.get<std::string>();
        if (upper == pair.new_text) new_text = value.get<std::string>();
      }
      if (old_text && new_text) {
        harvest_.add_edit(*old_text, *new_text);
        return true;
      }
      old_text.reset();
      new_text.reset();
    }
    return false;
  }

  Harvest& harvest_;
};

/// The text between an opening tag and its closing tag.
struct Element {
  std::string tag;  ///< The opening tag without attributes: "<code>".
  std::string key;  ///< Result of key_of(), such as OLD_STR.
  std::string_view inner;
  std::size_t begin = 0;
};

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == ':' ||
         c == '.';
}

/// The key of a tag: OLD_STR for <parameter name="old_str">, otherwise the tag's name in upper
/// case.
std::string key_of(std::string_view name, std::string_view attributes) {
  const std::size_t equals = attributes.find('=');
  if (equals == std::string_view::npos) return upper_case(name);
  const std::string_view what = trim(attributes.substr(0, equals));
  if (!what.empty() && what != "name") return upper_case(name);
  std::string_view value = trim(attributes.substr(equals + 1));
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\''))
    value = value.substr(1, value.find(value.front(), 1) - 1);
  return upper_case(value);
}

/// The content of a tag without <![CDATA[ … ]]> and without a newline directly after the tag.
std::string_view content_of(std::string_view inner) {
  constexpr std::string_view kOpen = "<![CDATA[", kClose = "]]>";
  if (const std::string_view all = trim(inner); all.starts_with(kOpen) && all.ends_with(kClose))
    inner = all.substr(kOpen.size(), all.size() - kOpen.size() - kClose.size());
  if (inner.starts_with('\n')) inner.remove_prefix(1);
  return inner;
}

/// The element of the given name whose closing tag is at `close`.
std::optional<Element> element_before(std::string_view text, const std::string& upper,
                                      std::size_t close, std::string_view name) {
  const std::string open = "<" + upper_case(name);
  std::size_t begin = close;
  while (begin > 0) {
    begin = upper.rfind(open, begin - 1);
    if (begin == std::string::npos) return std::nullopt;
    const std::size_t behind = begin + open.size();
    const std::size_t end = text.find('>', behind);
    if (end < close && !is_name_letter(text[behind])) {
      const std::string_view attributes = text.substr(behind, end - behind);
      return Element{std::string(text.substr(begin, behind - begin)) + ">",
                     key_of(name, attributes), content_of(text.substr(end + 1, close - end - 1)),
                     begin};
    }
  }
  return std::nullopt;
}

/// All elements of a text, in the order of their closing tags.
std::vector<Element> elements_in(std::string_view text) {
  const std::string upper = upper_case(text);
  std::vector<Element> elements;
  std::size_t tags = 0;
  for (std::size_t at = text.find("</"); at != std::string_view::npos && tags < kMostTags;
       at = text.find("</", at + 2)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) break;
    const std::string_view name = text.substr(at + 2, end - at - 2);
    if (name.empty() || !std::ranges::all_of(name, is_name_letter)) continue;
    ++tags;
    if (auto element = element_before(text, upper, at, name)) elements.push_back(*element);
  }
  return elements;
}

/// An element that begins with a tag alone in its line and is never closed; its content is all that
/// follows.
std::optional<Element> unclosed_element(std::string_view text, const IsSource& is_source) {
  for (const std::string_view line : split_lines(text)) {
    const std::string_view tag = trim(line);
    if (tag.size() < 3 || !tag.starts_with('<') || !tag.ends_with('>')) continue;
    const std::string_view name =
        tag.substr(1, std::ranges::find_if_not(tag.substr(1), is_name_letter) - tag.begin() - 1);
    if (name.empty()) continue;
    const auto behind = static_cast<std::size_t>(line.data() + line.size() - text.data());
    const std::string_view inner = content_of(text.substr(behind));
    if (is_source(inner))
      return Element{"<" + std::string(name) + ">", "", inner,
                     static_cast<std::size_t>(line.data() - text.data())};
    return std::nullopt;
  }
  return std::nullopt;
}

bool is_pair(const Element& old_text, const Element& new_text) {
  return std::ranges::any_of(kPairs, [&](const OldAndNew& pair) {
    return old_text.key == pair.old_text && new_text.key == pair.new_text;
  });
}

}  // namespace

std::optional<Converted> code_in_json(std::string_view text, const IsSource& is_source) {
  std::optional<Converted> found;
  std::size_t at = 0;
  int braces = 0;
  Harvest harvest(is_source);
  while (const auto object = next_object(text, at, braces)) {
    JsonWalk(harvest).visit(object->second);
    if (!found && !harvest.text().empty()) found = Converted{"", object->first, "JSON"};
  }
  if (found) found->text = harvest.text();
  return found;
}

std::optional<Converted> code_in_tags(std::string_view text, const IsSource& is_source) {
  std::optional<Converted> found;
  Harvest harvest(is_source);
  const std::vector<Element> elements = elements_in(text);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Element& element = elements[i];
    const std::string before = harvest.text();
    if (i + 1 < elements.size() && is_pair(element, elements[i + 1]))
      harvest.add_edit(element.inner, elements[i + 1].inner);
    else if (element.inner.find("</") == std::string_view::npos)
      harvest.add_text(element.inner);
    if (harvest.text() == before) continue;
    const std::size_t begin = found ? std::min(found->begin, element.begin) : element.begin;
    found = Converted{harvest.text(), begin, "the tag " + element.tag};
  }
  if (found) return found;
  const auto rest = unclosed_element(text, is_source);
  if (!rest) return std::nullopt;
  return Converted{fenced(rest->inner, "cpp") + "\n", rest->begin, "the tag " + rest->tag, false};
}

bool is_data(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '<')
    return std::isalpha(static_cast<unsigned char>(text[1])) != 0 || text[1] == '!' ||
           text[1] == '?';
  if (text.starts_with('[')) text = trim(text.substr(1));
  return text.starts_with('{') && trim(text.substr(1)).starts_with('"');
}

}  // namespace kw::propose

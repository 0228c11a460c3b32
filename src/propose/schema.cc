// The table of schemas for replies, and the function that reads a reply by a schema.
// SPDX-License-Identifier: Apache-2.0
#include "propose/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/contains.h"
#include "base/text.h"

namespace kw::propose {
namespace {

using Kind = SchemaField::Kind;

constexpr std::array<std::string_view, 2> kVerdicts{"accept", "revise"};

// Fields and bounds of CudaForge's judge (arXiv 2511.01884), which also demands three or four
// metrics.
constexpr std::array<SchemaField, 3> kJudgeFix{{{"critical_issue", Kind::Words, 20},
                                                {"why_it_matters", Kind::Words, 35},
                                                {"minimal_fix_hint", Kind::Words, 20}}};
constexpr std::array<SchemaField, 4> kJudgeSpeed{{{"metrics", Kind::Names, 4, 3},
                                                  {"bottleneck", Kind::Words, 30},
                                                  {"optimisation_method", Kind::Words, 35},
                                                  {"modification_plan", Kind::Words, 35}}};
// These fields and bounds are our choice; no paper defines them.
constexpr std::array<SchemaField, 1> kJudgeGap{{{"instructions", Kind::Words, 150}}};
constexpr std::array<SchemaField, 4> kTreePlan{{{"technique", Kind::Words, 6},
                                                {"instruction", Kind::Words, 120},
                                                {"first_line", Kind::Line},
                                                {"last_line", Kind::Line}}};
constexpr std::array<SchemaField, 3> kAgentPlan{{{"parts", Kind::Words, 120},
                                                 {"technique", Kind::Words, 6},
                                                 {"instruction", Kind::Words, 120}}};
constexpr std::array<SchemaField, 2> kAgentReview{
    {{"verdict", Kind::Choice, 0, 0, kVerdicts}, {"reason", Kind::Words, 80}}};
constexpr std::array<SchemaField, 2> kGraphChoice{
    {{"technique", Kind::Words, 8}, {"reason", Kind::Words, 60}}};

using Json = nlohmann::json;

// Limit of the characters looked at: each opening brace may be followed to the end of the text, so
// a text of braces alone would take quadratic time.
constexpr std::size_t kMostLooks = std::size_t{16} << 20;

/// The first text between matching braces that is a JSON object; braces inside strings do not
/// count.
std::optional<Json> first_object(std::string_view text) {
  std::size_t looks = 0;
  for (std::size_t begin = text.find('{'); begin != std::string_view::npos;
       begin = text.find('{', begin + 1)) {
    int depth = 0;
    bool is_string = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
      if (++looks > kMostLooks) return std::nullopt;
      const char c = text[i];
      if (is_string) {
        if (c == '\\')
          ++i;
        else if (c == '"')
          is_string = false;
        continue;
      }
      if (c == '"') is_string = true;
      if (c == '{') ++depth;
      if (c != '}' || --depth != 0) continue;
      auto json = Json::parse(text.substr(begin, i + 1 - begin), nullptr, false);
      if (json.is_object()) return json;
      break;
    }
  }
  return std::nullopt;
}

int words_in(std::string_view text) {
  int words = 0;
  bool is_inside = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    words += !is_blank && !is_inside;
    is_inside = !is_blank;
  }
  return words;
}

using Read = std::expected<std::string, std::string>;

Read wrong(const SchemaField& field, std::string_view what) {
  return std::unexpected(fmt::format("'{}' {}", field.name, what));
}

Read read_words(const SchemaField& field, const Json& value) {
  if (!value.is_string()) return wrong(field, "is no text");
  std::string text(trim(value.get<std::string>()));
  if (text.empty()) return wrong(field, "is empty");
  if (const int words = words_in(text); words > field.most)
    return wrong(field, fmt::format("has {} words, {} are allowed", words, field.most));
  return text;
}

Read read_names(const SchemaField& field, const Json& value,
                const std::vector<std::string>& offered) {
  if (!value.is_array()) return wrong(field, "is no list");
  std::vector<std::string> names;
  for (const Json& item : value) {
    if (!item.is_string()) return wrong(field, "holds something that is no name");
    std::string name = item.get<std::string>();
    if (!contains(offered, name))
      return wrong(field, fmt::format("names '{:.80}', which the list does not have", name));
    if (contains(names, name)) return wrong(field, fmt::format("names '{}' twice", name));
    names.push_back(std::move(name));
  }
  const auto count = static_cast<int>(names.size());
  const int least = std::min(field.least, static_cast<int>(offered.size()));
  if (count < least || count > field.most)
    return wrong(field,
                 fmt::format("has {} names, {} to {} are asked for", count, least, field.most));
  return join(names, ", ");
}

Read read_field(const SchemaField& field, const Json& value,
                const std::vector<std::string>& offered) {
  switch (field.kind) {
    case Kind::Words:
      return read_words(field, value);
    case Kind::Names:
      return read_names(field, value, offered);
    case Kind::Line:
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 1'000'000)
        return wrong(field, "is no line number");
      return std::to_string(value.get<int>());
    case Kind::Choice:
      if (!value.is_string() ||
          std::ranges::find(field.choices, value.get<std::string>()) == field.choices.end())
        return wrong(field, fmt::format("is none of {}", fmt::join(field.choices, ", ")));
      return value.get<std::string>();
  }
  return wrong(field, "is unknown");
}

}  // namespace

std::span<const SchemaField> schema_of(std::string_view prompt) {
  if (prompt == "judge_fix") return kJudgeFix;
  if (prompt == "judge_speed") return kJudgeSpeed;
  if (prompt == "judge_gap") return kJudgeGap;
  if (prompt == "tree_plan") return kTreePlan;
  if (prompt == "agent_plan") return kAgentPlan;
  if (prompt == "agent_review") return kAgentReview;
  if (prompt == "graph_choose") return kGraphChoice;
  return {};
}

std::expected<std::map<std::string, std::string>, std::string> read_schema(
    std::string_view reply, std::span<const SchemaField> schema,
    const std::vector<std::string>& offered) {
  const auto object = first_object(reply);
  if (!object) return std::unexpected("the reply holds no JSON object");
  std::map<std::string, std::string> fields;
  for (const SchemaField& field : schema) {
    if (field.kind == Kind::Names && offered.empty()) continue;
    const auto found = object->find(std::string(field.name));
    if (found == object->end() || found->is_null())
      return std::unexpected(fmt::format("'{}' is missing", field.name));
    auto read = read_field(field, *found, offered);
    if (!read) return std::unexpected(std::move(read.error()));
    fields.emplace(field.name, std::move(*read));
  }
  return fields;
}

}  // namespace kw::propose

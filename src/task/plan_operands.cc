// Parses the operands of a launch plan: expressions, slices of memory, kernel names and arguments.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "task/plan_parse.h"

namespace kw::task {
namespace {

constexpr int kMaxStructDepth = 8;

struct TypeInfo {
  std::string_view name;
  int bytes;
  bool is_real;
};

constexpr auto kTypes = std::to_array<TypeInfo>({{"f32", 4, true},
                                                 {"f64", 8, true},
                                                 {"f16", 2, true},
                                                 {"bf16", 2, true},
                                                 {"i64", 8, false},
                                                 {"u64", 8, false},
                                                 {"i32", 4, false},
                                                 {"u32", 4, false},
                                                 {"i16", 2, false},
                                                 {"u16", 2, false},
                                                 {"i8", 1, false},
                                                 {"u8", 1, false}});

const TypeInfo* find_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeInfo::name);
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace

std::optional<int> plan_type_bytes(std::string_view type) {
  const TypeInfo* found = find_type(type);
  return found == nullptr ? std::nullopt : std::optional(found->bytes);
}

bool is_real_plan_type(std::string_view type) {
  const TypeInfo* found = find_type(type);
  return found != nullptr && found->is_real;
}

bool fits_plan_type(std::string_view type, std::int64_t value) {
  const bool is_unsigned = type.front() == 'u';
  const int bytes = plan_type_bytes(type).value_or(8);
  if (bytes == 8) return !is_unsigned || value >= 0;
  const std::int64_t half = std::int64_t{1} << (8 * bytes - 1);
  return is_unsigned ? value >= 0 && value < 2 * half : value >= -half && value < half;
}

std::vector<std::string> plan_types() {
  std::vector<std::string> names;
  for (const TypeInfo& type : kTypes) names.emplace_back(type.name);
  return names;
}

std::optional<PlanExpr> PlanParser::read_expression(PlanPiece piece) {
  auto expr = Expr::parse(piece.text);
  if (expr) return PlanExpr{std::move(*expr), piece.at};
  complain(piece.at + std::min(piece.text.size(), expr.error().offset), expr.error().message);
  return std::nullopt;
}

std::optional<PlanRealExpr> PlanParser::read_real(PlanPiece piece) {
  auto expr = RealExpr::parse(piece.text);
  if (expr) return PlanRealExpr{std::move(*expr), piece.at};
  complain(piece.at + std::min(piece.text.size(), expr.error().offset), expr.error().message);
  return std::nullopt;
}

std::optional<std::vector<PlanExpr>> PlanParser::read_list(PlanPiece piece, std::size_t most) {
  std::vector<PlanExpr> values;
  for (const PlanPiece& part : split_piece(piece, ',')) {
    auto value = read_expression(part);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  if (values.size() <= most) return values;
  complain(piece.at,
           fmt::format("this list has {} numbers; at most {} are allowed", values.size(), most));
  return std::nullopt;
}

std::optional<std::string> PlanParser::read_name(PlanPiece piece, std::string_view what) {
  if (is_usable_identifier(piece.text) && !is_expression_function(piece.text) &&
      find_type(piece.text) == nullptr && piece.text != "null")
    return std::string(piece.text);
  complain(piece.at, fmt::format("'{}' cannot name a {}", sanitise(piece.text, 40), what));
  return std::nullopt;
}

std::optional<std::string> PlanParser::read_type(PlanPiece piece) {
  if (find_type(piece.text) != nullptr) return std::string(piece.text);
  const auto known = plan_types();
  complain(piece.at, fmt::format("unknown type '{}'; there are {}{}", sanitise(piece.text, 40),
                                 fmt::join(known, ", "), suggestion(piece.text, known)));
  return std::nullopt;
}

std::optional<PlanName> PlanParser::read_place(PlanPiece piece) {
  const auto word = leading_word(piece.text);
  PlanName place{std::string(word), piece.at, {}};
  if (!is_usable_identifier(word)) {
    complain(piece.at, fmt::format("this place must be the name of a tensor or workspace, not '{}'",
                                   sanitise(piece.text, 40)));
    return std::nullopt;
  }
  const PlanPiece behind = piece.part(word.size());
  if (behind.empty()) return place;
  const auto close = behind.text.starts_with('[') ? find_closing_bracket(behind.text, 0) : kNone;
  if (close == kNone || close + 1 != behind.text.size()) {
    complain(behind.at, "only an index in brackets may follow the name of a tensor or workspace");
    return std::nullopt;
  }
  for (const PlanPiece& part : split_piece(behind.part(1, close - 1), ',')) {
    PlanIndex index;
    // The colon of a conditional expression (?:) does not separate the bounds of a range.
    const auto colon =
        part.text.find('?') == kNone ? find_outside(part.text, ":") : std::size_t{kNone};
    auto low = read_expression(part.part(0, colon));
    if (!low) return std::nullopt;
    index.low = std::move(*low);
    if (colon != kNone) {
      auto high = read_expression(part.part(colon + 1));
      if (!high) return std::nullopt;
      index.high = std::move(*high);
    }
    if (!place.indices.empty() && place.indices.back().high) {
      complain(part.at, "only the last index of a tensor may be a range");
      return std::nullopt;
    }
    place.indices.push_back(std::move(index));
  }
  return place;
}

std::optional<KernelName> PlanParser::read_kernel(PlanPiece& rest) {
  KernelName kernel;
  kernel.at = rest.at;
  std::size_t end = 0;
  for (;;) {
    const auto word = leading_word(rest.text.substr(end));
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) {
      complain(rest.at + end, "`// kw: launch` must be followed by the name of a kernel");
      return std::nullopt;
    }
    end += word.size();
    if (!rest.text.substr(end).starts_with("::")) break;
    end += 2;
  }
  kernel.name = rest.text.substr(0, end);
  rest = rest.part(end);
  if (!rest.text.starts_with('<')) return kernel;
  const auto close = find_closing_bracket(rest.text, 0, true);
  if (close == kNone) {
    complain(rest.at,
             "this < of template arguments is not closed; comparisons inside it need parentheses");
    return std::nullopt;
  }
  kernel.is_template = true;
  if (!read_kernel_arguments(rest.part(1, close - 1), kernel)) return std::nullopt;
  rest = rest.part(close + 1);
  return kernel;
}

bool PlanParser::read_kernel_arguments(PlanPiece piece, KernelName& kernel) {
  if (piece.empty()) return true;
  for (const PlanPiece& part : split_piece(piece, ',')) {
    const auto text = part.text;
    if (text == "true" || text == "false") {
      kernel.arguments.emplace_back(std::string(text));
    } else if (text.size() > 2 && text.front() == '"' && text.find('"', 1) == text.size() - 1) {
      kernel.arguments.emplace_back(std::string(text.substr(1, text.size() - 2)));
    } else {
      auto value = read_expression(part);
      if (!value) return false;
      kernel.arguments.emplace_back(std::move(*value));
    }
  }
  return true;
}

std::optional<PlanItem> PlanParser::read_item(PlanPiece piece, int depth) {
  PlanItem item;
  item.at = piece.at;
  const auto word = leading_word(piece.text);
  const PlanPiece behind = piece.part(word.size());
  const bool is_wrapped = behind.text.starts_with('(') &&
                          find_closing_bracket(behind.text, 0) + 1 == behind.text.size();
  const PlanPiece content = is_wrapped ? behind.part(1, behind.text.size() - 2) : PlanPiece{};
  const TypeInfo* type = find_type(word);
  if (piece.text == "null") return item;
  if (is_wrapped && word == "struct") {
    item.kind = PlanItem::Kind::Struct;
    auto items = read_items(content, depth + 1);
    if (!items) return std::nullopt;
    item.items = std::move(*items);
    return item;
  }
  if (is_wrapped && type != nullptr) {
    if (type->is_real && type->bytes < 4) {
      complain(piece.at,
               fmt::format("a value of type {} cannot be passed to a kernel; pass an f32", word));
      return std::nullopt;
    }
    item.type = word;
    item.kind = type->is_real ? PlanItem::Kind::Real : PlanItem::Kind::Integer;
    if (type->is_real) {
      auto real = read_real(content);
      if (!real) return std::nullopt;
      item.real = std::move(*real);
    } else {
      auto integer = read_expression(content);
      if (!integer) return std::nullopt;
      item.integer = std::move(*integer);
    }
    return item;
  }
  if (!word.empty() && (behind.empty() || behind.text.starts_with('[')) &&
      !(word[0] >= '0' && word[0] <= '9')) {
    item.kind = PlanItem::Kind::Name;
    auto name = read_place(piece);
    if (!name) return std::nullopt;
    item.name = std::move(*name);
    return item;
  }
  item.kind = PlanItem::Kind::Integer;
  item.type = "i32";
  auto integer = read_expression(piece);
  if (!integer) return std::nullopt;
  item.integer = std::move(*integer);
  return item;
}

std::optional<std::vector<PlanItem>> PlanParser::read_items(PlanPiece piece, int depth) {
  std::vector<PlanItem> items;
  if (piece.empty() && depth == 0) return items;
  if (depth > kMaxStructDepth) {
    complain(piece.at,
             fmt::format("the struct argument is nested deeper than {} levels", kMaxStructDepth));
    return std::nullopt;
  }
  for (const PlanPiece& part : split_piece(piece, ',')) {
    const auto sign = depth == 0 ? kNone : find_outside(part.text, "@");
    auto item = read_item(part.part(0, sign), depth);
    if (!item) return std::nullopt;
    if (sign != kNone) {
      item->offset = read_expression(part.part(sign + 1));
      if (!item->offset) return std::nullopt;
    }
    items.push_back(std::move(*item));
  }
  return items;
}

std::optional<PlanParser::Attribute> PlanParser::take_attribute(PlanPiece& rest) {
  Attribute attribute;
  attribute.word = leading_word(rest.text);
  attribute.at = rest.at;
  if (attribute.word.empty()) {
    complain(rest.at, fmt::format("unexpected '{}'", sanitise(rest.text.substr(0, 1))));
    return std::nullopt;
  }
  PlanPiece behind = rest.part(attribute.word.size());
  if (behind.text.starts_with('(')) {
    const auto close = find_closing_bracket(behind.text, 0);
    if (close == kNone) {
      complain(behind.at, "this opening bracket is not closed");
      return std::nullopt;
    }
    attribute.content = behind.part(1, close - 1);
    behind = behind.part(close + 1);
  }
  rest = behind;
  return attribute;
}

bool PlanParser::check_attribute(const Attribute& attribute, bool has_content) {
  if (attribute.content.has_value() == has_content) return true;
  complain(attribute.at, has_content
                             ? fmt::format("{} needs a value in parentheses", attribute.word)
                             : fmt::format("{} takes no value in parentheses", attribute.word));
  return false;
}

}  // namespace kw::task

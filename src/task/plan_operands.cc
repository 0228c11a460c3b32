// Reads expressions, slices of memory, kernel names, arguments and attributes of a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "record/dtype.h"
#include "task/plan_types.h"

namespace kw::task {
namespace {

constexpr int kMaxStructDepth = 8;

/// The word or the character with which a text begins.
std::string first_of(std::string_view text) {
  const auto word = leading_word(text);
  return word.empty() ? sanitise(text.substr(0, 1)) : sanitise(word, 40);
}

std::unexpected<PlanTrouble> wrong_expression(PlanPiece piece, const ExprError& error) {
  return trouble(piece.at + std::min(piece.text.size(), error.offset), PlanFlaw::BadExpression,
                 About{error.about}, error.message);
}

}  // namespace

std::nullopt_t OperandReader::refuse(const std::unexpected<PlanTrouble>& wrong) const {
  complain(wrong);
  return std::nullopt;
}

std::optional<PlanExpr> OperandReader::read_expression(PlanPiece piece) const {
  auto expr = Expr::parse(piece.text);
  if (expr) return PlanExpr{std::move(*expr), piece.at};
  return refuse(wrong_expression(piece, expr.error()));
}

std::optional<PlanRealExpr> OperandReader::read_real(PlanPiece piece) const {
  auto expr = RealExpr::parse(piece.text);
  if (expr) return PlanRealExpr{std::move(*expr), piece.at};
  return refuse(wrong_expression(piece, expr.error()));
}

std::optional<std::vector<PlanExpr>> OperandReader::read_list(PlanPiece piece,
                                                              std::size_t most) const {
  std::vector<PlanExpr> values;
  for (const PlanPiece& part : split_piece(piece, ',')) {
    auto value = read_expression(part);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  if (values.size() <= most) return values;
  return refuse(
      trouble(piece.at, PlanFlaw::TooMany, About{"numbers"},
              worded("this list has {} numbers; at most {} are allowed", values.size(), most)));
}

std::optional<std::string> OperandReader::read_name(PlanPiece piece, std::string_view what) const {
  if (is_usable_identifier(piece.text) && !is_expression_function(piece.text) &&
      !plan_type_bytes(piece.text) && piece.text != "null")
    return std::string(piece.text);
  const auto shown = sanitise(piece.text, 40);
  return refuse(trouble(piece.at, PlanFlaw::BadName, About{shown},
                        fmt::format("'{}' cannot name a {}", shown, what)));
}

std::optional<std::string> OperandReader::read_type(PlanPiece piece) const {
  if (plan_type_bytes(piece.text)) return std::string(piece.text);
  const auto known = plan_types();
  const auto shown = sanitise(piece.text, 40);
  return refuse(trouble(piece.at, PlanFlaw::Unknown, About{with_nearest(shown, known)},
                        fmt::format("unknown type '{}'; there are {}{}", shown,
                                    fmt::join(known, ", "), suggestion(piece.text, known))));
}

std::optional<PlanName> OperandReader::read_place(PlanPiece piece) const {
  const auto word = leading_word(piece.text);
  PlanName place{std::string(word), piece.at, {}};
  if (!is_usable_identifier(word))
    return refuse(
        trouble(piece.at, PlanFlaw::BadName, About{sanitise(piece.text, 40)},
                fmt::format("this place must be the name of a tensor or workspace, not '{}'",
                            sanitise(piece.text, 40))));
  const PlanPiece behind = piece.part(word.size());
  if (behind.empty()) return place;
  const auto close = behind.text.starts_with('[') ? find_closing_bracket(behind.text, 0) : kNone;
  if (close == kNone || close + 1 != behind.text.size())
    return refuse(
        trouble(behind.at, PlanFlaw::Unexpected, About{first_of(behind.text)},
                "only an index in brackets may follow the name of a tensor or workspace"));
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
    if (!place.indices.empty() && place.indices.back().high)
      return refuse(trouble(part.at, PlanFlaw::Misplaced, About{"range of " + place.name},
                            "only the last index of a tensor may be a range"));
    place.indices.push_back(std::move(index));
  }
  return place;
}

std::optional<KernelName> OperandReader::read_kernel(PlanPiece& rest) const {
  KernelName kernel;
  kernel.at = rest.at;
  std::size_t end = 0;
  for (;;) {
    const auto word = leading_word(rest.text.substr(end));
    if (word.empty() || (word[0] >= '0' && word[0] <= '9'))
      return refuse(trouble(rest.at + end, PlanFlaw::Missing, About{"kernel"},
                            "`// kw: launch` must be followed by the name of a kernel"));
    end += word.size();
    if (!rest.text.substr(end).starts_with("::")) break;
    end += 2;
  }
  kernel.name = rest.text.substr(0, end);
  rest = rest.part(end);
  if (!rest.text.starts_with('<')) return kernel;
  const auto close = find_closing_bracket(rest.text, 0, true);
  if (close == kNone)
    return refuse(trouble(
        rest.at, PlanFlaw::Unclosed, About{"<"},
        "this < of template arguments is not closed; comparisons inside it need parentheses"));
  kernel.is_template = true;
  if (!read_kernel_arguments(rest.part(1, close - 1), kernel)) return std::nullopt;
  rest = rest.part(close + 1);
  return kernel;
}

bool OperandReader::read_kernel_arguments(PlanPiece piece, KernelName& kernel) const {
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

std::optional<PlanItem> OperandReader::read_item(PlanPiece piece, int depth) const {
  PlanItem item;
  item.at = piece.at;
  const auto word = leading_word(piece.text);
  const PlanPiece behind = piece.part(word.size());
  const bool is_wrapped = behind.text.starts_with('(') &&
                          find_closing_bracket(behind.text, 0) + 1 == behind.text.size();
  const PlanPiece content = is_wrapped ? behind.part(1, behind.text.size() - 2) : PlanPiece{};
  const auto type = enum_from<Dtype>(word);
  if (piece.text == "null") return item;
  if (is_wrapped && word == "struct") {
    item.kind = PlanItem::Kind::Struct;
    auto items = read_items(content, depth + 1);
    if (!items) return std::nullopt;
    item.items = std::move(*items);
    return item;
  }
  if (is_wrapped && type) {
    if (is_half(*type))
      return refuse(trouble(
          piece.at, PlanFlaw::Unsupported, About{std::string(word)},
          fmt::format("a value of type {} cannot be passed to a kernel; pass an f32", word)));
    item.type = word;
    item.kind = is_real(*type) ? PlanItem::Kind::Real : PlanItem::Kind::Integer;
    if (is_real(*type)) {
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

std::optional<std::vector<PlanItem>> OperandReader::read_items(PlanPiece piece, int depth) const {
  std::vector<PlanItem> items;
  if (piece.empty() && depth == 0) return items;
  if (depth > kMaxStructDepth)
    return refuse(
        trouble(piece.at, PlanFlaw::TooMany, About{"levels of a struct"},
                worded("the struct argument is nested deeper than {} levels", kMaxStructDepth)));
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

std::optional<PlanAttribute> OperandReader::read_attribute(
    PlanPiece& rest, const PlanAttributes& rules, std::vector<std::string_view>& seen) const {
  auto attribute = take_attribute(rest);
  if (!attribute) return std::nullopt;
  const auto word = attribute->word;
  if (!contains(rules.known, word))
    return refuse(trouble(attribute->at, PlanFlaw::Unknown,
                          About{with_nearest(sanitise(word, 40), rules.known)},
                          fmt::format("a `// kw: {}` line has no part '{}'{}", rules.directive,
                                      sanitise(word, 40), suggestion(word, rules.known))));
  if (contains(seen, word))
    return refuse(trouble(attribute->at, PlanFlaw::Repeated, About{std::string(word)},
                          fmt::format("the part '{}' is given twice in this line", word)));
  seen.push_back(word);
  if (!check_attribute(*attribute, !contains(rules.flags, word))) return std::nullopt;
  return attribute;
}

std::optional<PlanAttribute> OperandReader::take_attribute(PlanPiece& rest) const {
  PlanAttribute attribute;
  attribute.word = leading_word(rest.text);
  attribute.at = rest.at;
  if (attribute.word.empty())
    return refuse(trouble(rest.at, PlanFlaw::Unexpected, About{first_of(rest.text)},
                          fmt::format("unexpected '{}'", sanitise(rest.text.substr(0, 1)))));
  PlanPiece behind = rest.part(attribute.word.size());
  if (behind.text.starts_with('(')) {
    const auto close = find_closing_bracket(behind.text, 0);
    if (close == kNone)
      return refuse(
          trouble(behind.at, PlanFlaw::Unclosed, About{"("}, "this opening bracket is not closed"));
    attribute.content = behind.part(1, close - 1);
    behind = behind.part(close + 1);
  }
  rest = behind;
  return attribute;
}

bool OperandReader::check_attribute(const PlanAttribute& attribute, bool has_content) const {
  if (attribute.content.has_value() == has_content) return true;
  const std::string word(attribute.word);
  complain(trouble(attribute.at, PlanFlaw::BadForm, About{word},
                   has_content ? fmt::format("{} needs a value in parentheses", word)
                               : fmt::format("{} takes no value in parentheses", word)));
  return false;
}

bool OperandReader::expect_nothing(PlanPiece rest) const {
  if (!rest.empty())
    complain(trouble(rest.at, PlanFlaw::Unexpected, About{first_of(rest.text)},
                     "this `// kw:` line must end here"));
  return rest.empty();
}

}  // namespace kw::task

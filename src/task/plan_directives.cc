// Parses steps and declarations of a launch plan: the text of each directive after its first word.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_directives.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "task/plan_types.h"

namespace kw::task {
namespace {

/// The words that an attribute of a tensor map accepts.
std::vector<std::string> map_words(std::string_view attribute) {
  if (attribute == "swizzle") return {"none", "32", "64", "128"};
  if (attribute == "interleave") return {"none", "16", "32"};
  if (attribute == "promotion") return {"none", "64", "128", "256"};
  return {"zero", "nan"};
}

/// Removes the base of a tensor map, which is a name, or a name with an index in brackets, from the
/// front of `rest`.
std::optional<PlanName> take_map_base(const OperandReader& in, PlanPiece& rest) {
  auto end = leading_word(rest.text).size();
  if (const PlanPiece next = rest.part(end); next.text.starts_with('[')) {
    const auto close = find_closing_bracket(next.text, 0);
    if (close == kNone)
      return in.refuse(
          trouble(next.at, PlanFlaw::Unclosed, About{"["}, "this opening bracket is not closed"));
    end = next.at - rest.at + close + 1;
  }
  auto base = in.read_place(rest.part(0, end));
  rest = rest.part(end);
  return base;
}

/// Removes `as TYPE` from the front of `rest`, where it stands there; else the word is empty.
PlanWord take_map_element(PlanPiece& rest) {
  if (leading_word(rest.text) != "as") return {};
  rest = rest.part(2);
  const auto element = leading_word(rest.text);
  const PlanWord word{std::string(element), rest.at};
  rest = rest.part(element.size());
  return word;
}

/// The list of a tensor map that an attribute gives; null if the attribute gives a word.
std::vector<PlanExpr>* map_list(MapNode& node, std::string_view attribute) {
  if (attribute == "sizes") return &node.sizes;
  if (attribute == "strides") return &node.strides;
  if (attribute == "box") return &node.box;
  if (attribute == "steps") return &node.steps;
  return nullptr;
}

PlanWord& map_word(MapNode& node, std::string_view attribute) {
  if (attribute == "swizzle") return node.swizzle;
  if (attribute == "interleave") return node.interleave;
  if (attribute == "promotion") return node.promotion;
  return node.outside;
}

/// Reads what an attribute of a tensor map says; false: it is wrong.
bool read_map_attribute(const OperandReader& in, const PlanAttribute& attribute, MapNode& node) {
  const PlanPiece content = *attribute.content;
  if (std::vector<PlanExpr>* list = map_list(node, attribute.word)) {
    auto values = in.read_list(content, 5);
    if (values) *list = std::move(*values);
    return values.has_value();
  }
  const auto known = map_words(attribute.word);
  if (!contains(known, content.text)) {
    in.complain(trouble(content.at, PlanFlaw::Unknown,
                        About{fmt::format("{} {}", attribute.word,
                                          with_nearest(sanitise(content.text, 40), known))},
                        fmt::format("{} of a `// kw: map` line is one of {}", attribute.word,
                                    fmt::join(known, ", "))));
    return false;
  }
  map_word(node, attribute.word) = {std::string(content.text), content.at};
  return true;
}

/// Reads what an attribute of a launch says; false: it is wrong.
bool read_launch_attribute(const OperandReader& in, const PlanAttribute& attribute,
                           LaunchNode& node) {
  const auto word = attribute.word;
  if (word == "cooperative") node.is_cooperative = true;
  if (word == "pdl") node.is_programmatic = true, node.programmatic_at = attribute.at;
  if (word == "grid" || word == "block" || word == "cluster") {
    auto sizes = in.read_list(*attribute.content, 3);
    if (!sizes) return false;
    (word == "grid" ? node.grid : word == "block" ? node.block : node.cluster) = std::move(*sizes);
  } else if (word == "shared" || word == "carveout") {
    auto value = in.read_expression(*attribute.content);
    if (!value) return false;
    (word == "shared" ? node.shared : node.carveout) = std::move(*value);
  } else if (word == "args") {
    auto items = in.read_items(*attribute.content);
    if (!items) return false;
    node.arguments = std::move(*items);
    node.end = attribute.content->at + attribute.content->text.size();
  }
  return true;
}

}  // namespace

std::optional<WorkspaceNode> parse_workspace(const OperandReader& in, PlanPiece rest, std::size_t) {
  const auto bracket = rest.text.find('[');
  const auto close = bracket == kNone ? kNone : find_closing_bracket(rest.text, bracket);
  if (close == kNone)
    return in.refuse(
        trouble(rest.at, PlanFlaw::BadForm, About{"workspace"},
                "a `// kw: workspace` line has the form: workspace NAME TYPE [SIZES]"));
  const PlanPiece front = rest.part(0, bracket);
  const auto word = leading_word(front.text);
  WorkspaceNode node;
  auto name = in.read_name(front.part(0, word.size()), "workspace");
  auto type = in.read_type(front.part(word.size()));
  auto sizes = in.read_list(rest.part(bracket + 1, close - bracket - 1), 5);
  const PlanPiece behind = rest.part(close + 1);
  if (behind.text == "zeroed")
    node.is_zeroed = true;
  else if (!behind.empty())
    return in.refuse(trouble(behind.at, PlanFlaw::Unexpected, About{sanitise(behind.text, 40)},
                             "only `zeroed` may follow the type and sizes of a workspace"));
  if (!name || !type || !sizes) return std::nullopt;
  node.name = std::move(*name);
  node.type = std::move(*type);
  node.sizes = std::move(*sizes);
  return node;
}

std::optional<TableNode> parse_table(const OperandReader& in, PlanPiece rest, std::size_t) {
  const auto bracket = rest.text.find('[');
  const auto close = bracket == kNone ? kNone : find_closing_bracket(rest.text, bracket);
  const PlanPiece inside =
      close == kNone ? PlanPiece{"", rest.at} : rest.part(bracket + 1, close - bracket - 1);
  const auto colon = find_outside(inside.text, ":");
  const auto less = inside.text.substr(0, colon).find('<');
  if (close == kNone || colon == kNone || less == kNone)
    return in.refuse(
        trouble(rest.at, PlanFlaw::BadForm, About{"table"},
                "a `// kw: table` line has the form: table NAME TYPE [INDEX < COUNT : VALUE]"));
  if (!in.expect_nothing(rest.part(close + 1))) return std::nullopt;
  const PlanPiece front = rest.part(0, bracket);
  const auto word = leading_word(front.text);
  TableNode node;
  auto name = in.read_name(front.part(0, word.size()), "table");
  const PlanPiece type = front.part(word.size());
  static const std::vector<std::string> kTypes = {"f32", "f64", "i8",  "i16", "i32",
                                                  "i64", "u8",  "u16", "u32", "u64"};
  if (!contains(kTypes, type.text))
    return in.refuse(trouble(type.at, PlanFlaw::Unsupported, About{sanitise(type.text, 40)},
                             fmt::format("a table's type is one of {}, not '{}'",
                                         fmt::join(kTypes, ", "), sanitise(type.text, 40))));
  node.type = type.text;
  auto index = in.read_name(inside.part(0, less), "index");
  auto count = in.read_expression(inside.part(less + 1, colon - less - 1));
  const PlanPiece value = inside.part(colon + 1);
  bool has_value = false;
  if (is_real_plan_type(node.type)) {
    if (auto real = in.read_real(value)) node.real = std::move(*real), has_value = true;
  } else if (auto integer = in.read_expression(value)) {
    node.integer = std::move(*integer);
    has_value = true;
  }
  if (!name || !index || !count || !has_value) return std::nullopt;
  node.name = std::move(*name);
  node.index = std::move(*index);
  node.count = std::move(*count);
  return node;
}

std::optional<MapNode> parse_map(const OperandReader& in, PlanPiece rest, std::size_t at) {
  static const PlanAttributes kAttributes = {
      "map",
      {"sizes", "strides", "box", "steps", "swizzle", "interleave", "promotion", "outside"},
      {}};
  const auto equals = rest.text.find('=');
  if (equals == kNone)
    return in.refuse(
        trouble(rest.at, PlanFlaw::BadForm, About{"map"},
                "a `// kw: map` line has the form: map NAME = PLACE as TYPE sizes(…) box(…) …"));
  MapNode node;
  auto name = in.read_name(rest.part(0, equals), "map");
  PlanPiece behind = rest.part(equals + 1);
  auto base = take_map_base(in, behind);
  if (!name || !base) return std::nullopt;
  node.name = std::move(*name);
  node.base = std::move(*base);
  node.element = take_map_element(behind);
  std::vector<std::string_view> seen;
  while (!behind.empty()) {
    const auto attribute = in.read_attribute(behind, kAttributes, seen);
    if (!attribute || !read_map_attribute(in, *attribute, node)) return std::nullopt;
  }
  if (node.sizes.empty() || node.box.empty())
    return in.refuse(trouble(at, PlanFlaw::Missing, About{node.sizes.empty() ? "sizes" : "box"},
                             "a `// kw: map` line needs sizes(…) and box(…)"));
  if (node.box.size() != node.sizes.size() || node.strides.size() + 1 != node.sizes.size() ||
      (!node.steps.empty() && node.steps.size() != node.sizes.size()))
    return in.refuse(
        trouble(at, PlanFlaw::Contradiction, About{"sizes"},
                "in a `// kw: map` line box and steps need as many numbers as sizes, and "
                "strides one fewer"));
  return node;
}

std::optional<LaunchNode> parse_launch(const OperandReader& in, PlanPiece rest, std::size_t at) {
  static const PlanAttributes kAttributes = {
      "launch",
      {"grid", "block", "shared", "cluster", "cooperative", "carveout", "pdl", "args"},
      {"cooperative", "pdl"}};
  const std::size_t end = rest.at + rest.text.size();
  LaunchNode node;
  auto kernel = in.read_kernel(rest);
  if (!kernel) return std::nullopt;
  node.kernel = std::move(*kernel);
  std::vector<std::string_view> seen;
  while (!rest.empty()) {
    const auto attribute = in.read_attribute(rest, kAttributes, seen);
    if (!attribute || !read_launch_attribute(in, *attribute, node)) return std::nullopt;
  }
  if (node.end == 0) node.end = end;
  if (node.grid.empty() || node.block.empty())
    return in.refuse(trouble(at, PlanFlaw::Missing, About{node.grid.empty() ? "grid" : "block"},
                             "a `// kw: launch` line needs grid(…) and block(…)"));
  return node;
}

std::optional<FillNode> parse_fill(const OperandReader& in, PlanPiece rest, std::size_t) {
  const auto with = find_word(rest.text, "with");
  if (with == kNone)
    return in.refuse(trouble(rest.at, PlanFlaw::BadForm, About{"fill"},
                             "a `// kw: fill` line has the form: fill PLACE with VALUE"));
  FillNode node;
  auto to = in.read_place(rest.part(0, with));
  PlanPiece value = rest.part(with + 4);
  node.at = value.at;
  if (!to) return std::nullopt;
  node.to = std::move(*to);
  const auto word = leading_word(value.text);
  const PlanPiece behind = value.part(word.size());
  const bool is_wrapped = behind.text.starts_with('(') &&
                          find_closing_bracket(behind.text, 0) + 1 == behind.text.size();
  if (is_wrapped && word == "bits") {
    node.is_bits = true;
    value = behind.part(1, behind.text.size() - 2);
  } else if (is_wrapped && (word == "f32" || word == "f64")) {
    node.real = in.read_real(behind.part(1, behind.text.size() - 2));
    return node.real ? std::optional(std::move(node)) : std::nullopt;
  }
  // Both an integer and a real value are kept, because the type of the filled memory is not known
  // yet.
  if (auto expr = Expr::parse(value.text)) node.integer = PlanExpr{std::move(*expr), value.at};
  if (auto real = RealExpr::parse(value.text); real && !node.is_bits)
    node.real = PlanRealExpr{std::move(*real), value.at};
  if (!node.integer && !node.real) {
    in.read_expression(value);  // reads the value again to complain about it
    return std::nullopt;
  }
  return node;
}

std::optional<CopyNode> parse_copy(const OperandReader& in, PlanPiece rest, std::size_t) {
  const auto to = find_word(rest.text, "to");
  if (to == kNone)
    return in.refuse(trouble(rest.at, PlanFlaw::BadForm, About{"copy"},
                             "a `// kw: copy` line has the form: copy PLACE to PLACE"));
  auto from = in.read_place(rest.part(0, to));
  auto target = in.read_place(rest.part(to + 2));
  if (!from || !target) return std::nullopt;
  return CopyNode{std::move(*from), std::move(*target)};
}

}  // namespace kw::task

// Parses steps and declarations of a launch plan: the text of each directive after its first word.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "task/plan_parse.h"

namespace kw::task {
namespace {

/// The words that an attribute of a tensor map accepts.
std::vector<std::string> map_words(std::string_view attribute) {
  if (attribute == "swizzle") return {"none", "32", "64", "128"};
  if (attribute == "interleave") return {"none", "16", "32"};
  if (attribute == "promotion") return {"none", "64", "128", "256"};
  return {"zero", "nan"};
}

}  // namespace

void PlanParser::read_workspace(PlanPiece rest, std::size_t at) {
  const auto bracket = rest.text.find('[');
  const auto close = bracket == kNone ? kNone : find_closing_bracket(rest.text, bracket);
  if (close == kNone)
    return complain(rest.at, "a `// kw: workspace` line has the form: workspace NAME TYPE [SIZES]");
  const PlanPiece front = rest.part(0, bracket);
  const auto word = leading_word(front.text);
  WorkspaceNode node;
  auto name = read_name(front.part(0, word.size()), "workspace");
  auto type = read_type(front.part(word.size()));
  auto sizes = read_list(rest.part(bracket + 1, close - bracket - 1), 5);
  const PlanPiece behind = rest.part(close + 1);
  if (behind.text == "zeroed")
    node.is_zeroed = true;
  else if (!behind.empty())
    return complain(behind.at, "only `zeroed` may follow the type and sizes of a workspace");
  if (!name || !type || !sizes) return;
  node.name = std::move(*name);
  node.type = std::move(*type);
  node.sizes = std::move(*sizes);
  push(at, std::move(node));
}

void PlanParser::read_table(PlanPiece rest, std::size_t at) {
  const auto bracket = rest.text.find('[');
  const auto close = bracket == kNone ? kNone : find_closing_bracket(rest.text, bracket);
  const PlanPiece inside =
      close == kNone ? PlanPiece{"", rest.at} : rest.part(bracket + 1, close - bracket - 1);
  const auto colon = find_outside(inside.text, ":");
  const auto less = inside.text.substr(0, colon).find('<');
  if (close == kNone || colon == kNone || less == kNone)
    return complain(rest.at,
                    "a `// kw: table` line has the form: table NAME TYPE [INDEX < COUNT : VALUE]");
  if (!expect_nothing(rest.part(close + 1))) return;
  const PlanPiece front = rest.part(0, bracket);
  const auto word = leading_word(front.text);
  TableNode node;
  auto name = read_name(front.part(0, word.size()), "table");
  const PlanPiece type = front.part(word.size());
  static const std::vector<std::string> kTypes = {"f32", "f64", "i32", "i64", "u8"};
  if (!contains(kTypes, type.text))
    return complain(type.at, fmt::format("a table's type is one of {}, not '{}'",
                                         fmt::join(kTypes, ", "), sanitise(type.text, 40)));
  node.type = type.text;
  auto index = read_name(inside.part(0, less), "index");
  auto count = read_expression(inside.part(less + 1, colon - less - 1));
  const PlanPiece value = inside.part(colon + 1);
  bool has_value = false;
  if (is_real_plan_type(node.type)) {
    if (auto real = read_real(value)) node.real = std::move(*real), has_value = true;
  } else if (auto integer = read_expression(value)) {
    node.integer = std::move(*integer);
    has_value = true;
  }
  if (!name || !index || !count || !has_value) return;
  node.name = std::move(*name);
  node.index = std::move(*index);
  node.count = std::move(*count);
  push(at, std::move(node));
}

void PlanParser::read_map(PlanPiece rest, std::size_t at) {
  const auto equals = rest.text.find('=');
  if (equals == kNone)
    return complain(rest.at,
                    "a `// kw: map` line has the form: map NAME = PLACE as TYPE sizes(…) box(…) …");
  MapNode node;
  auto name = read_name(rest.part(0, equals), "map");
  PlanPiece behind = rest.part(equals + 1);
  // The base of a tensor map is a name, or a name with an index in brackets.
  auto end = leading_word(behind.text).size();
  if (const PlanPiece next = behind.part(end); next.text.starts_with('[')) {
    const auto close = find_closing_bracket(next.text, 0);
    if (close == kNone) return complain(next.at, "this opening bracket is not closed");
    end = next.at - behind.at + close + 1;
  }
  auto base = read_place(behind.part(0, end));
  if (!name || !base) return;
  node.name = std::move(*name);
  node.base = std::move(*base);
  behind = behind.part(end);
  if (leading_word(behind.text) == "as") {
    behind = behind.part(2);
    const auto element = leading_word(behind.text);
    node.element = {std::string(element), behind.at};
    behind = behind.part(element.size());
  }
  std::vector<std::string_view> seen;
  while (!behind.empty()) {
    const auto attribute = take_attribute(behind);
    if (!attribute) return;
    static const std::vector<std::string> kKnown = {
        "sizes", "strides", "box", "steps", "swizzle", "interleave", "promotion", "outside"};
    if (!contains(kKnown, attribute->word))
      return complain(attribute->at, fmt::format("a `// kw: map` line has no part '{}'{}",
                                                 sanitise(attribute->word, 40),
                                                 suggestion(attribute->word, kKnown)));
    if (contains(seen, attribute->word))
      return complain(attribute->at,
                      fmt::format("the part '{}' is given twice in this line", attribute->word));
    seen.push_back(attribute->word);
    if (!check_attribute(*attribute, true)) return;
    const PlanPiece content = *attribute->content;
    std::vector<PlanExpr>* list = attribute->word == "sizes"     ? &node.sizes
                                  : attribute->word == "strides" ? &node.strides
                                  : attribute->word == "box"     ? &node.box
                                  : attribute->word == "steps"   ? &node.steps
                                                                 : nullptr;
    if (list != nullptr) {
      auto values = read_list(content, 5);
      if (!values) return;
      *list = std::move(*values);
      continue;
    }
    const auto known = map_words(attribute->word);
    if (!contains(known, content.text))
      return complain(content.at, fmt::format("{} of a `// kw: map` line is one of {}",
                                              attribute->word, fmt::join(known, ", ")));
    PlanWord& word = attribute->word == "swizzle"      ? node.swizzle
                     : attribute->word == "interleave" ? node.interleave
                     : attribute->word == "promotion"  ? node.promotion
                                                       : node.outside;
    word = {std::string(content.text), content.at};
  }
  if (node.sizes.empty() || node.box.empty())
    return complain(at, "a `// kw: map` line needs sizes(…) and box(…)");
  if (node.box.size() != node.sizes.size() || node.strides.size() + 1 != node.sizes.size() ||
      (!node.steps.empty() && node.steps.size() != node.sizes.size()))
    return complain(at,
                    "in a `// kw: map` line box and steps need as many numbers as sizes, and "
                    "strides one fewer");
  push(at, std::move(node));
}

void PlanParser::read_launch(PlanPiece rest, std::size_t at) {
  const std::size_t end = rest.at + rest.text.size();
  LaunchNode node;
  auto kernel = read_kernel(rest);
  if (!kernel) return;
  node.kernel = std::move(*kernel);
  std::vector<std::string_view> seen;
  while (!rest.empty()) {
    const auto attribute = take_attribute(rest);
    if (!attribute) return;
    static const std::vector<std::string> kKnown = {"grid",        "block",    "shared", "cluster",
                                                    "cooperative", "carveout", "pdl",    "args"};
    const auto word = attribute->word;
    if (!contains(kKnown, word))
      return complain(attribute->at, fmt::format("a `// kw: launch` line has no part '{}'{}",
                                                 sanitise(word, 40), suggestion(word, kKnown)));
    if (contains(seen, word))
      return complain(attribute->at,
                      fmt::format("the part '{}' is given twice in this line", word));
    seen.push_back(word);
    const bool is_flag = word == "cooperative" || word == "pdl";
    if (!check_attribute(*attribute, !is_flag)) return;
    if (word == "cooperative") node.is_cooperative = true;
    if (word == "pdl") node.is_programmatic = true, node.programmatic_at = attribute->at;
    if (word == "grid" || word == "block" || word == "cluster") {
      auto sizes = read_list(*attribute->content, 3);
      if (!sizes) return;
      (word == "grid"    ? node.grid
       : word == "block" ? node.block
                         : node.cluster) = std::move(*sizes);
    } else if (word == "shared" || word == "carveout") {
      auto value = read_expression(*attribute->content);
      if (!value) return;
      (word == "shared" ? node.shared : node.carveout) = std::move(*value);
    } else if (word == "args") {
      auto items = read_items(*attribute->content, 0);
      if (!items) return;
      node.arguments = std::move(*items);
      node.end = attribute->content->at + attribute->content->text.size();
    }
  }
  if (node.end == 0) node.end = end;
  if (node.grid.empty() || node.block.empty())
    return complain(at, "a `// kw: launch` line needs grid(…) and block(…)");
  push(at, std::move(node));
}

void PlanParser::read_fill(PlanPiece rest, std::size_t at) {
  const auto with = find_word(rest.text, "with");
  if (with == kNone)
    return complain(rest.at, "a `// kw: fill` line has the form: fill PLACE with VALUE");
  FillNode node;
  auto to = read_place(rest.part(0, with));
  PlanPiece value = rest.part(with + 4);
  node.at = value.at;
  if (!to) return;
  node.to = std::move(*to);
  const auto word = leading_word(value.text);
  const PlanPiece behind = value.part(word.size());
  const bool is_wrapped = behind.text.starts_with('(') &&
                          find_closing_bracket(behind.text, 0) + 1 == behind.text.size();
  if (is_wrapped && word == "bits") {
    node.is_bits = true;
    value = behind.part(1, behind.text.size() - 2);
  } else if (is_wrapped && (word == "f32" || word == "f64")) {
    node.real = read_real(behind.part(1, behind.text.size() - 2));
    if (node.real) push(at, std::move(node));
    return;
  }
  // Both an integer and a real value are kept, because the type of the filled memory is not known
  // yet.
  if (auto expr = Expr::parse(value.text)) node.integer = PlanExpr{std::move(*expr), value.at};
  if (auto real = RealExpr::parse(value.text); real && !node.is_bits)
    node.real = PlanRealExpr{std::move(*real), value.at};
  if (!node.integer && !node.real) {
    read_expression(value);  // reads the value again to complain about it
    return;
  }
  push(at, std::move(node));
}

void PlanParser::read_copy(PlanPiece rest, std::size_t at) {
  const auto to = find_word(rest.text, "to");
  if (to == kNone)
    return complain(rest.at, "a `// kw: copy` line has the form: copy PLACE to PLACE");
  auto from = read_place(rest.part(0, to));
  auto target = read_place(rest.part(to + 2));
  if (from && target) push(at, CopyNode{std::move(*from), std::move(*target)});
}

}  // namespace kw::task

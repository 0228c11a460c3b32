// Writes the names, blocks and memory of a launch plan as C++.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/plan_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "deliver/formula_text.h"
#include "deliver/parts.h"
#include "record/target.h"
#include "task/device_names.h"
#include "task/plan_parse.h"
#include "task/yaml.h"

namespace kw::deliver {

using namespace kw::task;  // the nodes of a plan

PlanWriter::PlanWriter(const Delivery& delivery) : d_(delivery) {
  for (const std::string& define : d_.header.defines(d_.kernel.knobs)) {
    const auto equals = define.find('=');
    macros_[define.substr(0, equals)] = std::stoll(define.substr(equals + 1));
  }
}

std::string PlanWriter::at_line() const {
  return fmt::format("line {} of {}{}",
                     std::count(d_.kernel.source.begin(),
                                d_.kernel.source.begin() + static_cast<std::ptrdiff_t>(at_), '\n') +
                         1,
                     d_.kernel.name, source_suffix(d_.kernel.target));
}

void PlanWriter::line(const std::string& text) {
  out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
}

void PlanWriter::checked(const std::string& text) {
  line(text);
  line("if (k.failed()) return;");
}

Result<std::string> PlanWriter::run() {
  KW_TRY(write_names());
  KW_TRY(write_block(d_.header.plan));
  return out_;
}

/// Writes C++ that gives every dim a value: the argument with the dim's name, or the solution of an
/// integer argument's formula for the dim.
Result<> PlanWriter::derive_dims() {
  std::vector<std::string> known;
  for (const Parameter& p : d_.task().signature)
    if (!p.is_tensor && !is_real(p.dtype)) known.push_back(p.name);
  const auto is_argument = [&](const std::string& name) { return contains(known, name); };
  std::vector<std::string> have;
  for (const std::string& dim : d_.definition.dims)
    if (is_argument(dim)) {
      line(fmt::format("const Int v_{0} = a_{0};", dim));
      scope_.numbers[dim] = "v_" + dim;
      have.push_back(dim);
    }
  const auto add_lets = [&]() -> Result<> {
    for (const Let& let : d_.definition.lets) {
      const bool is_ready = !contains(have, let.name) &&
                            std::ranges::all_of(let.value.expr.names(), [&](const auto& name) {
                              return contains(have, name);
                            });
      if (!is_ready) continue;
      line(fmt::format("const Int v_{} = {};", let.name, KW_TRY(number(let.value.expr))));
      scope_.numbers[let.name] = "v_" + let.name;
      have.push_back(let.name);
    }
    return {};
  };
  KW_TRY(add_lets());
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const ScalarSpec& scalar : d_.definition.scalars) {
      if (is_real(scalar.dtype) || !is_argument(scalar.name)) continue;
      const auto dim = solved_name(scalar.integer.expr, have);
      if (!dim || !contains(d_.definition.dims, *dim)) continue;
      scope_.numbers[*dim] = "Int(0)";
      const std::string base = KW_TRY(number(scalar.integer.expr));
      line(fmt::format("const Int v_{0} = Int(a_{1}) - ({2});", *dim, scalar.name, base));
      scope_.numbers[*dim] = "v_" + *dim;
      have.push_back(*dim);
      KW_TRY(add_lets());
      has_grown = true;
    }
  }
  for (const std::string& dim : d_.definition.dims)
    if (!contains(have, dim))
      underived_[dim] = fmt::format(
          "the dim '{}' is no argument of {}, and no argument's formula "
          "gives it",
          dim, d_.task().function);
  return {};
}

Result<> PlanWriter::write_names() {
  for (const auto& [name, value] : macros_) scope_.numbers[name] = fmt::format("Int({}ll)", value);
  KW_TRY(derive_dims());
  for (const ScalarSpec& scalar : d_.definition.scalars) {
    const bool is_argument = std::ranges::any_of(
        d_.task().signature, [&](const Parameter& p) { return p.name == scalar.name; });
    if (is_real(scalar.dtype)) {
      // A real scalar that is not an argument is a constant, whose value the task gives.
      scope_.numbers[scalar.name] =
          is_argument ? "a_" + scalar.name : fmt::format("double({:.17g})", scalar.real);
      continue;
    }
    const auto formula = number(scalar.integer.expr);
    if (is_argument && scalar.integer.expr.text() != scalar.name) {
      line(fmt::format("const Int v_{0} = a_{0};", scalar.name));
      if (formula) checked(fmt::format("k.same({0}, v_{1}, \"{1}\");", *formula, scalar.name));
    } else if (!is_argument && formula && !scope_.numbers.contains(scalar.name)) {
      // The launch plan may pass an argument that the task's variant leaves out; the argument's
      // formula gives its value.
      checked(fmt::format("const Int v_{} = {};", scalar.name, *formula));
    } else {
      continue;
    }
    scope_.numbers[scalar.name] = "v_" + scalar.name;
  }
  for (const TensorSpec& tensor : d_.definition.tensors) {
    const bool is_argument = std::ranges::any_of(
        d_.task().signature, [&](const Parameter& p) { return p.name == tensor.name; });
    if (!is_argument) continue;
    std::vector<std::string> sizes;
    for (const Formula& size : tensor.shape) sizes.push_back(KW_TRY(number(size.expr)));
    const std::string pitch = tensor.pitch           ? KW_TRY(number(tensor.pitch->expr))
                              : tensor.shape.empty() ? "Int(1)"
                                                     : sizes.back();
    checked(
        fmt::format("const Space s_{0} = k.tensor(\"{0}\", a_{0}, {1}, {2}, {3}, {{{4}}}, {5});",
                    tensor.name, size_of(tensor.dtype), tensor.alignment,
                    tensor.role != TensorRole::In, join(sizes, ", "), pitch));
    declare(tensor.name, "s_" + tensor.name, std::string(kw::name_of(tensor.dtype)),
            tensor.shape.size());
  }
  return {};
}

void PlanWriter::declare(const std::string& name, std::string variable, const std::string& type,
                         std::size_t rank) {
  scope_.places[name] = {std::move(variable), type,
                         type.empty() ? 0 : static_cast<int>(*plan_type_bytes(type)), rank};
}

const PlanWriter::Place* PlanWriter::place(std::string_view name) const {
  const auto found = scope_.places.find(name);
  return found == scope_.places.end() ? nullptr : &found->second;
}

Result<std::string> PlanWriter::spelled(std::string_view name) const {
  if (const auto found = scope_.numbers.find(name); found != scope_.numbers.end())
    return found->second;
  for (const auto& [of, place] : scope_.places) {
    if (place.is_map() || !name.starts_with(of)) continue;
    const auto rest = name.substr(of.size());
    if (rest == "_pitch") return fmt::format("Int({}.pitch)", place.variable);
    if (rest == "_count") return place.variable + ".count()";
    if (rest == "_bytes") return place.variable + ".bytes()";
  }
  if (name == "sms" || name == "shared_max" || name == "l2_bytes" || name == "arch")
    return fmt::format("k.{}()", name);
  if (name.starts_with("sm_") && contains(device_names(), name))
    return fmt::format("Int({})", arch_number(name));
  if (const auto why = underived_.find(name); why != underived_.end())
    return fail_input(why->second, at_line());
  return fail_input(
      fmt::format(
          "the name '{}' has no value in an exported plan, which knows dims, scalars and knobs",
          name),
      at_line());
}

Result<std::string> PlanWriter::number(const Expr& expr) const {
  return cpp_text(expr, [this](std::string_view name) { return spelled(name); });
}
Result<std::string> PlanWriter::number(const PlanExpr& expr) const { return number(expr.expr); }

Result<std::string> PlanWriter::real(const PlanRealExpr& expr) const {
  return cpp_real_text(expr.expr.text(), [this](std::string_view name) { return spelled(name); });
}

Result<std::string> PlanWriter::list(const std::vector<PlanExpr>& exprs) const {
  std::vector<std::string> parts;
  for (const PlanExpr& expr : exprs) parts.push_back(KW_TRY(number(expr)));
  return "{" + join(parts, ", ") + "}";
}

Result<> PlanWriter::write_block(const PlanBlock& block) {
  for (const PlanNode& node : block) {
    at_ = node.at;
    KW_TRY(std::visit([&](const auto& what) { return visit(what); }, node.what));
  }
  return {};
}

Result<> PlanWriter::write_scope(const PlanBlock& block) {
  const Scope outer = scope_;
  ++depth_;
  KW_TRY(write_block(block));
  --depth_;
  scope_ = outer;
  return {};
}

Result<> PlanWriter::visit(const LetNode& node) {
  checked(fmt::format("const Int v_{} = {};", node.name, KW_TRY(number(node.value))));
  scope_.numbers[node.name] = "v_" + node.name;
  return {};
}

Result<> PlanWriter::visit(const RequireNode& node) {
  checked(fmt::format("k.require({}, {});", KW_TRY(number(node.condition)),
                      quoted("the kernel requires " + node.condition.expr.text(), 150)));
  return {};
}

Result<> PlanWriter::visit(const WorkspaceNode& node) {
  if (loops_ > 0)
    return fail_input("a `// kw: workspace` line may not stand inside a loop of the plan",
                      at_line());
  checked(fmt::format("const Space s_{0} = k.workspace(\"{0}\", {1}, {2}, {3});", node.name,
                      *plan_type_bytes(node.type), KW_TRY(list(node.sizes)), node.is_zeroed));
  declare(node.name, "s_" + node.name, node.type, node.sizes.size());
  return {};
}

Result<> PlanWriter::visit(const TableNode& node) {
  static const std::map<std::string, std::string> kTypes{{"f32", "float"},
                                                         {"f64", "double"},
                                                         {"i32", "std::int32_t"},
                                                         {"i64", "std::int64_t"},
                                                         {"u8", "std::uint8_t"}};
  const std::string& type = kTypes.at(node.type);
  const Scope outer = scope_;
  scope_.numbers[node.index] = "v_" + node.index;
  const std::string value = is_real_plan_type(node.type)
                                ? fmt::format("static_cast<{}>({})", type, KW_TRY(real(node.real)))
                                : fmt::format("k.fit<{}>({})", type, KW_TRY(number(node.integer)));
  scope_ = outer;
  checked(
      fmt::format("const Space s_{0} = k.table<{1}>(\"{0}\", {2}, [&](Int v_{3}) -> {1} {{ "
                  "(void)v_{3}; return {4}; }});",
                  node.name, type, KW_TRY(number(node.count)), node.index, value));
  declare(node.name, "s_" + node.name, node.type, 1);
  return {};
}

Result<std::string> PlanWriter::span(const PlanName& name) const {
  const Place* found = place(name.name);
  if (found == nullptr || found->is_map())
    return fail_input(
        fmt::format("'{}' names neither a tensor nor a workspace of the plan", name.name),
        at_line());
  if (name.indices.empty()) return fmt::format("k.whole({})", found->variable);
  if (name.indices.size() > found->rank)
    return fail_input(fmt::format("'{}' has {} dimensions", name.name, found->rank), at_line());
  std::vector<std::string> lows;
  for (const PlanIndex& index : name.indices) lows.push_back(KW_TRY(number(index.low)));
  std::string high;
  if (name.indices.back().high) high = ", " + KW_TRY(number(*name.indices.back().high));
  return fmt::format("k.slice({}, {{{}}}{})", found->variable, join(lows, ", "), high);
}

Result<> PlanWriter::visit(const MapNode& node) {
  static const std::vector<std::string> kElements{"u8",      "u16",  "u32",     "i32", "u64",
                                                  "i64",     "f16",  "f32",     "f64", "bf16",
                                                  "f32_ftz", "tf32", "tf32_ftz"};
  static const std::vector<int> kBytes{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  const Place* base = place(node.base.name);
  const std::string element = !node.element.text.empty() ? node.element.text
                              : base != nullptr          ? base->type
                                                         : "";
  const auto found = std::ranges::find(kElements, element);
  if (found == kElements.end())
    return fail_input("a tensor map has no elements of type '" + element + "'", at_line());
  const auto index = static_cast<std::size_t>(found - kElements.begin());
  const auto choice = [](const PlanWord& word, const std::vector<std::string>& words) {
    return std::max<std::ptrdiff_t>(std::ranges::find(words, word.text) - words.begin(), 0) %
           static_cast<std::ptrdiff_t>(words.size());
  };
  checked(fmt::format("const TensorMap m_{} = k.map({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});",
                      node.name, KW_TRY(span(node.base)), index, kBytes[index],
                      KW_TRY(list(node.sizes)), KW_TRY(list(node.strides)), KW_TRY(list(node.box)),
                      KW_TRY(list(node.steps)), choice(node.interleave, {"none", "16", "32"}),
                      choice(node.swizzle, {"none", "32", "64", "128"}),
                      choice(node.promotion, {"none", "64", "128", "256"}),
                      choice(node.outside, {"zero", "nan"})));
  declare(node.name, "m_" + node.name, "", 0);
  return {};
}

Result<> PlanWriter::visit(const FillNode& node) {
  const Place* to = place(node.to.name);
  const std::string where = KW_TRY(span(node.to));
  const int bytes = to->element_bytes;
  std::string image;
  if (is_real_plan_type(to->type) && !node.is_bits) {
    const std::string value = node.real ? KW_TRY(real(*node.real))
                                        : fmt::format("real({})", KW_TRY(number(*node.integer)));
    if (bytes == 2)
      image = fmt::format(
          "({} != 0 ? (fail(kRefused, \"a fill of a two-byte type that is not 0\"), "
          "0u) : 0u)",
          value);
    else
      image = fmt::format("k.halves(pattern<{}>({}), {})", bytes == 4 ? "float" : "double", value,
                          bytes);
  } else {
    if (!node.integer)
      return fail_input("a fill of a tensor of integers takes an integer value", at_line());
    image = fmt::format("k.bits({}, {})", KW_TRY(number(*node.integer)), bytes);
  }
  checked(fmt::format("k.fill({}, {}, {});", where, std::min(bytes, 4), image));
  return {};
}

Result<> PlanWriter::visit(const CopyNode& node) {
  checked(fmt::format("k.copy({}, {});", KW_TRY(span(node.from)), KW_TRY(span(node.to))));
  return {};
}

Result<> PlanWriter::visit(const ForNode& node) {
  line("{");
  ++depth_;
  line(fmt::format("const Int from = {}, high = {}, stride = {};", KW_TRY(number(node.low)),
                   KW_TRY(number(node.high)),
                   node.stride ? KW_TRY(number(*node.stride)) : std::string("Int(1)")));
  line("Int t = from;");
  ++loops_;
  const auto turn = [&](const PlanBlock& body, const std::string& stride,
                        bool has_tail) -> Result<> {
    line(fmt::format("for (; k.turn(t, high, {0}, {1}); t = k.after(t, high, {0})) {{", stride,
                     has_tail));
    const Scope outer = scope_;
    ++depth_;
    line(fmt::format("const Int v_{0} = t;", node.name));
    line(fmt::format("(void)v_{0};", node.name));
    --depth_;
    scope_.numbers[node.name] = "v_" + node.name;
    KW_TRY(write_scope(body));
    scope_ = outer;
    line("}");
    return {};
  };
  KW_TRY(turn(node.body, "stride", node.tail.has_value()));
  if (node.tail) KW_TRY(turn(*node.tail, "1", false));
  --loops_;
  line("if (k.failed()) return;");
  --depth_;
  line("}");
  return {};
}

Result<> PlanWriter::visit(const WhenNode& node) {
  std::string before;
  for (const auto& branch : node.branches) {
    if (branch.condition)
      line(fmt::format("{}if (k.truth({})) {{", before, KW_TRY(number(*branch.condition))));
    else
      line(before + "{");
    KW_TRY(write_scope(branch.body));
    before = "} else ";
  }
  line("}");
  line("if (k.failed()) return;");
  return {};
}

Result<> PlanWriter::visit(const ForkNode& node) {
  line("k.apart();  // fork " + node.name + ", which runs in order");
  line("{");
  KW_TRY(write_scope(node.body));
  line("}");
  line("k.apart();");
  return {};
}

Result<> PlanWriter::visit(const JoinNode& node) {
  line("k.apart();  // join " + node.name);
  return {};
}

}  // namespace kw::deliver

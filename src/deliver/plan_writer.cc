// Writes the blocks and memory of a launch plan as C++.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/plan_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "deliver/parts.h"
#include "deliver/task_names.h"
#include "task/plan_types.h"
#include "task/yaml.h"

namespace kw::deliver {

using namespace kw::task;  // the nodes of a plan

PlanWriter::PlanWriter(const Delivery& delivery) : d_(delivery), names_(delivery) {}

Result<std::string> PlanWriter::run() {
  KW_TRY(TaskNamesWriter(d_, names_, out_).write());
  KW_TRY(write_block(d_.header.plan));
  return out_.text();
}

Result<> PlanWriter::write_block(const PlanBlock& block) {
  for (const PlanNode& node : block) {
    names_.go_to(node.at);
    KW_TRY(std::visit([&](const auto& what) { return visit(what); }, node.what));
  }
  return {};
}

Result<> PlanWriter::write_scope(const PlanBlock& block) {
  const PlanNames::Scope outer = names_.scope();
  out_.indent();
  KW_TRY(write_block(block));
  out_.outdent();
  names_.scope() = outer;
  return {};
}

Result<> PlanWriter::visit(const LetNode& node) {
  out_.checked(fmt::format("const Int v_{} = {};", node.name, KW_TRY(names_.number(node.value))));
  names_.scope().numbers[node.name] = "v_" + node.name;
  return {};
}

Result<> PlanWriter::visit(const RequireNode& node) {
  out_.checked(fmt::format("k.require({}, {});", KW_TRY(names_.number(node.condition)),
                           quoted("the kernel requires " + node.condition.expr.text(), 150)));
  return {};
}

Result<> PlanWriter::visit(const WorkspaceNode& node) {
  if (loops_ > 0)
    return fail_input(ErrorCode::Unsupported, About{node.name},
                      "a `// kw: workspace` line may not stand inside a loop of the plan",
                      names_.at_line());
  out_.checked(fmt::format("const Space s_{0} = k.workspace(\"{0}\", {1}, {2}, {3});", node.name,
                           *plan_type_bytes(node.type), KW_TRY(names_.list(node.sizes)),
                           node.is_zeroed));
  names_.declare(node.name, "s_" + node.name, node.type, node.sizes.size());
  return {};
}

Result<> PlanWriter::visit(const TableNode& node) {
  const std::string type = cpp_type(*enum_from<Dtype>(node.type));
  const PlanNames::Scope outer = names_.scope();
  names_.scope().numbers[node.index] = "v_" + node.index;
  const std::string value =
      is_real_plan_type(node.type)
          ? fmt::format("static_cast<{}>({})", type, KW_TRY(names_.real(node.real)))
          : fmt::format("k.fit<{}>({})", type, KW_TRY(names_.number(node.integer)));
  names_.scope() = outer;
  out_.checked(
      fmt::format("const Space s_{0} = k.table<{1}>(\"{0}\", {2}, [&](Int v_{3}) -> {1} {{ "
                  "(void)v_{3}; return {4}; }});",
                  node.name, type, KW_TRY(names_.number(node.count)), node.index, value));
  names_.declare(node.name, "s_" + node.name, node.type, 1);
  return {};
}

Result<> PlanWriter::visit(const MapNode& node) {
  static const std::vector<std::string> kElements{"u8",      "u16",  "u32",     "i32", "u64",
                                                  "i64",     "f16",  "f32",     "f64", "bf16",
                                                  "f32_ftz", "tf32", "tf32_ftz"};
  static const std::vector<int> kBytes{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  const PlanNames::Place* base = names_.place(node.base.name);
  const std::string element = !node.element.text.empty() ? node.element.text
                              : base != nullptr          ? base->type
                                                         : "";
  const auto found = std::ranges::find(kElements, element);
  if (found == kElements.end())
    return fail_input(ErrorCode::Unsupported, About{element},
                      "a tensor map has no elements of type '" + element + "'", names_.at_line());
  const auto index = static_cast<std::size_t>(found - kElements.begin());
  const auto choice = [](const PlanWord& word, const std::vector<std::string>& words) {
    return std::max<std::ptrdiff_t>(std::ranges::find(words, word.text) - words.begin(), 0) %
           static_cast<std::ptrdiff_t>(words.size());
  };
  out_.checked(fmt::format(
      "const TensorMap m_{} = k.map({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});", node.name,
      KW_TRY(names_.span(node.base)), index, kBytes[index], KW_TRY(names_.list(node.sizes)),
      KW_TRY(names_.list(node.strides)), KW_TRY(names_.list(node.box)),
      KW_TRY(names_.list(node.steps)), choice(node.interleave, {"none", "16", "32"}),
      choice(node.swizzle, {"none", "32", "64", "128"}),
      choice(node.promotion, {"none", "64", "128", "256"}), choice(node.outside, {"zero", "nan"})));
  names_.declare(node.name, "m_" + node.name, "", 0);
  return {};
}

Result<> PlanWriter::visit(const FillNode& node) {
  const PlanNames::Place* to = names_.place(node.to.name);
  const std::string where = KW_TRY(names_.span(node.to));
  const int bytes = to->element_bytes;
  std::string image;
  if (is_real_plan_type(to->type) && !node.is_bits) {
    const std::string value = node.real
                                  ? KW_TRY(names_.real(*node.real))
                                  : fmt::format("real({})", KW_TRY(names_.number(*node.integer)));
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
      return fail_input(ErrorCode::Unsupported, About{node.to.name},
                        "a fill of a tensor of integers takes an integer value", names_.at_line());
    image = fmt::format("k.bits({}, {})", KW_TRY(names_.number(*node.integer)), bytes);
  }
  out_.checked(fmt::format("k.fill({}, {}, {});", where, std::min(bytes, 4), image));
  return {};
}

Result<> PlanWriter::visit(const CopyNode& node) {
  out_.checked(
      fmt::format("k.copy({}, {});", KW_TRY(names_.span(node.from)), KW_TRY(names_.span(node.to))));
  return {};
}

Result<> PlanWriter::visit(const ForNode& node) {
  out_.line("{");
  out_.indent();
  out_.line(fmt::format("const Int from = {}, high = {}, stride = {};",
                        KW_TRY(names_.number(node.low)), KW_TRY(names_.number(node.high)),
                        node.stride ? KW_TRY(names_.number(*node.stride)) : std::string("Int(1)")));
  out_.line("Int t = from;");
  ++loops_;
  const auto turn = [&](const PlanBlock& body, const std::string& stride,
                        bool has_tail) -> Result<> {
    out_.line(fmt::format("for (; k.turn(t, high, {0}, {1}); t = k.after(t, high, {0})) {{", stride,
                          has_tail));
    const PlanNames::Scope outer = names_.scope();
    out_.indent();
    out_.line(fmt::format("const Int v_{0} = t;", node.name));
    out_.line(fmt::format("(void)v_{0};", node.name));
    out_.outdent();
    names_.scope().numbers[node.name] = "v_" + node.name;
    KW_TRY(write_scope(body));
    names_.scope() = outer;
    out_.line("}");
    return {};
  };
  KW_TRY(turn(node.body, "stride", node.tail.has_value()));
  if (node.tail) KW_TRY(turn(*node.tail, "1", false));
  --loops_;
  out_.line("if (k.failed()) return;");
  out_.outdent();
  out_.line("}");
  return {};
}

Result<> PlanWriter::visit(const WhenNode& node) {
  std::string before;
  for (const auto& branch : node.branches) {
    if (branch.condition)
      out_.line(
          fmt::format("{}if (k.truth({})) {{", before, KW_TRY(names_.number(*branch.condition))));
    else
      out_.line(before + "{");
    KW_TRY(write_scope(branch.body));
    before = "} else ";
  }
  out_.line("}");
  out_.line("if (k.failed()) return;");
  return {};
}

Result<> PlanWriter::visit(const ForkNode& node) {
  out_.line("k.apart();  // fork " + node.name + ", which runs in order");
  out_.line("{");
  KW_TRY(write_scope(node.body));
  out_.line("}");
  out_.line("k.apart();");
  return {};
}

Result<> PlanWriter::visit(const JoinNode& node) {
  out_.line("k.apart();  // join " + node.name);
  return {};
}

}  // namespace kw::deliver

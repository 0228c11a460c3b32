// Writes the launches of a launch plan as C++: the kernel, its grid and the bytes of its arguments.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "deliver/parts.h"
#include "deliver/plan_writer.h"
#include "task/plan_parse.h"
#include "task/plan_resolver.h"

namespace kw::deliver {

using namespace kw::task;  // the nodes of a plan

namespace {

constexpr std::int64_t kMapBytes = 128;
constexpr std::int64_t kMapAlignment = 64;

std::string cpp_type(std::string_view type) {
  static const std::map<std::string, std::string, std::less<>> kTypes{
      {"f32", "float"},         {"f64", "double"},        {"i64", "std::int64_t"},
      {"u64", "std::uint64_t"}, {"i32", "std::int32_t"},  {"u32", "std::uint32_t"},
      {"i16", "std::int16_t"},  {"u16", "std::uint16_t"}, {"i8", "std::int8_t"},
      {"u8", "std::uint8_t"}};
  const auto found = kTypes.find(type);
  return found == kTypes.end() ? std::string() : found->second;
}

const ScalarSpec* scalar_of(const task::Definition& definition, std::string_view name) {
  const auto found = std::ranges::find(definition.scalars, name, &ScalarSpec::name);
  return found == definition.scalars.end() ? nullptr : &*found;
}

std::int64_t align_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Result<std::string> PlanWriter::three(const std::vector<PlanExpr>& exprs) const {
  return "Three" + KW_TRY(list(exprs));
}

Result<std::string> PlanWriter::kernel_number(const KernelName& kernel) {
  PlanScope knobs(false);
  for (const auto& [name, value] : macros_) (void)knobs.define(0, name, value);
  const auto text = kernel_text(kernel, knobs);
  if (!text) return fail_input(text.error().message, at_line());
  const auto found = std::ranges::find(kernels_, *text);
  const auto index = found - kernels_.begin();
  if (found == kernels_.end()) kernels_.push_back(*text);
  return fmt::format("{} /* {} */", index, kernel.name);
}

Result<> PlanWriter::visit(const LaunchNode& node) {
  line("{");
  ++depth_;
  line("Arguments a;");
  for (const PlanItem& item : node.arguments) {
    line(fmt::format("a.next({});", KW_TRY(layout(item)).bytes));
    KW_TRY(put(item, 0));
  }
  line("Extras more;");
  if (node.shared) line(fmt::format("more.shared = {};", KW_TRY(number(*node.shared))));
  if (!node.cluster.empty())
    line(fmt::format("more.has_cluster = true, more.cluster = {};", KW_TRY(three(node.cluster))));
  if (node.carveout)
    line(fmt::format("more.carveout = k.share({});", KW_TRY(number(*node.carveout))));
  if (node.is_cooperative) line("more.is_cooperative = true;");
  if (node.is_programmatic) line("more.is_programmatic = true;");
  line(fmt::format("k.launch({}, {}, {}, more, a);", KW_TRY(kernel_number(node.kernel)),
                   KW_TRY(three(node.grid)), KW_TRY(three(node.block))));
  --depth_;
  line("}");
  line("if (k.failed()) return;");
  return {};
}

Result<PlanWriter::Layout> PlanWriter::layout(const PlanItem& item) const {
  switch (item.kind) {
    case PlanItem::Kind::Struct:
      return place_items(item, nullptr);
    case PlanItem::Kind::Integer:
    case PlanItem::Kind::Real:
      return Layout{*plan_type_bytes(item.type), *plan_type_bytes(item.type)};
    case PlanItem::Kind::Null:
      return Layout{8, 8};
    case PlanItem::Kind::Name:
      break;
  }
  if (const Place* found = place(item.name.name))
    return found->is_map() ? Layout{kMapBytes, kMapAlignment} : Layout{8, 8};
  const ScalarSpec* scalar = scalar_of(d_.definition, item.name.name);
  const auto bytes = scalar == nullptr ? 4 : static_cast<std::int64_t>(size_of(scalar->dtype));
  return Layout{bytes, bytes};
}

Result<PlanWriter::Layout> PlanWriter::place_items(const PlanItem& item,
                                                   std::vector<std::int64_t>* offsets) const {
  Layout whole;
  std::int64_t end = 0;
  for (const PlanItem& inner : item.items) {
    const Layout room = KW_TRY(layout(inner));
    std::int64_t at = align_up(end, room.alignment);
    if (inner.offset) {
      const auto value = inner.offset->expr.evaluate(macros_);
      if (!value)
        return fail_input(
            "an exported plan must compute the offset of a struct's item from knobs alone, not "
            "from: " +
                inner.offset->expr.text(),
            at_line());
      at = *value;
    }
    end = at + room.bytes;
    if (offsets != nullptr) offsets->push_back(at);
    whole.bytes = std::max(whole.bytes, end);
    whole.alignment = std::max(whole.alignment, room.alignment);
  }
  whole.bytes = align_up(whole.bytes, whole.alignment);
  return whole;
}

Result<> PlanWriter::put(const PlanItem& item, std::int64_t at) {
  const auto value = [&](const std::string& text) {
    line(fmt::format("a.put({}, {});", at, text));
  };
  if (item.kind == PlanItem::Kind::Struct) {
    std::vector<std::int64_t> offsets;
    KW_TRY(place_items(item, &offsets));
    for (std::size_t i = 0; i < item.items.size(); ++i) KW_TRY(put(item.items[i], at + offsets[i]));
  } else if (item.kind == PlanItem::Kind::Null) {
    value("Address(0)");
  } else if (item.kind == PlanItem::Kind::Real) {
    value(fmt::format("static_cast<{}>({})", cpp_type(item.type), KW_TRY(real(item.real))));
  } else if (item.kind == PlanItem::Kind::Integer) {
    value(fmt::format("k.fit<{}>({})", cpp_type(item.type), KW_TRY(number(item.integer))));
  } else if (const Place* found = place(item.name.name)) {
    value(found->is_map() ? found->variable : KW_TRY(span(item.name)) + ".at()");
  } else {
    const ScalarSpec* scalar = scalar_of(d_.definition, item.name.name);
    const std::string text = KW_TRY(spelled(item.name.name));
    const std::string type =
        scalar == nullptr ? "std::int32_t" : cpp_type(kw::name_of(scalar->dtype));
    value(scalar != nullptr && is_real(scalar->dtype)
              ? fmt::format("static_cast<{}>({})", type, text)
              : fmt::format("k.fit<{}>({})", type, text));
  }
  return {};
}

}  // namespace kw::deliver

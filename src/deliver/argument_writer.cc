// Lays the arguments of a launch out as the kernel takes them, and writes their values as C++.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/argument_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "deliver/parts.h"
#include "task/plan_types.h"

namespace kw::deliver {

using namespace kw::task;  // the nodes of a plan

namespace {

constexpr std::int64_t kMapBytes = 128;
constexpr std::int64_t kMapAlignment = 64;

const ScalarSpec* scalar_of(const task::Definition& definition, std::string_view name) {
  const auto found = std::ranges::find(definition.scalars, name, &ScalarSpec::name);
  return found == definition.scalars.end() ? nullptr : &*found;
}

std::int64_t align_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Result<> ArgumentWriter::write(const std::vector<PlanItem>& arguments) {
  for (const PlanItem& item : arguments) {
    out_.line(fmt::format("a.next({});", KW_TRY(layout(item)).bytes));
    KW_TRY(put(item, 0));
  }
  return {};
}

Result<ArgumentWriter::Layout> ArgumentWriter::layout(const PlanItem& item) const {
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
  if (const PlanNames::Place* found = names_.place(item.name.name))
    return found->is_map() ? Layout{kMapBytes, kMapAlignment} : Layout{8, 8};
  const ScalarSpec* scalar = scalar_of(d_.definition, item.name.name);
  const auto bytes = scalar == nullptr ? 4 : static_cast<std::int64_t>(size_of(scalar->dtype));
  return Layout{bytes, bytes};
}

Result<ArgumentWriter::Layout> ArgumentWriter::place_items(
    const PlanItem& item, std::vector<std::int64_t>* offsets) const {
  Layout whole;
  std::int64_t end = 0;
  for (const PlanItem& inner : item.items) {
    const Layout room = KW_TRY(layout(inner));
    std::int64_t at = align_up(end, room.alignment);
    if (inner.offset) {
      const auto value = inner.offset->expr.evaluate(names_.macros());
      if (!value)
        return fail_input(
            ErrorCode::Unsupported, About{inner.offset->expr.text()},
            "an exported plan must compute the offset of a struct's item from knobs alone, not "
            "from: " +
                inner.offset->expr.text(),
            names_.at_line());
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

Result<> ArgumentWriter::put(const PlanItem& item, std::int64_t at) {
  const auto value = [&](const std::string& text) {
    out_.line(fmt::format("a.put({}, {});", at, text));
  };
  if (item.kind == PlanItem::Kind::Struct) {
    std::vector<std::int64_t> offsets;
    KW_TRY(place_items(item, &offsets));
    for (std::size_t i = 0; i < item.items.size(); ++i) KW_TRY(put(item.items[i], at + offsets[i]));
  } else if (item.kind == PlanItem::Kind::Null) {
    value("Address(0)");
  } else if (item.kind == PlanItem::Kind::Real) {
    value(fmt::format("static_cast<{}>({})", cpp_type(*enum_from<Dtype>(item.type)),
                      KW_TRY(names_.real(item.real))));
  } else if (item.kind == PlanItem::Kind::Integer) {
    value(fmt::format("k.fit<{}>({})", cpp_type(*enum_from<Dtype>(item.type)),
                      KW_TRY(names_.number(item.integer))));
  } else if (const PlanNames::Place* found = names_.place(item.name.name)) {
    value(found->is_map() ? found->variable : KW_TRY(names_.span(item.name)) + ".at()");
  } else {
    const ScalarSpec* scalar = scalar_of(d_.definition, item.name.name);
    const std::string text = KW_TRY(names_.spelled(item.name.name));
    const std::string type = scalar == nullptr ? "std::int32_t" : cpp_type(scalar->dtype);
    value(scalar != nullptr && is_real(scalar->dtype)
              ? fmt::format("static_cast<{}>({})", type, text)
              : fmt::format("k.fit<{}>({})", type, text));
  }
  return {};
}

}  // namespace kw::deliver

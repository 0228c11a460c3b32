// Finds the plan's names for memory, from what each buffer of the host program is in the plan.
// SPDX-License-Identifier: Apache-2.0
#include "import/plan_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/plan_elements.h"

namespace kw::import {
namespace {

using Kind = Value::Kind;

}  // namespace

std::string PlanPlaces::element_type(std::size_t i) const {
  if (!buffer(i).element.empty()) return device_type(buffer(i).element, types_);
  return types_.real;
}

std::optional<Size> PlanPlaces::count_of(std::size_t i) const {
  const Buffer& b = buffer(i);
  const Element element = element_of(element_type(i));
  if (b.has_bytes) {
    const int bytes = bytes_of_plan(element.type);
    const Size all = sizes_.final_size(b.bytes);
    if (auto count = exact_quotient(all, bytes)) return count;
    return Size::call("ceil_div", {all, bytes});
  }
  std::vector<Value> sizes = b.sizes;
  if (sizes.empty() && b.like >= 0) {
    const auto like = static_cast<std::size_t>(b.like);
    sizes = buffer(like).sizes;
    if (sizes.empty()) {
      const task::TensorSpec* spec = matching_.buffers[like].tensor;
      if (spec == nullptr) return std::nullopt;
      Size product(1);
      for (const task::Formula& extent : spec->shape)
        product = Size::binary("*", product, Size::text(extent.expr.text()));
      return product;
    }
  }
  if (sizes.empty()) return std::nullopt;
  Size product(element.count);
  for (const Value& size : sizes) {
    if (!size.is(Kind::Int)) return std::nullopt;
    product = Size::binary("*", product, sizes_.final_size(size.size));
  }
  return product;
}

int PlanPlaces::unit_of(std::size_t i) const {
  const Element element = element_of(element_type(i));
  if (!element.type.empty()) return bytes_of_plan(element.type);
  return std::max(1, bytes_of_type(element_type(i)));
}

std::string PlanPlaces::place_of(const Value& value, std::size_t offset) {
  const auto index = static_cast<std::size_t>(value.buffer);
  const BufferMatch& match = matching_.buffers[index];
  if (match.name.empty()) {
    if (matching_.missing.empty())
      out_.miss(offset, "unmatched buffer",
                fmt::format("the tensor or workspace that '{}' stands for is not known",
                            buffer(index).name));
    return "null";
  }
  const Size bytes = sizes_.final_size(value.size);
  if (bytes.is(0)) return match.name;
  const auto at = exact_quotient(bytes, unit_of(index));
  if (!at) {
    out_.miss(offset, "unaligned address",
              "this address does not lie at the beginning of an element");
    return "null";
  }
  if (match.is_workspace || (match.tensor != nullptr && match.tensor->shape.size() == 1))
    return fmt::format("{}[{}]", match.name, at->to_text());
  if (match.tensor != nullptr && at->op() == Size::Op::Binary && at->word() == "*" &&
      match.tensor->shape.size() == 2 && !match.is_padded) {
    const Size row = Size::text(match.tensor->shape[1].expr.text());
    for (const std::size_t side : {0, 1})
      if (at->parts()[side] == row)
        return fmt::format("{}[{}]", match.name, at->parts()[1 - side].to_text());
  }
  out_.miss(offset, "slice",
            fmt::format("the slice of '{}' that begins at element {} is not known", match.name,
                        at->to_text()));
  return "null";
}

std::string PlanPlaces::whole_place(const Value& value, const Step& step) {
  const std::string name = place_of(value, step.offset);
  const auto index = static_cast<std::size_t>(value.buffer);
  const BufferMatch& match = matching_.buffers[index];
  const Size bytes = sizes_.final_size(step.bytes);
  const Size begin = sizes_.final_size(value.size);
  if (name == "null" || (step.bytes == Size(0) && begin.is(0))) return name;
  const task::TensorSpec* spec = match.tensor;
  std::optional<Size> all;
  if (spec != nullptr) {
    Size product(1);
    for (const task::Formula& extent : spec->shape)
      product = Size::binary("*", product, Size::text(extent.expr.text()));
    all = product;
  } else {
    all = count_of(index);
    if (begin.is(0) && buffer(index).has_bytes && sizes_.final_size(buffer(index).bytes) == bytes)
      return name;
  }
  const int unit = unit_of(index);
  auto count = exact_quotient(bytes, unit);
  // A named constant has no factors to divide, but its value may be a multiple of `unit`.
  if (const auto number = bytes.number(); !count && number && *number % unit == 0)
    count = Size(*number / unit);
  const auto at = exact_quotient(begin, unit);
  if (!count || !at) {
    out_.miss(step.offset, "byte count",
              fmt::format("it is not known how many elements of '{}' are {} bytes", match.name,
                          bytes.to_text()));
    return "null";
  }
  if (begin.is(0) && all && *count == *all) return name;
  if (match.is_workspace || (spec != nullptr && spec->shape.size() == 1))
    return fmt::format("{}[{} : {}]", match.name, at->to_text(),
                       Size::binary("+", *at, *count).to_text());
  if (begin.is(0)) {
    out_.assumptions.push_back(
        {step.offset,
         {},
         fmt::format("{} elements should be all of '{}'", count->to_text(), name)});
    return name;
  }
  // For a tensor of several dimensions place_of() names one row, so `count` must be its length.
  if (spec == nullptr || !(*count == Size::text(spec->shape.back().expr.text())))
    out_.miss(
        step.offset, "slices",
        fmt::format("the slices of '{}' that hold {} elements from element {} on are not known",
                    match.name, count->to_text(), at->to_text()));
  return name;
}

}  // namespace kw::import

// Looks up the names of a launch plan, evaluates its expressions, and slices tensors and
// workspaces.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::task {

std::int64_t PlanSpace::stride(std::size_t dimension) const {
  if (dimension + 1 >= sizes.size()) return 1;
  std::int64_t stride = pitch;
  for (std::size_t i = dimension + 1; i + 1 < sizes.size(); ++i) stride *= sizes[i];
  return stride;
}

std::int64_t PlanSpace::extent(std::size_t dimensions) const {
  if (dimensions >= sizes.size()) return 1;
  std::int64_t rows = 1;
  for (std::size_t i = dimensions; i + 1 < sizes.size(); ++i) rows *= sizes[i];
  return (rows - 1) * pitch + sizes.back();
}

Wording PlanScope::figure(std::int64_t value) const {
  return is_hidden_ ? Wording{"?", {}} : worded("{}", value);
}

std::unexpected<PlanTrouble> PlanScope::unknown(std::size_t at, const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& [known, unused] : numbers_) names.push_back(known);
  for (const auto& [known, unused] : reals_) names.push_back(known);
  for (const auto& [known, unused] : spaces_) names.push_back(known);
  const std::string shown = sanitise(name, 40);
  return trouble(at, PlanFlaw::Unknown, About{with_nearest(shown, names)},
                 fmt::format("unknown name '{}'{}", shown, suggestion(name, names)));
}

Planned<> PlanScope::check_free(std::size_t at, const std::string& name) const {
  const bool is_number = numbers_.contains(name) && !implied_.contains(name);
  if (is_number || reals_.contains(name) || spaces_.contains(name))
    return trouble(at, PlanFlaw::Repeated, About{name},
                   fmt::format("the name '{}' is already used by the task or by the plan", name));
  return {};
}

Planned<> PlanScope::define(std::size_t at, const std::string& name, std::int64_t value) {
  KW_TRY(check_free(at, name));
  set(name, value);
  return {};
}

Planned<> PlanScope::define(std::size_t at, PlanSpace space) {
  KW_TRY(check_free(at, space.name));
  const std::string name = space.name;
  const bool is_map = space.is_map();
  // A tensor or workspace hides a number with the same name that was defined implicitly, such as
  // x_pitch for a tensor x, because keeping both would confuse the author.
  if (numbers_.contains(name)) set(name, std::nullopt);
  const auto& placed = spaces_.emplace(name, std::move(space)).first->second;
  undo_.push_back({.name = name, .is_space = true, .was_implied = false, .old = {}});
  if (is_map) return {};
  imply(name + "_pitch", placed.pitch);
  imply(name + "_count", placed.extent(0));
  imply(name + "_bytes", placed.bytes);
  return {};
}

void PlanScope::imply(const std::string& name, std::int64_t value) {
  if (numbers_.contains(name) || spaces_.contains(name) || reals_.contains(name)) return;
  set(name, value);
  implied_.insert(name);
}

void PlanScope::set(const std::string& name, std::optional<std::int64_t> value) {
  Undo undo{.name = name, .is_space = false, .was_implied = implied_.erase(name) > 0, .old = {}};
  if (const auto found = numbers_.find(name); found != numbers_.end()) undo.old = found->second;
  undo_.push_back(std::move(undo));
  if (value)
    numbers_[name] = *value;
  else
    numbers_.erase(name);
}

void PlanScope::reset(std::size_t mark) {
  while (undo_.size() > mark) {
    const Undo& undo = undo_.back();
    if (undo.is_space) {
      spaces_.erase(undo.name);
    } else {
      implied_.erase(undo.name);
      if (undo.old)
        numbers_[undo.name] = *undo.old;
      else
        numbers_.erase(undo.name);
      if (undo.was_implied) implied_.insert(undo.name);
    }
    undo_.pop_back();
  }
}

Planned<std::int64_t> PlanScope::value(const PlanExpr& expr) const {
  const auto value = expr.expr.evaluate(numbers_);
  if (value) return *value;
  const std::size_t at = expr.at + value.error().offset;
  for (const auto& name : expr.expr.names()) {
    if (numbers_.contains(name)) continue;
    if (reals_.contains(name))
      return trouble(
          at, PlanFlaw::WrongKind, About{name},
          fmt::format("'{}' is a floating-point scalar; write f32({}) or f64(…)", name, name));
    if (spaces_.contains(name))
      return trouble(at, PlanFlaw::WrongKind, About{name},
                     fmt::format("'{}' is an address and has no value in an expression", name));
    return unknown(at, name);
  }
  return trouble(at, PlanFlaw::BadExpression, About{value.error().about}, value.error().message);
}

Planned<std::vector<std::int64_t>> PlanScope::values(const std::vector<PlanExpr>& exprs) const {
  std::vector<std::int64_t> values;
  for (const PlanExpr& expr : exprs) values.push_back(KW_TRY(value(expr)));
  return values;
}

Planned<double> PlanScope::real(const PlanRealExpr& expr) const {
  std::string unknown_name;
  const auto value = expr.expr.evaluate([&](std::string_view name) -> std::optional<double> {
    if (const auto found = numbers_.find(name); found != numbers_.end())
      return static_cast<double>(found->second);
    if (const auto found = reals_.find(name); found != reals_.end()) return found->second;
    unknown_name = name;
    return std::nullopt;
  });
  if (value) return *value;
  const std::size_t at = expr.at + value.error().offset;
  if (!unknown_name.empty()) return unknown(at, unknown_name);
  return trouble(at, PlanFlaw::BadExpression, About{value.error().about}, value.error().message);
}

const PlanSpace* PlanScope::space(std::string_view name) const {
  const auto found = spaces_.find(name);
  return found == spaces_.end() ? nullptr : &found->second;
}

Planned<const PlanSpace*> PlanScope::require_space(const PlanName& name) const {
  if (const PlanSpace* found = space(name.name)) return found;
  if (numbers_.contains(name.name) || reals_.contains(name.name))
    return trouble(name.at, PlanFlaw::WrongKind, About{name.name},
                   fmt::format("'{}' is a number, not a tensor or workspace", name.name));
  return unknown(name.at, name.name);
}

Planned<PlanSpan> PlanScope::span(const PlanName& name) const {
  const PlanSpace* space = KW_TRY(require_space(name));
  if (space->is_map())
    return trouble(name.at, PlanFlaw::WrongKind, About{name.name},
                   fmt::format("'{}' is a tensor map", name.name));
  PlanSpan span{space, 0, space->bytes};
  if (name.indices.empty()) return span;
  if (name.indices.size() > space->sizes.size())
    return trouble(name.at, PlanFlaw::TooMany, About{fmt::format("indices of {}", name.name)},
                   worded("'{}' has {} dimension{}, not {}", name.name, space->sizes.size(),
                          space->sizes.size() == 1 ? "" : "s", name.indices.size()));
  std::int64_t first = 0;
  std::int64_t more = 0;
  for (std::size_t i = 0; i < name.indices.size(); ++i) {
    const std::int64_t size = space->sizes[i];
    const std::int64_t low = KW_TRY(value(name.indices[i].low));
    std::int64_t high = low + 1;
    if (low < 0 || low >= size)
      return trouble(name.indices[i].low.at, PlanFlaw::OutOfRange,
                     About{fmt::format("index of {}", name.name)},
                     worded("index {} of '{}' lies outside 0 to {}", figure(low), name.name,
                            figure(size - 1)));
    if (name.indices[i].high) high = KW_TRY(value(*name.indices[i].high));
    if (high <= low || high > size)
      return trouble(name.indices[i].high->at, high <= low ? PlanFlaw::Empty : PlanFlaw::OutOfRange,
                     About{fmt::format("range of {}", name.name)},
                     worded("the range {} : {} of '{}' is empty or leaves 0 : {}", figure(low),
                            figure(high), name.name, figure(size)));
    first += low * space->stride(i);
    more = (high - low - 1) * space->stride(i);
  }
  span.offset = first * space->element_bytes;
  span.bytes = (more + space->extent(name.indices.size())) * space->element_bytes;
  return span;
}

}  // namespace kw::task

// Spells the names and expressions of a launch plan in C++.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/plan_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "deliver/formula_text.h"
#include "record/target.h"
#include "task/device_names.h"
#include "task/plan_types.h"
#include "task/yaml.h"

namespace kw::deliver {

using namespace kw::task;  // the nodes of a plan

PlanNames::PlanNames(const Delivery& delivery) : d_(delivery) {
  for (const std::string& define : d_.header.defines(d_.kernel.knobs)) {
    const auto equals = define.find('=');
    macros_[define.substr(0, equals)] = std::stoll(define.substr(equals + 1));
  }
}

std::string PlanNames::at_line() const {
  return fmt::format("line {} of {}{}",
                     std::count(d_.kernel.source.begin(),
                                d_.kernel.source.begin() + static_cast<std::ptrdiff_t>(at_), '\n') +
                         1,
                     d_.kernel.name, source_suffix(d_.kernel.target));
}

void PlanNames::declare(const std::string& name, std::string variable, const std::string& type,
                        std::size_t rank) {
  scope_.places[name] = {std::move(variable), type,
                         type.empty() ? 0 : static_cast<int>(*plan_type_bytes(type)), rank};
}

const PlanNames::Place* PlanNames::place(std::string_view name) const {
  const auto found = scope_.places.find(name);
  return found == scope_.places.end() ? nullptr : &found->second;
}

Result<std::string> PlanNames::spelled(std::string_view name) const {
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
    return fail_input(ErrorCode::Missing, About{std::string(name)}, why->second, at_line());
  return fail_input(
      ErrorCode::NotFound, About{std::string(name)},
      fmt::format(
          "the name '{}' has no value in an exported plan, which knows dims, scalars and knobs",
          name),
      at_line());
}

Result<std::string> PlanNames::number(const Expr& expr) const {
  return cpp_text(expr, [this](std::string_view name) { return spelled(name); });
}

Result<std::string> PlanNames::number(const PlanExpr& expr) const { return number(expr.expr); }

Result<std::string> PlanNames::real(const PlanRealExpr& expr) const {
  return cpp_real_text(expr.expr.text(), [this](std::string_view name) { return spelled(name); });
}

Result<std::string> PlanNames::list(const std::vector<PlanExpr>& exprs) const {
  std::vector<std::string> parts;
  for (const PlanExpr& expr : exprs) parts.push_back(KW_TRY(number(expr)));
  return "{" + join(parts, ", ") + "}";
}

Result<std::string> PlanNames::three(const std::vector<PlanExpr>& exprs) const {
  return "Three" + KW_TRY(list(exprs));
}

Result<std::string> PlanNames::span(const PlanName& name) const {
  const Place* found = place(name.name);
  if (found == nullptr || found->is_map())
    return fail_input(
        ErrorCode::NotFound, About{name.name},
        fmt::format("'{}' names neither a tensor nor a workspace of the plan", name.name),
        at_line());
  if (name.indices.empty()) return fmt::format("k.whole({})", found->variable);
  if (name.indices.size() > found->rank)
    return fail_input(ErrorCode::OutOfRange, About{name.name},
                      fmt::format("'{}' has {} dimensions", name.name, found->rank), at_line());
  std::vector<std::string> lows;
  for (const PlanIndex& index : name.indices) lows.push_back(KW_TRY(number(index.low)));
  std::string high;
  if (name.indices.back().high) high = ", " + KW_TRY(number(*name.indices.back().high));
  return fmt::format("k.slice({}, {{{}}}{})", found->variable, join(lows, ", "), high);
}

}  // namespace kw::deliver

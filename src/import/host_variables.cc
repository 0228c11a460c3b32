// Finds variables of a host function, and makes them unknown.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "import/host_values.h"
#include "import/host_variables.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

std::optional<std::pair<std::size_t, std::string>> HostVariables::locate(
    const std::string& name) const {
  for (std::size_t scope = scopes_.size(); scope-- > 0;)
    if (const auto found = scopes_[scope].find(name); found != scopes_[scope].end()) {
      const auto& alias = found->second.alias;
      return alias ? *alias : std::pair(scope, name);
    }
  return std::nullopt;
}

Variable* HostVariables::find(const std::string& name) {
  const auto found = locate(name);
  if (!found || found->first >= scopes_.size()) return nullptr;
  const auto variable = scopes_[found->first].find(found->second);
  return variable != scopes_[found->first].end() ? &variable->second : nullptr;
}

/// The value to which a reference points, in the scopes of the current function; null if it is not
/// known.
Value* HostVariables::referred(const Value& reference) {
  Variable* variable = variable_of(reference);
  if (variable == nullptr || reference.begin == 0) return variable ? &variable->value : nullptr;
  const bool is_in =
      variable->value.is(Kind::List) && reference.begin <= variable->value.parts.size();
  return is_in ? &variable->value.parts[reference.begin - 1] : nullptr;
}

Variable* HostVariables::variable_of(const Value& reference) {
  if (!reference.is(Kind::Reference) || reference.depth >= scopes_.size()) return nullptr;
  const auto found = scopes_[reference.depth].find(reference.word);
  return found != scopes_[reference.depth].end() ? &found->second : nullptr;
}

void HostVariables::forget(const std::string& name, std::size_t offset, std::string_view why) {
  Variable* variable = find(name);
  if (variable == nullptr || variable->is_const) return;
  // Host memory, lambdas and unknown values keep their value: a write changes only contents that
  // are not tracked.
  if (variable->value.is(Kind::Host) || variable->value.is(Kind::Lambda)) return;
  if (variable->value.is(Kind::Unknown)) return;
  variable->value = unknown(offset, fmt::format("'{}' {}", sanitise(name, 60), why));
}

void HostVariables::forget_exposed(std::size_t offset) {
  for (auto& scope : scopes_)
    for (auto& [name, variable] : scope)
      if (variable.is_exposed && !variable.is_const && !variable.alias)
        variable.value = unknown(
            offset, fmt::format("'{}' may change here through its address", sanitise(name, 60)));
}

void HostVariables::expose(const Value& value) {
  if (Variable* variable = variable_of(value)) variable->is_exposed = true;
  for (const Value& part : value.parts) expose(part);
}

void HostVariables::merge(const Value& condition, const Scopes& yes, const Scopes& no) {
  scopes_ = no;
  for (std::size_t i = 0; i < scopes_.size() && i < yes.size(); ++i)
    for (auto& [name, variable] : scopes_[i]) {
      const auto other = yes[i].find(name);
      if (other == yes[i].end()) continue;
      variable.is_exposed = variable.is_exposed || other->second.is_exposed;
      variable.value = merged(condition, other->second.value, variable.value);
      if (variable.value.is(Kind::Unknown) && variable.value.word.starts_with("differs"))
        variable.value.word = fmt::format("'{}' {}", name, variable.value.word);
    }
}

void HostVariables::forget_changes(const Scopes& scopes, const Scopes& other, std::size_t offset,
                                   std::string_view why) {
  Scopes kept = scopes;
  for (std::size_t i = 0; i < kept.size() && i < other.size(); ++i)
    for (auto& [name, variable] : kept[i]) {
      const auto now = other[i].find(name);
      if (now == other[i].end()) continue;
      variable.is_exposed = variable.is_exposed || now->second.is_exposed;
      if (!is_same_value(now->second.value, variable.value))
        variable.value = unknown(offset, fmt::format("what '{}' is set to here {}", name, why));
    }
  scopes_ = std::move(kept);
}

}  // namespace kw::import

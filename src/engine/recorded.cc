// Makes steps of a recorded landscape from stored attempts.
// SPDX-License-Identifier: Apache-2.0
#include "engine/recorded.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/hash.h"
#include "base/json.h"
#include "engine/standing.h"

namespace kw::engine {

Result<search::RecordedStep> step_of(const Attempt& attempt) {
  const std::string where = fmt::format("ask of attempt {}", attempt.number);
  const Json ask = KW_TRY(parse_json(attempt.ask, where));
  if (!ask.is_object() || !ask.contains("role") || !ask["role"].is_string() ||
      !ask.contains("fidelity") || !ask["fidelity"].is_number() || !ask.contains("idea") ||
      !ask["idea"].is_number_integer())
    return fail(
        ErrorCode::Malformed, About{"ask"},
        "the record of this attempt lacks what the strategy asked for: its role, idea or fidelity",
        where);
  const auto role = enum_from<search::Role>(ask["role"].get<std::string>());
  if (!role)
    return fail(ErrorCode::NewerFormat, About{"role"},
                "the record of this attempt names a role that this program does not know", where);
  search::RecordedStep step;
  step.attempt = attempt.number;
  step.parent = attempt.parent;
  step.role = *role;
  step.place = *role == search::Role::Idea ? ask["idea"].get<int>() : search::kUnwritten;
  step.fidelity = ask["fidelity"].get<double>();
  const Candidate& c = attempt.candidate;
  if (!c.source.empty()) step.source = sha256(c.source).hex();
  step.name = c.name;
  step.is_expert = c.origin == Origin::Task || c.origin == Origin::Playbook;
  step.techniques = c.techniques;
  if (!attempt.chosen.empty() && !contains(step.techniques, attempt.chosen))
    step.techniques.push_back(attempt.chosen);
  step.knobs = c.knobs;
  step.tell = tell_of(attempt, *role == search::Role::Write);
  return step;
}

}  // namespace kw::engine

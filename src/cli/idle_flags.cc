// Reports flags that would have no effect in a run, with what they need to have one.
// SPDX-License-Identifier: Apache-2.0
#include "cli/idle_flags.h"

#include <algorithm>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "session/landscape.h"
#include "session/optimize.h"

namespace kw::cli {
namespace {

constexpr std::string_view kWorldPrefix = "techniques:";

/// The error message for a search space of stored times (a landscape) together with a strategy in
/// which a model writes kernels.
const char* const kSuiteSearches =
    "kw suite searches recorded:RUN and worlds (--landscape N) with strategies that write, without "
    "a model";

std::size_t writers_in(const std::vector<llm::ModelSpec>& specs) {
  return static_cast<std::size_t>(
      std::ranges::count_if(specs, [](const llm::ModelSpec& spec) { return spec.role.empty(); }));
}

bool has_role(const std::vector<llm::ModelSpec>& specs, std::string_view role) {
  return std::ranges::find(specs, role, &llm::ModelSpec::role) != specs.end();
}

/// Refuses a model in a role in which it would never be called because of another flag.
Result<> refuse_idle_roles(const OptimizeFlags& flags, const std::vector<llm::ModelSpec>& specs) {
  const std::string& judge = flags.method.text("--judge");
  if (has_role(specs, "judge") && !judge.empty())
    return fail_input(
        ErrorCode::Contradiction, About{"--judge and --model"},
        "--judge " + judge + " judges without a model: leave out the --model in the role judge",
        "--model");
  if (has_role(specs, "guide") && flags.strategy == "graph-walk" &&
      flags.method.text("--guide") != "llm")
    return fail_input(
        ErrorCode::Contradiction, About{"--guide and --model"},
        "a model in the role guide is asked only with --guide llm: give that flag, or leave the "
        "model out",
        "--model");
  return {};
}

}  // namespace

Result<> refuse_on_landscape(const OptimizeFlags& flags) {
  if (flags.task.starts_with(kWorldPrefix))
    return fail_input(ErrorCode::Unsupported, About{"worlds"},
                      "worlds of techniques are searched by kw suite alone: as a task of its spec, "
                      "or with --landscape N",
                      flags.task);
  if (!session::is_landscape(flags.task)) return {};
  if (!flags.writing.models.models.empty())
    return fail_input(ErrorCode::Unsupported, About{"--model on a landscape"},
                      std::string("a landscape is searched without a model; ") + kSuiteSearches,
                      flags.task);
  if (!flags.strategy.empty() && KW_TRY(search::find_strategy(flags.strategy))->is_writing)
    return fail_input(
        ErrorCode::Unsupported, About{flags.strategy + " on a landscape"},
        "strategy '" + flags.strategy +
            "' has kernels written, and kw optimize searches a landscape with others; " +
            kSuiteSearches,
        flags.task);
  std::string_view idle = flags.writing.shortlist > 1 ? "--shortlist" : "";
  for (const search::MethodOption& option : search::method_options())
    if (idle.empty() && option.is_for_writing && option.is_given(flags.method.value(option.flag)))
      idle = option.flag;
  if (!idle.empty())
    return fail_input(
        ErrorCode::Unsupported, About{std::string(idle) + " on a landscape"},
        std::string(idle) +
            " is for strategies that write, and kw optimize searches a landscape with others; " +
            kSuiteSearches,
        flags.task);
  const auto target = enum_from<Target>(flags.target.target);
  const bool has_target = target && *target != kDefaultTarget;
  const std::string target_flag = "--target " + flags.target.target;
  for (const auto& [is_given, name] :
       {std::pair(!flags.embedder.empty(), "--embed"), std::pair(has_target, target_flag.c_str()),
        std::pair(!flags.target.arch.empty(), "--arch"),
        std::pair(flags.carrier == session::kBundle, "--carrier bundle"),
        std::pair(!flags.results.empty(), "--results"), std::pair(flags.profile, "--profile")})
    if (is_given)
      return fail_input(
          ErrorCode::Unsupported, About{std::string(name) + " on a landscape"},
          std::string("a landscape has no kernels and no device: ") + name + " has no effect on it",
          flags.task);
  for (const std::string& goal : flags.goals)
    if (goal.ends_with("roof"))
      return fail_input(
          ErrorCode::Unsupported, About{"--goal on a landscape"},
          "a landscape has no roofline: give --goal as a time or a speedup, not '" + goal + "'",
          flags.task);
  return {};
}

Result<> refuse_idle(const OptimizeFlags& flags, const search::StrategyInfo& strategy) {
  const std::string name(strategy.name);
  const auto specs = KW_TRY(flags.writing.models.specs());
  if (flags.writing.writes != 0 && strategy.name != "best-of-n")
    return fail_input(ErrorCode::Contradiction, About{"--writes"},
                      "--writes has no effect on strategy '" + name +
                          "': only best-of-n writes a given number of kernels; others end by "
                          "--attempts or --calls");
  if (!flags.writing.ensemble.empty() && writers_in(specs) < 2)
    return fail_input(ErrorCode::Missing, About{"second --model"},
                      "--ensemble chooses among models that write: give --model twice or more");
  if (!flags.embedder.empty() && !strategy.is_writing)
    return fail_input(ErrorCode::Missing, About{"--model for --embed"},
                      "--embed ranks what a prompt shows: give --model");
  if (!flags.results.empty() && flags.carrier != session::kBundle)
    return fail_input(ErrorCode::Contradiction, About{"--results"},
                      "--results belongs to --carrier bundle");
  return refuse_idle_roles(flags, specs);
}

}  // namespace kw::cli

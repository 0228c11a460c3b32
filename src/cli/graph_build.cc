// Parses the flags of kw graph build, and tells what a build did.
// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_build.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "record/codec.h"
#include "report/run_folder.h"
#include "session/graph_build.h"

namespace kw::cli {
namespace {

std::string words(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The model that gives techniques uniform names; nothing if the flags name no model, so that a
/// rule does.
Result<std::optional<session::NamingModel>> namer_of(const GraphBuildFlags& flags) {
  const auto specs = KW_TRY(flags.models.specs());
  if (specs.empty() && (flags.length.any() || flags.asking.any()))
    return fail_input(
        ErrorCode::Missing, About{"--model"},
        "--max-tokens, --temperature, --effort and --model-timeout are for a model: give --model");
  if (specs.empty() && flags.spend.any())
    return fail_input(ErrorCode::Missing, About{"--model for a budget"},
                      "--usd, --tokens and --calls bound models: give --model too");
  if (specs.empty()) return std::optional<session::NamingModel>();
  session::NamingModel namer;
  namer.reply = KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  if (specs.size() > 1 || !specs.front().role.empty())
    return fail_input(ErrorCode::Contradiction, About{"--model"},
                      "kw graph build takes at most one --model, and none with a role (ROLE=NAME)");
  namer.spec = specs.front();
  namer.limits = KW_TRY(flags.spend.limits());
  namer.timeout_ns = KW_TRY(flags.asking.timeout_ns());
  return std::optional(std::move(namer));
}

void tell(const Global& global, Target target, const session::GraphBuildResult& built) {
  const std::size_t techniques = built.graph.nodes().size() - 1, edges = built.graph.edges().size();
  if (global.json) {
    std::printf("%s\n", dump_json({{"where", name_of(target)},
                                   {"techniques", techniques},
                                   {"steps", edges},
                                   {"measured", built.measured},
                                   {"verified", built.verified},
                                   {"unnamed", built.unnamed},
                                   {"ended_by", built.ended_by},
                                   {"spent", built.spent ? encode_json(*built.spent) : Json()}})
                            .c_str());
    return;
  }
  fmt::print("{}: {} techniques, {} steps; {} measured, {} of runs\n", name_of(target), techniques,
             edges, words(built.measured, "step of the playbook", "steps of the playbook"),
             words(built.verified, "verified step", "verified steps"));
  if (built.spent) fmt::print("{}\n", report::spending_text(*built.spent, built.prices));
}

}  // namespace

void GraphBuildFlags::declare(Flags& flags) {
  flags.on_off("--playbook", playbook,
               "Measure each kernel of the playbook against the one before it, on this device");
  flags.texts("--task", tasks, "Runs and kernels of this task alone; repeatable");
  flags.on_off("--keep", keep,
               "Add to the workspace's graph what it has not counted yet, instead of replacing it");
  models.declare(flags);
  spend.declare(flags);
  length.declare_reply(flags);
  asking.declare(flags);
}

Result<int> build_graph(const Global& global, const TargetFlags& target,
                        const GraphBuildFlags& flags) {
  session::GraphBuildRequest request;
  request.aim = KW_TRY(target.aim());
  request.playbook = flags.playbook;
  request.keep = flags.keep;
  request.tasks = flags.tasks;
  request.namer = KW_TRY(namer_of(flags));
  const auto built = KW_TRY(session::build_graph(global, request));
  if (!built.ended_by.empty())
    fmt::print(stderr,
               "kw: the model is not asked any more: {}; steps that it has named are kept, {} "
               "left out; kw graph build --keep adds the missing ones\n",
               built.ended_by, words(built.unnamed, "step is", "steps are"));
  tell(global, request.aim.target, built);
  return kDone;
}

}  // namespace kw::cli

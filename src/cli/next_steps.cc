// Chooses the commands that a person may run next, from the state of the machine and the workspace.
// SPDX-License-Identifier: Apache-2.0
#include "cli/next_steps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/styled.h"

namespace kw::cli {
namespace {

std::string attempts_text(const RunSummary& run) {
  return fmt::format("{} attempt{}", run.attempts, run.attempts == 1 ? "" : "s");
}

/// The first of the five lines: the command that continues an existing search, or starts the first
/// search.
SuggestedCommand about_runs(const Standpoint& here) {
  if (!here.why_no_cpu.empty())
    return {"kw doctor", "nothing can be judged yet: " + here.why_no_cpu};
  if (here.runs.empty())
    return {"kw optimize " + (here.own_tasks.empty() ? "softmax" : here.own_tasks.front()),
            "a first search, of ninety seconds"};
  const RunSummary& last = here.runs.back();
  switch (last.state) {
    case RunState::Running:
      return {"kw show " + last.name, "it is in progress, with " + attempts_text(last)};
    case RunState::Interrupted:
    case RunState::Stopped:
      return {"kw resume " + last.name,
              "goes on with the search that ended after " + attempts_text(last)};
    case RunState::Finished:
      break;
  }
  return {"kw report " + last.name,
          last.best_speedup > 0 ? fmt::format("the last search: {:.3f}x, {}confirmed",
                                              last.best_speedup, last.is_confirmed ? "" : "not ")
                                : "the last search: nothing was correct"};
}

SuggestedCommand about_gpu(const Standpoint& here) {
  if (here.gpu.empty()) return {"kw doctor", "no GPU can be used here; what is missing"};
  if (!here.why_no_cuda.empty())
    return {"kw doctor", "the " + here.gpu + " cannot be used yet: " + here.why_no_cuda};
  return {"kw optimize softmax --target " + here.gpu_target, "a search on the " + here.gpu};
}

SuggestedCommand about_models(const Standpoint& here) {
  if (here.key.empty()) return {"kw models", "no API key is set; with one a model writes, too"};
  return {"kw optimize TASK --model " + here.model_form, here.key + " is set: a model writes"};
}

}  // namespace

std::vector<SuggestedCommand> next_steps(const Standpoint& here) {
  return {about_runs(here),
          {"kw judge FILE --task softmax", "a kernel of your own: correct? how fast?"},
          {"kw task new NAME --from FILE.c", "a task of your own, from a C function"},
          about_gpu(here),
          about_models(here)};
}

int say_what_next(const Global& global) {
  const std::vector<SuggestedCommand> steps = next_steps(session::look_around(global));
  if (global.json) {
    Json object;
    object["next"] = Json::array();
    for (const SuggestedCommand& step : steps)
      object["next"].push_back({{"command", step.command}, {"why", step.why}});
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  std::size_t width = 0;
  for (const SuggestedCommand& step : steps) width = std::max(width, step.command.size());
  Look look = look_of(STDOUT_FILENO);
  look.has_colour = false;
  for (const SuggestedCommand& step : steps)
    std::printf(
        "%s\n",
        cut({{fmt::format("{:<{}}  {}", step.command, width, step.why)}}, look).bytes.c_str());
  return kDone;
}

}  // namespace kw::cli

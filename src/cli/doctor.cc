// kw doctor: lists what is installed, what is missing, what cannot be done without it, and how to
// install it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/gpu_readiness.h"
#include "session/doctor_checks.h"

namespace kw::cli {
namespace {

using session::CheckUp;
using session::Health;

const char* word_for(Health health) {
  switch (health) {
    case Health::Good:
      return "ok";
    case Health::NotNeeded:
      return "none";
    case Health::Poor:
      return "poor";
    case Health::Broken:
      break;
  }
  return "BROKEN";
}

void print_check(const CheckUp& check) {
  fmt::print("{:<7} {:<16} {}\n", word_for(check.health), check.what, check.found);
  if (check.health == Health::Good) return;
  if (!check.cost.empty()) fmt::print("{:24} costs: {}\n", "", check.cost);
  if (!check.fix.empty()) fmt::print("{:24} fix:   {}\n", "", check.fix);
}

GpuReadiness readiness_of(const std::vector<CheckUp>& checks) {
  GpuSurroundings around;
  for (const CheckUp& check : checks) {
    const bool is_good = check.health == Health::Good;
    if (check.what == session::kGpuLine) {
      around.answers = is_good;
      around.why_no_answer = is_good ? "" : check.found;
    }
    if (check.what == session::kNvrtcLine) around.has_nvrtc = is_good;
    if (check.what == session::kCompilerLine) around.has_compiler = is_good;
    if (check.what.starts_with(session::kJailLines)) around.has_jail = around.has_jail || is_good;
  }
  look_at_gpu_surroundings(around);
  return gpu_readiness(around);
}

int run(const Global& global) {
  const std::vector<CheckUp> checks = session::examine(global);
  const bool can_judge = std::none_of(checks.begin(), checks.end(), [](const CheckUp& check) {
    return check.health == Health::Broken;
  });
  const auto is_good = [&](std::string_view what) {
    return std::ranges::any_of(checks, [&](const CheckUp& check) {
      return check.what == what && check.health == Health::Good;
    });
  };
  const bool can_compile_cuda = can_judge && is_good(session::kNvrtcLine);
  const GpuReadiness gpu = readiness_of(checks);
  if (global.json) {
    Json object;
    object["can_judge_cpu"] = can_judge;
    object["can_compile_cuda"] = can_compile_cuda;
    object["can_judge_cuda"] = gpu.can_judge;
    object["gpu"] = {{"missing", gpu.missing}, {"command", gpu.command}};
    object["checks"] = Json::array();
    for (const CheckUp& c : checks)
      object["checks"].push_back({{"what", c.what},
                                  {"health", word_for(c.health)},
                                  {"found", c.found},
                                  {"cost", c.cost},
                                  {"fix", c.fix}});
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    for (const CheckUp& check : checks) print_check(check);
    fmt::print("{}\n", can_judge ? "Judging on cpu works here."
                                 : "Judging on cpu does NOT work here; see BROKEN above.");
    if (can_compile_cuda && !gpu.can_judge)
      fmt::print("Kernels for cuda can be compiled here (--until compile), but not judged.\n");
    fmt::print("{}", three_lines(gpu));
  }
  return can_judge ? kDone : kEnvironment;
}

}  // namespace

Command doctor_command() {
  Command command;
  command.name = "doctor";
  command.summary = "Check what this machine has and lacks for judging kernels";
  command.run = run;
  return command;
}

}  // namespace kw::cli

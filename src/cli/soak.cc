// kw soak FILE --task T: judges one kernel on fresh inputs again and again for the given time, with
// its whole output checked.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/target_flags.h"
#include "search/budget.h"
#include "session/soak.h"

namespace kw::cli {
namespace {

struct SoakFlags {
  std::string file;
  std::string task;
  TargetFlags target;
  std::vector<std::string> settings;
  std::string time = "60s";
  std::string grow;
};

Json to_json(const session::SoakResult& s) {
  Json workloads = Json::array();
  for (const session::SoakedWorkload& w : s.tally.workloads())
    workloads.push_back({{"name", w.name},
                         {"judgements", w.judgements},
                         {"first_rel_l2", w.first_rel_l2},
                         {"last_rel_l2", w.last_rel_l2},
                         {"worst_rel_l2", w.worst_rel_l2},
                         {"worst_max_abs_diff", w.worst_max_abs},
                         {"worst_gate_fraction", w.worst_gate_fraction},
                         {"is_nondeterministic", w.is_nondeterministic}});
  Json growth = Json::array();
  for (const session::GrowthPoint& p : s.growth)
    growth.push_back({{"value", p.value},
                      {"outcome", name_of(p.outcome)},
                      {"rel_l2", p.rel_l2},
                      {"max_abs_diff", p.max_abs},
                      {"gate_fraction", p.gate_fraction}});
  Json verdict;  // null before the first judgement
  if (s.tally.judgements() > 0)
    verdict = {{"stage", name_of(s.verdict.stage)},
               {"outcome", name_of(s.verdict.outcome)},
               {"evidence", s.verdict.evidence}};
  return {{"task", s.task},
          {"verdict", std::move(verdict)},
          {"is_interrupted", s.is_interrupted},
          {"judgements", s.tally.judgements()},
          {"elapsed_ns", s.elapsed_ns},
          {"workloads", workloads},
          {"dim", s.dim},
          {"growth", growth},
          {"growth_ended", s.growth_ended},
          {"growth_exponent", session::growth_exponent(s.growth)}};
}

void print(const session::SoakResult& s) {
  if (s.is_interrupted) fmt::print("interrupted; ");
  if (s.tally.judgements() == 0)
    fmt::print("no judgement of the shipped shapes ended within {}\n", format_ns(s.elapsed_ns));
  else
    fmt::print("{} after {} judgements in {}{}{}\n", name_of(s.verdict.outcome),
               s.tally.judgements(), format_ns(s.elapsed_ns),
               s.verdict.evidence.empty() ? "" : ": ", s.verdict.evidence);
  for (const session::SoakedWorkload& w : s.tally.workloads())
    fmt::print(
        "  {:<18} {:>6} times  rel. L2 first {:.1e}, last {:.1e}, worst {:.1e}; {:.2f} of "
        "the tolerance{}\n",
        w.name, w.judgements, w.first_rel_l2, w.last_rel_l2, w.worst_rel_l2, w.worst_gate_fraction,
        w.is_nondeterministic ? "; not the same bits twice" : "");
  for (const session::GrowthPoint& p : s.growth)
    fmt::print("  {} = {:<10} {:<14} rel. L2 {:.1e}, max {:.1e}\n", s.dim, p.value,
               name_of(p.outcome), p.rel_l2, p.max_abs);
  if (s.growth.size() > 1)
    fmt::print("the error grows as {} to the power of {:.2f}\n", s.dim,
               session::growth_exponent(s.growth));
  if (!s.growth_ended.empty()) fmt::print("doubled no further: {}\n", s.growth_ended);
}

Result<int> soak(const Global& global, const SoakFlags& flags) {
  session::SoakRequest request;
  request.budget_ns = static_cast<double>(KW_TRY(as_input(search::parse_duration(flags.time))));
  request.file = flags.file;
  request.task = flags.task;
  request.aim = KW_TRY(flags.target.aim(flags.file));
  request.settings = flags.settings;
  request.grow = flags.grow;
  const session::SoakResult soaked = KW_TRY(session::soak(global, request));
  if (global.json)
    std::printf("%s\n", dump_json(to_json(soaked)).c_str());
  else
    print(soaked);
  if (soaked.is_interrupted) return kInterrupted;
  return soaked.verdict.is_correct() ? kDone : kNotGood;
}

}  // namespace

Command soak_command() {
  auto flags = std::make_shared<SoakFlags>();
  Command command;
  command.name = "soak";
  command.summary =
      "Check one kernel on ever new inputs for a given time; Ctrl-C ends the check early";
  command.declare = [flags](Flags& f) {
    f.positional("file", flags->file, "Source file of the kernel to check");
    f.text("--task", flags->task, "Task folder, or name of a shipped task");
    flags->target.declare(f, false);
    f.texts("--set", flags->settings, "Value of a knob of the kernel, as K=V; repeatable");
    f.text("--time", flags->time, "How long to check, such as 60s");
    f.text("--grow", flags->grow,
           "Dim, such as the number of time steps, that is doubled to see how the error grows");
  };
  command.run = [flags](const Global& global) {
    if (flags->task.empty()) return report_error(global, {"--task is required", ""}, kUsage);
    return end_command(global, soak(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

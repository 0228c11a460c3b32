// Formats evaluations for people and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/text.h"
#include "cli/styled.h"
#include "record/interval.h"
#include "report/run_folder.h"
#include "report/workload_table.h"

namespace kw::cli {
namespace {

std::string shape_of(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t n : extents) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::string profile_text(const WorkloadProfile& p) {
  std::string text = fmt::format("profile of {}{}\n", p.workload,
                                 p.counters_by.empty() ? "" : ", counters by " + p.counters_by);
  for (const KernelProfile& k : p.kernels) {
    std::string line = fmt::format("  {:<24} {:>4} x", k.kernel, k.launches);
    if (k.total_ns > 0)
      line += fmt::format(" {:>9}, together {:>9}", format_ns(k.total_ns / k.launches),
                          format_ns(k.total_ns));
    if (!k.grid.empty())
      line += fmt::format("  grid {} block {}", shape_of(k.grid), shape_of(k.block));
    const auto share = [&](const char* name, const char* counter) {
      if (const auto v = k.get(counter)) line += fmt::format("  {} {:.2f}", name, *v / 100);
    };
    share("DRAM", "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    share("SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed");
    share("occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active");
    if (!k.counters.empty()) line += fmt::format("  {} counters", k.counters.size());
    text += line + "\n";
  }
  return text;
}

std::string pass_text(const SanitizerPass& p) {
  return fmt::format("  {:<10} {}: {}\n", p.tool, p.workload,
                     p.is_void       ? "void, " + p.note
                     : p.errors == 0 ? "nothing found"
                                     : fmt::format("{} errors", p.errors));
}

std::string speedup_text(const Evaluation& e) {
  const Speedup& s = e.speedup;
  if (s.value <= 0) return "";
  return fmt::format("{:.3f}x {}{}", s.value, e.opponent_words(),
                     in_brackets(interval_text(s), s.is_faster ? "faster" : "not shown faster"));
}

std::string workload_text(const WorkloadResult& w) {
  const std::string line = report::workload_line(report::WorkloadTable::Judgement, w);
  std::string text = line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  for (const Sustained& s : w.sustained)
    text +=
        fmt::format("         {} back to back: {}\n", s.role,
                    s.why_not.empty() ? fmt::format("{} a call over {} calls on {} sets of buffers",
                                                    format_ns(s.call_ns), s.calls, s.buffers)
                                      : "not timed: " + s.why_not);
  for (const HostLaunch& h : w.host_launches)
    text += fmt::format("         {}: host launcher, {}\n", h.role,
                        !h.is_captured ? "by stream: " + h.why_not_captured
                        : h.eager_ns > 0
                            ? fmt::format("as a graph; {} by stream", format_ns(h.eager_ns))
                            : "as a graph");
  return text;
}

std::string results_text(const Evaluation& e) {
  std::string text =
      fmt::format("{} at {}{}\n", name_of(e.verdict.outcome), name_of(e.verdict.stage),
                  e.verdict.evidence.empty() ? "" : ": " + sanitise_line(e.verdict.evidence));
  if (!e.opponent_fault.empty())
    text += fmt::format("  judged against another opponent, since the first failed: {}\n",
                        sanitise_line(e.opponent_fault));
  if (e.speedup.value > 0) text += fmt::format("  {}\n", speedup_text(e));
  for (const WorkloadResult& w : e.workloads) text += workload_text(w);
  for (const SkippedWorkload& s : e.skipped)
    text += fmt::format("  {:<6} {:<18} skipped: {}\n", name_of(s.group), s.name, s.reason);
  for (const WorkloadProfile& p : e.profiles) text += profile_text(p);
  if (!e.sanitizer.empty()) text += "compute-sanitizer\n";
  for (const SanitizerPass& p : e.sanitizer) text += pass_text(p);
  return text;
}

/// Quoted lines of code are not folded, since the compiler's marks below point at columns.
void print_finding(const Finding& f, const Look& look) {
  const std::string place = f.place.empty() ? "" : fmt::format(" [{}]", sanitise_line(f.place));
  fmt::print("{}", folded(fmt::format("  - {}{}\n", sanitise_line(f.text), place), look));
  for (const std::string_view line : split_lines(f.frame)) fmt::print("      {}\n", line);
}

std::string surroundings_text(const Evaluation& e) {
  std::string text;
  if (!e.device.empty())
    text += fmt::format("judged on {}; {}; trust class {}\n", e.machine,
                        e.has_run() ? fmt::format("the candidate ran in jail {} as uid {}",
                                                  name_of(e.jail), e.jail_uid)
                                    : "no candidate was run",
                        name_of(e.trust_class));
  if (const std::string_view lacks = report::jail_lacks(e); !lacks.empty())
    text += fmt::format("weaker jail ({}): {}\n", name_of(e.jail), lacks);
  return text;
}

}  // namespace

void print_evaluation(const Evaluation& e) {
  const Look look = look_of(STDOUT_FILENO);
  fmt::print("{}", folded(results_text(e), look));
  if (!e.findings.empty()) fmt::print("findings\n");
  for (const Finding& f : e.findings) print_finding(f, look);
  fmt::print("{}", folded(surroundings_text(e), look));
}

Json drafted_json(const session::DraftedPlan& drafted) {
  return {{"function", drafted.function},
          {"assumptions", drafted.assumptions},
          {"command", drafted.command}};
}

std::string shown_knobs(const KnobPoint& knobs) {
  return knobs.empty() ? "no knobs" : knobs_text(knobs);
}

}  // namespace kw::cli

// Prints evaluations.
// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict_view.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/json.h"
#include "base/text.h"
#include "record/codec.h"
#include "record/interval.h"
#include "report/run_folder.h"

namespace kw::cli {
namespace {

Json workload_json(const WorkloadResult& w) {
  Json object = {{"name", w.name},
                 {"group", name_of(w.group)},
                 {"outcome", name_of(w.outcome)},
                 {"note", w.note},
                 {"median_ns", w.median_ns},
                 {"baseline_ns", w.opponent_ns},
                 {"samples", w.samples.size()},
                 {"speedup", encode_json(w.speedup)},
                 {"items_per_s", w.items_per_s},
                 {"flops_per_s", w.flops_per_s},
                 {"bytes_per_s", w.bytes_per_s},
                 {"arithmetic_intensity", w.arithmetic_intensity},
                 {"roofline_fraction", w.roofline.fraction},
                 {"matrix_fraction", w.roofline.matrix_fraction},
                 {"bound", name_of(w.roofline.bound)},
                 {"advice", w.roofline.advice},
                 {"checksum_diff", w.accuracy.checksum_diff},
                 {"max_abs_diff", w.accuracy.max_abs_diff},
                 {"rel_l2", w.accuracy.rel_l2},
                 {"gate_fraction", w.accuracy.gate_fraction},
                 {"checked_share", w.checked_share},
                 {"miss_probability", w.miss_probability},
                 {"calls_per_sample", w.calls_per_sample},
                 {"opponent_calls_per_sample", w.opponent_calls_per_sample},
                 {"life_calls", w.life_calls},
                 {"life_checked", w.life_checked},
                 {"is_nondeterministic", w.is_nondeterministic}};
  for (const HostLaunch& h : w.host_launches) object["host_launches"].push_back(encode_json(h));
  for (const Retimed& r : w.retimed) object["retimed"].push_back(encode_json(r));
  for (const Sustained& s : w.sustained) object["sustained"].push_back(encode_json(s));
  return object;
}

std::string shape_of(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t n : extents) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

void print_profile(const WorkloadProfile& p) {
  std::printf("profile of %s%s\n", p.workload.c_str(),
              p.counters_by.empty() ? "" : (", counters by " + p.counters_by).c_str());
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
    std::printf("%s\n", line.c_str());
  }
}

void print_pass(const SanitizerPass& p) {
  std::printf("  %-10s %s: %s\n", p.tool.c_str(), p.workload.c_str(),
              p.is_void       ? ("void, " + p.note).c_str()
              : p.errors == 0 ? "nothing found"
                              : fmt::format("{} errors", p.errors).c_str());
}

std::string speedup_text(const Evaluation& e) {
  const Speedup& s = e.speedup;
  if (s.value <= 0) return "";
  return fmt::format("{:.3f}x {}{}", s.value, e.opponent_words(),
                     in_brackets(interval_text(s), s.is_faster ? "faster" : "not shown faster"));
}

void print_workload(const WorkloadResult& w) {
  std::string line =
      fmt::format("  {:<6} {:<18} {:<14}", name_of(w.group), w.name, name_of(w.outcome));
  if (w.median_ns > 0) line += fmt::format(" {:>9}", format_ns(w.median_ns));
  if (!w.retimed.empty())
    line += fmt::format(" ({} by the referee's clock{})", format_ns(w.retimed.front().call_ns),
                        w.retimed.front().is_paced ? ", with pauses" : "");
  if (w.speedup.value > 0) line += fmt::format("  {:6.3f}x", w.speedup.value);
  if (w.items_per_s > 0) line += "  " + format_si(w.items_per_s, "items/s");
  if (w.bytes_per_s > 0) line += "  " + format_si(w.bytes_per_s, "B/s");
  if (w.flops_per_s > 0) line += "  " + format_si(w.flops_per_s, "flop/s");
  if (w.roofline.fraction > 0)
    line += fmt::format("  {} of {} roof", fraction_text(w.roofline), name_of(w.roofline.bound));
  const bool is_compared = w.outcome == Outcome::Correct || w.outcome == Outcome::WrongResult;
  if (w.group != Group::Time && is_compared)
    line += fmt::format("  rel. L2 {:.1e}, max {:.1e}", w.accuracy.rel_l2, w.accuracy.max_abs_diff);
  if (!w.note.empty()) line += "  " + w.note;
  std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
  for (const Sustained& s : w.sustained)
    std::printf("         %s back to back: %s\n", s.role.c_str(),
                (s.why_not.empty() ? fmt::format("{} a call over {} calls on {} sets of buffers",
                                                 format_ns(s.call_ns), s.calls, s.buffers)
                                   : "not timed: " + s.why_not)
                    .c_str());
  for (const HostLaunch& h : w.host_launches)
    std::printf("         %s: host launcher, %s\n", h.role.c_str(),
                !h.is_captured ? ("by stream: " + h.why_not_captured).c_str()
                : h.eager_ns > 0
                    ? fmt::format("as a graph; {} by stream", format_ns(h.eager_ns)).c_str()
                    : "as a graph");
}

/// Whether a player was started for the candidate, in a jail of any level, `none` included.
bool has_run(const Evaluation& e) { return e.jail_uid >= 0; }

void print_finding(const Finding& f) {
  std::printf("  - %s%s\n", sanitise_line(f.text).c_str(),
              f.place.empty() ? "" : fmt::format(" [{}]", sanitise_line(f.place)).c_str());
  if (!f.frame.empty())
    for (const std::string_view line : split_lines(f.frame))
      std::printf("      %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

void print_evaluation(const Evaluation& e) {
  std::printf("%s at %s%s\n", std::string(name_of(e.verdict.outcome)).c_str(),
              std::string(name_of(e.verdict.stage)).c_str(),
              e.verdict.evidence.empty() ? "" : (": " + sanitise_line(e.verdict.evidence)).c_str());
  if (!e.opponent_fault.empty())
    std::printf("  judged against another: %s\n", sanitise_line(e.opponent_fault).c_str());
  if (e.speedup.value > 0) std::printf("  %s\n", speedup_text(e).c_str());
  for (const WorkloadResult& w : e.workloads) print_workload(w);
  for (const SkippedWorkload& s : e.skipped)
    std::printf("  %-6s %-18s skipped: %s\n", std::string(name_of(s.group)).c_str(), s.name.c_str(),
                s.reason.c_str());
  for (const WorkloadProfile& p : e.profiles) print_profile(p);
  if (!e.sanitizer.empty()) std::printf("compute-sanitizer\n");
  for (const SanitizerPass& p : e.sanitizer) print_pass(p);
  if (!e.findings.empty()) std::printf("findings\n");
  for (const Finding& f : e.findings) print_finding(f);
  if (!e.device.empty())
    std::printf("on %s; %s; trust class %s\n", e.machine.c_str(),
                has_run(e) ? fmt::format("jail {} as uid {}", name_of(e.jail), e.jail_uid).c_str()
                           : "no candidate was run",
                std::string(name_of(e.trust_class)).c_str());
  if (const std::string_view lacks = report::jail_lacks(e); !lacks.empty())
    std::printf("weaker jail (%s): %s\n", std::string(name_of(e.jail)).c_str(),
                std::string(lacks).c_str());
}

Json evaluation_json(const Evaluation& e) {
  Json object;
  object["verdict"] = encode_json(e.verdict);
  object["findings"] = Json::array();
  for (const Finding& f : e.findings) object["findings"].push_back(encode_json(f));
  object["speedup"] = encode_json(e.speedup);
  object["roofline_fraction"] = e.roofline_fraction;
  object["device"] = e.device;
  object["machine"] = e.machine;
  object["jail"] = has_run(e) ? Json(name_of(e.jail)) : Json();
  object["jail_lacks"] = report::jail_lacks(e);
  object["trust_class"] = name_of(e.trust_class);
  if (e.opponent_class) object["baseline_trust_class"] = name_of(*e.opponent_class);
  if (e.opponent_trusted_by_user) object["baseline_trusted_by_user"] = true;
  object["workloads"] = Json::array();
  for (const WorkloadResult& w : e.workloads) object["workloads"].push_back(workload_json(w));
  object["skipped"] = Json::array();
  for (const SkippedWorkload& s : e.skipped)
    object["skipped"].push_back(
        {{"name", s.name}, {"group", name_of(s.group)}, {"reason", s.reason}});
  object["stage_ns"] = e.stage_ns;
  object["account_ns"] = e.account_ns;
  object["profiles"] = Json::array();
  for (const WorkloadProfile& p : e.profiles) object["profiles"].push_back(encode_json(p));
  object["sanitizer"] = Json::array();
  for (const SanitizerPass& p : e.sanitizer) object["sanitizer"].push_back(encode_json(p));
  object["moments"] = Json::array();
  for (const GpuMoment& m : e.moments) object["moments"].push_back(encode_json(m));
  return object;
}

std::string judged_json(const Evaluation& e) { return dump_json(evaluation_json(e)); }

}  // namespace kw::cli

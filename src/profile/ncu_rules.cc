// The rules about counters, one function each.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kw::profile {
namespace {

constexpr double kBusy = 80;  // Per cent of a unit's peak.
constexpr double kIdle = 60;
constexpr double kSector = 32;  // Bytes.
constexpr double kWasteful = 24;
constexpr double kConflicts = 0.125;
constexpr double kStalled = 30;  // Per cent of active warps.
constexpr double kDivergent = 90;
constexpr double kMoreBytes = 1.2;
constexpr double kHidden = 0.8;  // Achieved over possible occupancy.

enum CounterWeight {
  kBound = 1,
  kCoalescing = 10,
  kBanks = 20,
  kTraffic = 30,
  kStall = 40,
  kOccupancy = 50,
  kDivergence = 60,
  kBoundByRoof = 70
};

using Findings = std::vector<Finding>;

void add_counted(Findings& out, int weight, const std::string& kernel, std::string text) {
  out.push_back({"resource", weight, std::move(text), "", kernel});
}

void explain_bound(const KernelProfile& k, Findings& out) {
  const auto memory = k.get("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  const auto compute = k.get("sm__throughput.avg.pct_of_peak_sustained_elapsed");
  if (!memory || !compute) return;
  const std::string shares =
      fmt::format("{}: DRAM at {:.2f} and the multiprocessors at {:.2f} of their peaks", k.kernel,
                  *memory / 100, *compute / 100);
  if (*memory >= kBusy && *memory >= *compute)
    add_counted(out, kBound, k.kernel, shares + ": memory binds.");
  else if (*compute >= kBusy)
    add_counted(out, kBound, k.kernel, shares + ": instructions bind.");
  else if (*memory < kIdle && *compute < kIdle)
    add_counted(out, kBound, k.kernel, shares + ": neither binds, so latency does.");
  else
    add_counted(out, kBound + 1, k.kernel, shares + ".");
}

void explain_coalescing(const KernelProfile& k, Findings& out) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSides{
      {{"ld", "loads"}, {"st", "stores"}}};
  for (const auto& [op, word] : kSides) {
    const auto requests = k.get(fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", op));
    const auto sectors = k.get(fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", op));
    const auto used =
        k.get(fmt::format("smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio", op));
    if (!used || *used >= kWasteful || *used <= 0) continue;
    const std::string per_request =
        requests && sectors && *requests > 0
            ? fmt::format(", {:.1f} sectors per request", *sectors / *requests)
            : "";
    add_counted(
        out, kCoalescing, k.kernel,
        fmt::format("{}: global {} use {:.1f} of the {} bytes of each sector{}: let neighbouring "
                    "lanes touch neighbouring addresses, aligned to 32 bytes.",
                    k.kernel, word, *used, kSector, per_request));
  }
}

void explain_banks(const KernelProfile& k, Findings& out) {
  const auto conflicts = k.get("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
  const auto wavefronts = k.get("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  if (!conflicts || !wavefronts || *wavefronts <= 0) return;
  const double share = *conflicts / *wavefronts;
  if (share < kConflicts) return;
  add_counted(
      out, kBanks, k.kernel,
      fmt::format("{}: {:.2f} of its passes over shared memory are bank conflicts: pad rows by "
                  "one element or swizzle the columns.",
                  k.kernel, share));
}

void explain_traffic(const KernelProfile& k, const Workload& workload, Findings& out) {
  const auto read = k.get("dram__bytes_read.sum");
  const auto written = k.get("dram__bytes_write.sum");
  const double nominal = static_cast<double>(workload.work.read_bytes) +
                         static_cast<double>(workload.work.write_bytes);
  if (!read || !written || nominal <= 0 || *read + *written < kMoreBytes * nominal) return;
  add_counted(
      out, kTraffic, k.kernel,
      fmt::format("{} moves {} through DRAM, {:.2f} times the nominal bytes of {}: something is "
                  "read more than once, or fetched and not used.",
                  k.kernel, format_si(*read + *written, "B"), (*read + *written) / nominal,
                  workload.name));
}

void explain_stalls(const KernelProfile& k, Findings& out) {
  struct Stall {
    std::string_view metric;
    std::string_view words;
  };
  static constexpr std::array<Stall, 5> kStalls{
      {{"long_scoreboard",
        "wait for global or local memory: more loads in flight per thread, more "
        "warps, or copies that run ahead"},
       {"short_scoreboard",
        "wait for shared memory or special functions: fewer or wider accesses "
        "to shared memory, fewer transcendental functions"},
       {"barrier", "wait at barriers: smaller blocks, fewer barriers, work of equal size per warp"},
       {"branch_resolving", "wait for branches: fewer of them in the inner loop"},
       {"memory_dependency", "wait for data of earlier loads: issue them earlier"}}};
  for (const Stall& s : kStalls) {
    const auto share =
        k.get(fmt::format("smsp__warp_issue_stalled_{}_per_warp_active.pct", s.metric));
    if (share && *share >= kStalled)
      add_counted(out, kStall, k.kernel,
                  fmt::format("{}: {:.2f} of its warps {}.", k.kernel, *share / 100, s.words));
  }
}

void explain_occupancy(const KernelProfile& k, Findings& out) {
  const auto achieved = k.get("sm__warps_active.avg.pct_of_peak_sustained_active");
  const auto possible = k.get("sm__maximum_warps_per_active_cycle_pct");
  if (!achieved || !possible || *possible <= 0 || *achieved >= kHidden * *possible) return;
  add_counted(
      out, kOccupancy, k.kernel,
      fmt::format("{} reaches an occupancy of {:.2f} where {:.2f} is possible: blocks end at "
                  "different times, or the grid is small.",
                  k.kernel, *achieved / 100, *possible / 100));
}

void explain_divergence(const KernelProfile& k, Findings& out) {
  const auto uniform = k.get("smsp__sass_average_branch_targets_threads_uniform.pct");
  if (!uniform || *uniform >= kDivergent) return;
  add_counted(
      out, kDivergence, k.kernel,
      fmt::format("{}: lanes agree at {:.2f} of its branches: let whole warps take one way.",
                  k.kernel, *uniform / 100));
}

void explain_levels(const KernelProfile& k, Findings& out) {
  const HierarchicalRoofline r = hierarchical_roofline(k);
  if (r.time_ns <= 0 || r.dram_bytes <= 0 || r.l2_bytes <= 0 || r.l1_bytes <= 0) return;
  const auto level = [&](const char* name, double bytes) {
    return fmt::format("{} {} at {}", name, format_si(bytes, "B"),
                       format_si(bytes / r.time_ns * 1e9, "B/s"));
  };
  add_counted(
      out, kBoundByRoof, k.kernel,
      fmt::format("{}: {}, {}, {}; {:.2f} f32 operations per byte of DRAM, {:.2f} of L2.", k.kernel,
                  level("L1", r.l1_bytes), level("L2", r.l2_bytes), level("DRAM", r.dram_bytes),
                  r.flops / r.dram_bytes, r.flops / r.l2_bytes));
}

}  // namespace

HierarchicalRoofline hierarchical_roofline(const KernelProfile& k) {
  const auto get = [&](const std::string& metric) { return k.get(metric).value_or(0); };
  const std::string_view prefix = "smsp__sass_thread_inst_executed_op_";
  const auto executed = [&](std::string_view op) {
    return get(fmt::format("{}{}_pred_on.sum", prefix, op));
  };
  return {.time_ns = get("gpu__time_duration.sum"),
          .flops = executed("fadd") + executed("fmul") + 2 * executed("ffma"),
          .l1_bytes = get("l1tex__t_bytes.sum"),
          .l2_bytes = get("lts__t_bytes.sum"),
          .dram_bytes = get("dram__bytes_read.sum") + get("dram__bytes_write.sum")};
}

namespace {

/// Of all launches of this kernel in a call; 0: unknown.
double time_of(const KernelProfile& k) {
  if (k.total_ns > 0) return k.total_ns;
  return k.get("gpu__time_duration.sum").value_or(0) * std::max(k.launches, 1);
}

std::string share_of(const KernelProfile& k, double time_ns, double share) {
  if (k.launches <= 1)
    return fmt::format("{} takes {} of the call, {:.2f} of its time.", k.kernel, format_ns(time_ns),
                       share);
  return fmt::format("{} takes {} of the call in {} launches of {}, {:.2f} of its time.", k.kernel,
                     format_ns(time_ns), k.launches, format_ns(time_ns / k.launches), share);
}

}  // namespace

std::vector<Finding> counter_findings(std::span<const KernelProfile> launches,
                                      const Workload* workload) {
  Findings out;
  double total = 0;
  for (const KernelProfile& k : launches) total += time_of(k);
  for (const KernelProfile& k : launches) {
    const std::size_t first = out.size();
    explain_bound(k, out);
    explain_coalescing(k, out);
    explain_banks(k, out);
    if (workload != nullptr && launches.size() == 1 && k.launches <= 1)
      explain_traffic(k, *workload, out);
    explain_stalls(k, out);
    explain_occupancy(k, out);
    explain_divergence(k, out);
    explain_levels(k, out);
    // Of several launches the one that takes longest comes first.
    const double time = time_of(k);
    const double share = total > 0 ? time / total : 1;
    const int behind = static_cast<int>(100 * (1 - share));
    for (std::size_t i = first; i < out.size(); ++i) out[i].rank += behind;
    if (launches.size() > 1 && time > 0)
      add_counted(out, behind, k.kernel, share_of(k, time, share));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = static_cast<int>(i) + 1;
  return out;
}

Finding no_profile(std::string why) {
  return {"note", 99, "Not profiled: " + std::move(why), "", ""};
}

}  // namespace kw::profile

// The rules about counters, one function each.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "profile/hierarchy.h"
#include "record/wording.h"

namespace kw::profile {
namespace {

// Thresholds in per cent of a unit's peak, taken from Nsight Compute's own rules (sections/*.py in
// its installation) under the names that they have there.
constexpr double kBusy = 80;      // SpeedOfLight: no_bound_threshold
constexpr double kIdle = 60;      // SpeedOfLight: latency_bound_threshold
constexpr double kPipeFull = 80;  // HighPipeUtilization: bottleneck_utilization_threshold
constexpr double kPipeHigh = 60;  // HighPipeUtilization: high_utilization_threshold
constexpr double kPipeLow = 20;   // HighPipeUtilization: low_utilization_threshold
// Thresholds in per cent of the warps that a multiprocessor holds.
constexpr double kFewWarps = 80;    // TheoreticalOccupancy: low_theoretical_threshold
constexpr double kLostWarps = 10;   // AchievedOccupancy: points below the theoretical one
constexpr double kHits = 80;        // Per cent; LocalMemoryUsage: low hit rate of a cache
constexpr double kConflicts = 0.1;  // SharedMemoryConflicts: share of the wavefronts
constexpr double kStalled = 30;     // CPIStall: 0.3 of the warps' time
// Bytes of a sector, and the bytes used of a sector below which accesses count as wasteful.
// Accesses fall into sectors of 32 bytes (CUDA C++ Best Practices Guide, 10.2.1). Three quarters
// are our choice, because rows that begin within a sector lose some bytes.
constexpr double kSector = 32;
constexpr double kWasteful = 24;
// Per cent of branches at which the lanes of a warp agree; a kernel below it is divergent. Our
// choice: Nsight Compute's rule ThreadDivergence asks for 24 of 32 lanes, by a counter that is not
// read here.
constexpr double kDivergent = 90;
// Moved bytes over nominal bytes, from which on a kernel is told that it moves more. Our choice:
// halos and padding add this much to honest kernels (docs/contributing/gpu-lessons.md).
constexpr double kMoreBytes = 1.2;
constexpr double kNearCeiling = 0.8;  // Share of a measured ceiling; the value of kBusy.

enum CounterWeight {
  kBound = 1,
  kCoalescing = 10,
  kBanks = 20,
  kUnits = 25,
  kTraffic = 30,
  kReuse = 35,
  kStall = 40,
  kOccupancy = 50,
  kDivergence = 60,
  kPipes = 65,
  kBoundByRoof = 70
};

using Findings = std::vector<Finding>;

/// `rule` is the stable name of the rule, and of what it found.
void add_counted(Findings& out, int weight, const std::string& kernel, std::string rule,
                 Wording words) {
  out.push_back({FindingKind::Resource, weight, std::move(words.text), "", kernel,
                 MismatchPattern::None, std::move(rule), std::move(words.numbers)});
}

void explain_bound(const KernelProfile& k, Findings& out) {
  const auto memory = k.get("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  const auto compute = k.get("sm__throughput.avg.pct_of_peak_sustained_elapsed");
  if (!memory || !compute) return;
  const Wording shares =
      worded("{}: DRAM at {:.2f} and the multiprocessors at {:.2f} of their peaks", k.kernel,
             *memory / 100, *compute / 100);
  if (*memory >= kBusy && *memory >= *compute)
    add_counted(out, kBound, k.kernel, "memory binds", shares + ": memory binds.");
  else if (*compute >= kBusy)
    add_counted(out, kBound, k.kernel, "instructions bind", shares + ": instructions bind.");
  else if (*memory < kIdle && *compute < kIdle)
    add_counted(out, kBound, k.kernel, "latency binds",
                shares + ": neither binds, so latency does.");
  else
    add_counted(out, kBound + 1, k.kernel, "nothing binds", shares + ".");
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
    const Wording per_request = requests && sectors && *requests > 0
                                    ? worded(", {:.1f} sectors per request", *sectors / *requests)
                                    : Wording();
    add_counted(
        out, kCoalescing, k.kernel, fmt::format("scattered {}", word),
        worded("{}: global {} use {:.1f} of the {} bytes of each sector{}: let neighbouring "
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
  add_counted(out, kBanks, k.kernel, "bank conflicts",
              worded("{}: {:.2f} of its passes over shared memory are bank conflicts: pad rows by "
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
      out, kTraffic, k.kernel, "more than nominal bytes",
      worded("{} moves {} through DRAM, {:.2f} times the nominal bytes of {}: something is "
             "read more than once, or fetched and not used.",
             k.kernel, InSi{*read + *written, "B"}, (*read + *written) / nominal, workload.name));
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
      add_counted(out, kStall, k.kernel, fmt::format("stall: {}", s.metric),
                  worded("{}: {:.2f} of its warps {}.", k.kernel, *share / 100, s.words));
  }
}

/// What limits the number of resident blocks.
struct BlockLimit {
  std::string names;  ///< "registers and shared memory"; empty where it is not known.
  double blocks = 0;  ///< The blocks that it leaves room for.
};

BlockLimit block_limit(const KernelProfile& k) {
  struct Limit {
    std::string_view metric;
    std::string_view words;
  };
  static constexpr std::array<Limit, 4> kLimits{
      {{"launch__occupancy_limit_registers", "registers"},
       {"launch__occupancy_limit_shared_mem", "shared memory"},
       {"launch__occupancy_limit_blocks", "the most blocks it holds"},
       {"launch__occupancy_limit_warps", "the warps of a block"}}};
  std::optional<double> fewest;
  for (const Limit& l : kLimits)
    if (const auto blocks = k.get(std::string(l.metric)); blocks && *blocks > 0)
      fewest = std::min(fewest.value_or(*blocks), *blocks);
  BlockLimit limit;
  if (!fewest) return limit;
  limit.blocks = *fewest;
  for (const Limit& l : kLimits)
    if (k.get(std::string(l.metric)) == fewest)
      limit.names += fmt::format("{}{}", limit.names.empty() ? "" : " and ", l.words);
  return limit;
}

/// Says what limits the number of resident blocks: "registers (40 a thread) for 2 blocks, …".
Wording occupancy_limits(const KernelProfile& k, const BlockLimit& limit) {
  const auto registers = k.get("launch__registers_per_thread");
  return worded("{} leave room for {:.0f} {} a multiprocessor{}", limit.names, limit.blocks,
                limit.blocks == 1 ? "block" : "blocks",
                registers ? worded(" ({:.0f} registers a thread)", *registers) : Wording());
}

// Explains low occupancy, except for a kernel that keeps its memory or its units busy: such a
// kernel has enough warps.
void explain_occupancy(const KernelProfile& k, Findings& out) {
  const auto achieved = k.get("sm__warps_active.avg.pct_of_peak_sustained_active");
  const auto possible = k.get("sm__maximum_warps_per_active_cycle_pct");
  if (!possible || *possible <= 0) return;
  const auto memory = k.get("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  const auto compute = k.get("sm__throughput.avg.pct_of_peak_sustained_elapsed");
  const bool is_busy = memory.value_or(0) >= kBusy || compute.value_or(0) >= kBusy;
  const BlockLimit limit = block_limit(k);
  if (*possible < kFewWarps && !is_busy && !limit.names.empty())
    add_counted(out, kOccupancy, k.kernel, "low occupancy: " + limit.names,
                worded("{} can have an occupancy of {:.2f}: {}.", k.kernel, *possible / 100,
                       occupancy_limits(k, limit)));
  if (!achieved || *achieved > *possible - kLostWarps) return;
  add_counted(out, kOccupancy + 1, k.kernel, "occupancy not reached",
              worded("{} reaches an occupancy of {:.2f} where {:.2f} is possible: blocks end at "
                     "different times, or the grid is small.",
                     k.kernel, *achieved / 100, *possible / 100));
}

void explain_divergence(const KernelProfile& k, Findings& out) {
  const auto uniform = k.get("smsp__sass_average_branch_targets_threads_uniform.pct");
  if (!uniform || *uniform >= kDivergent) return;
  add_counted(out, kDivergence, k.kernel, "divergent branches",
              worded("{}: lanes agree at {:.2f} of its branches: let whole warps take one way.",
                     k.kernel, *uniform / 100));
}

/// The pipe's share of its peak, by the counter that this GPU has.
std::optional<double> pipe_share(const KernelProfile& k,
                                 std::initializer_list<const char*> counters) {
  for (const char* counter : counters)
    if (const auto share = k.get(fmt::format("{}.avg.pct_of_peak_sustained_active", counter)))
      return share;
  return std::nullopt;
}

void explain_pipes(const KernelProfile& k, Findings& out) {
  const auto tensor =
      pipe_share(k, {"sm__pipe_tensor_cycles_active", "sm__inst_executed_pipe_tensor"});
  const auto plain = pipe_share(k, {"sm__inst_executed_pipe_fp32", "sm__inst_executed_pipe_fma"});
  if (!tensor && !plain) return;
  const bool is_matrix = tensor.value_or(0) > 0;
  const double most = std::max(tensor.value_or(0), plain.value_or(0));
  const Wording shares = (tensor ? worded("matrix units at {:.2f}", *tensor / 100) : Wording()) +
                         (tensor && plain ? " and " : "") +
                         (plain ? worded("f32 units at {:.2f}", *plain / 100) : Wording());
  const bool is_tensor_most = tensor.value_or(0) >= plain.value_or(0);
  const auto memory = k.get("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  const Wording text = worded("{}: {} of their peaks", k.kernel, shares);
  if (most >= kPipeFull)
    add_counted(out, kPipes, k.kernel, is_tensor_most ? "matrix units bind" : "f32 units bind",
                text + (is_tensor_most ? ": the matrix units bind; fewer operations or narrower "
                                         "types help, nothing else."
                                       : ": the f32 units bind; fewer operations, or matrix units "
                                         "where the gates allow them."));
  else if (is_matrix && most < kPipeHigh && memory.value_or(0) < kIdle)
    add_counted(out, kPipes, k.kernel, "matrix units wait",
                text +
                    ": the matrix units wait for operands: more stages of copies that run "
                    "ahead, larger tiles.");
  else if (most < kPipeLow && memory.value_or(0) < kIdle)
    add_counted(out, kPipes, k.kernel, "units wait",
                text +
                    ", nor is memory busy: too few warps, or each waits for its own last "
                    "result.");
  else
    add_counted(out, kPipes, k.kernel, "units", text + ".");
}

/// Names caches whose throughput is near its peak.
void explain_caches(const KernelProfile& k, Findings& out) {
  struct Unit {
    std::string_view name;
    std::string_view metric;
    std::string_view words;
  };
  static constexpr std::array<Unit, 2> kCaches{
      {{"L1", "l1tex__throughput.avg.pct_of_peak_sustained_active",
        "L1 and shared memory are at {:.2f} of their peak and bind: wider accesses, or more of the "
        "data in registers."},
       {"L2", "lts__throughput.avg.pct_of_peak_sustained_active",
        "the L2 is at {:.2f} of its peak and binds: keep what a block reads more than once in "
        "shared memory."}}};
  for (const Unit& u : kCaches)
    if (const auto share = k.get(std::string(u.metric)); share && *share >= kBusy)
      add_counted(out, kUnits, k.kernel, fmt::format("{} binds", u.name),
                  worded("{}: {}", k.kernel, worded(fmt::runtime(u.words), *share / 100)));
}

// A low hit rate is no fault of a kernel that reads everything once. So it is reported only where
// the level behind the cache is busy and carries more than the nominal bytes.
void explain_reuse(const KernelProfile& k, const Workload& workload, Findings& out) {
  const double nominal = static_cast<double>(workload.work.read_bytes) +
                         static_cast<double>(workload.work.write_bytes);
  if (nominal <= 0) return;
  const HierarchicalRoofline r = hierarchical_roofline(k);
  struct Cache {
    std::string_view name;
    std::string_view hits;
    std::string_view behind;
    double bytes = 0;
    std::string_view words;
  };
  const std::array<Cache, 2> caches{
      {{"L1", "l1tex__t_sector_hit_rate.pct", "lts__throughput.avg.pct_of_peak_sustained_active",
        r.l2_bytes,
        "L1 finds {:.2f} of its sectors and the L2 serves {:.2f} times the nominal bytes: tiles in "
        "shared memory or registers keep what is read again."},
       {"L2", "lts__t_sector_hit_rate.pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        r.dram_bytes,
        "the L2 finds {:.2f} of its sectors and DRAM serves {:.2f} times the nominal bytes: let "
        "blocks that run together share what they read, by the order of tiles."}}};
  for (const Cache& c : caches) {
    const auto hits = k.get(std::string(c.hits)), behind = k.get(std::string(c.behind));
    if (!hits || !behind || *hits >= kHits || *behind < kIdle || c.bytes < kMoreBytes * nominal)
      continue;
    add_counted(
        out, kReuse, k.kernel, fmt::format("few hits in {}", c.name),
        worded("{}: {}", k.kernel, worded(fmt::runtime(c.words), *hits / 100, c.bytes / nominal)));
  }
}

void explain_levels(const KernelProfile& k, const DeviceFacts* device, Findings& out) {
  const HierarchicalRoofline r = hierarchical_roofline(k);
  const Wording levels = words_of_levels(r, device);
  if (levels.text.empty()) return;
  const BoundLevel bound = device == nullptr ? BoundLevel() : bound_level(r, *device, kNearCeiling);
  add_counted(
      out, kBoundByRoof, k.kernel,
      bound.name.empty() ? std::string("levels") : "levels: " + std::string(bound.name) + " binds",
      worded("{}: {}.{}", k.kernel, levels,
             bound.name.empty() ? Wording()
                                : worded(" {} binds, at {:.2f} of what was measured of it.",
                                         bound.name, bound.share)));
}

/// The time of all launches of this kernel in a call; 0: unknown.
double time_of(const KernelProfile& k) {
  if (k.total_ns > 0) return k.total_ns;
  return k.get("gpu__time_duration.sum").value_or(0) * std::max(k.launches, 1);
}

Wording share_of(const KernelProfile& k, double time_ns, double share) {
  if (k.launches <= 1)
    return worded("{} takes {} of the call, {:.2f} of its time.", k.kernel, InNs{time_ns}, share);
  return worded("{} takes {} of the call in {} launches of {}, {:.2f} of its time.", k.kernel,
                InNs{time_ns}, k.launches, InNs{time_ns / k.launches}, share);
}

}  // namespace

std::vector<Finding> counter_findings(std::span<const KernelProfile> launches,
                                      const Workload* workload, const DeviceFacts* device) {
  Findings out;
  double total = 0;
  for (const KernelProfile& k : launches) total += time_of(k);
  for (const KernelProfile& k : launches) {
    const std::size_t first = out.size();
    explain_bound(k, out);
    explain_coalescing(k, out);
    explain_banks(k, out);
    explain_caches(k, out);
    if (workload != nullptr && launches.size() == 1 && k.launches <= 1)
      explain_traffic(k, *workload, out), explain_reuse(k, *workload, out);
    explain_stalls(k, out);
    explain_occupancy(k, out);
    explain_divergence(k, out);
    explain_pipes(k, out);
    explain_levels(k, device, out);
    // The findings of the kernel that takes longest come first.
    const double time = time_of(k);
    const double share = total > 0 ? time / total : 1;
    const int behind = static_cast<int>(100 * (1 - share));
    for (std::size_t i = first; i < out.size(); ++i) out[i].rank += behind;
    if (launches.size() > 1 && time > 0)
      add_counted(out, behind, k.kernel, "share of the call", share_of(k, time, share));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = static_cast<int>(i) + 1;
  return out;
}

}  // namespace kw::profile

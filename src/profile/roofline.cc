// The roofline model for one call.
// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "profile/plausible.h"
#include "profile/roofline_advice.h"

namespace kw::profile {
namespace {

// Share of a cache that one program can count on. Our choice: the stack, the code and the data of
// the operating system take the rest.
constexpr double kUsable = 0.8;
// The share of a GPU's L2 that one program can count on: the L2 lies in two halves that may each
// keep a copy (NVIDIA A100 whitepaper, 2020, "A100 L2 cache").
constexpr double kUsableL2 = 0.5;

// Largest difference between two shares of reads that count as the same mix. Our choice: it moves a
// ceiling by less than the ceiling's spread.
constexpr double kSameMix = 0.01;

// Whether a ceiling was measured on the whole device, with all threads of a processor. A GPU's
// ceilings always are.
bool is_whole(const Ceiling& c, const DeviceFacts& facts) {
  return c.per_second > 0 && (!facts.gpu.empty() || c.threads == std::max(facts.cores, 1));
}

bool serves(const Ceiling& c, const DeviceFacts& facts, const std::string& level) {
  return !is_flops(c) && c.level == level && is_whole(c, facts);
}

struct Time {
  double ns = 0;
  std::string ceiling;
};

// The given level, or the next outer level that has a ceiling: a busy machine may have left a level
// without one.
std::string known_level(const DeviceFacts& facts, const std::string& wanted, double reads) {
  const std::vector<std::string> levels{"L1", "L2", "L3", "DRAM"};
  auto at = std::find(levels.begin(), levels.end(), wanted);
  while (at != levels.end() && !memory_ceiling(facts, *at, reads)) ++at;
  return at == levels.end() ? wanted : *at;
}

// Nanoseconds that the nominal traffic takes at least; nothing without ceilings.
std::optional<Time> memory_time(const Workload& workload, const DeviceFacts& facts, Caches caches) {
  const double bytes = static_cast<double>(workload.work.read_bytes) +
                       static_cast<double>(workload.work.write_bytes);
  if (bytes <= 0) return std::nullopt;
  const double reads = static_cast<double>(workload.work.read_bytes) / bytes;
  const std::string near = known_level(facts, level_for(facts, workload.bytes()), reads);
  const auto far_ceiling = memory_ceiling(facts, "DRAM", reads);
  const auto near_ceiling = near == "DRAM" ? far_ceiling : memory_ceiling(facts, near, reads);
  const double first = caches == Caches::Warm && near != "DRAM" ? 0
                       : near == "DRAM"                         ? bytes
                                        : std::min(bytes, static_cast<double>(workload.bytes()));
  const double rest = bytes - first;
  if ((first > 0 && !far_ceiling) || (rest > 0 && !near_ceiling)) return std::nullopt;
  Time time;
  if (first > 0)
    time.ns += first / far_ceiling->per_second * 1e9, time.ceiling = far_ceiling->words;
  if (rest > 0) {
    time.ns += rest / near_ceiling->per_second * 1e9;
    time.ceiling += (first > 0 ? ", then " : "") + near_ceiling->words;
  }
  return time;
}

std::optional<Time> compute_time(const Workload& workload,
                                 const std::optional<ComputeCeiling>& ceiling) {
  if (workload.work.flops <= 0 || !ceiling) return std::nullopt;
  return Time{static_cast<double>(workload.work.flops) / ceiling->per_second * 1e9, ceiling->words};
}

const Ceiling* best_of(const DeviceFacts& facts, std::string_view kind) {
  const Ceiling* best = nullptr;
  for (const Ceiling& c : facts.ceilings)
    if (c.kind == kind && is_whole(c, facts) &&
        (best == nullptr || c.per_second > best->per_second))
      best = &c;
  return best;
}

// The type that all real inputs (or all real outputs) have; empty where they differ or there are
// none.
std::string_view common_type(const Workload& workload, bool inputs) {
  std::string_view type;
  for (const Tensor& t : workload.tensors) {
    if (!is_real(t.dtype) || (t.role == TensorRole::In) != inputs) continue;
    if (!type.empty() && type != name_of(t.dtype)) return {};
    type = name_of(t.dtype);
  }
  return type;
}

std::optional<ComputeCeiling> plain(const Ceiling* c) {
  if (c == nullptr) return std::nullopt;
  return ComputeCeiling{c->per_second, describe(*c), c->kind.starts_with("mma")};
}

std::optional<ComputeCeiling> gpu_compute_ceiling(const Workload& workload,
                                                  const DeviceFacts& facts, GateKind gate) {
  const bool is_f64 = compute_dtype(workload) == Dtype::F64;
  const std::string_view in = common_type(workload, true);
  const bool is_half = in == "f16" || in == "bf16";
  if (gate == GateKind::Dot && !is_f64) {
    if (is_half)
      if (const auto matrix = plain(best_of(facts, "mma_" + std::string(in)))) return matrix;
    return plain(best_of(facts, "fma_f32"));
  }
  const std::string_view out = common_type(workload, false);
  if (out == "f16" || out == "bf16")
    if (const auto pairs = plain(best_of(facts, "fma_f16x2"))) return pairs;
  return plain(best_of(facts, is_f64 ? "fma_f64" : "fma_f32"));
}

}  // namespace

std::optional<MixCeiling> memory_ceiling(const DeviceFacts& facts, const std::string& level,
                                         double reads) {
  const Ceiling* below = nullptr;
  const Ceiling* above = nullptr;
  for (const Ceiling& c : facts.ceilings) {
    if (!serves(c, facts, level)) continue;
    if (c.reads <= reads + kSameMix && (below == nullptr || c.reads > below->reads)) below = &c;
    if (c.reads >= reads - kSameMix && (above == nullptr || c.reads < above->reads)) above = &c;
  }
  if (below == nullptr && above == nullptr) return std::nullopt;
  const auto close = [&](const Ceiling* c) {
    return c != nullptr && std::abs(c->reads - reads) <= kSameMix;
  };
  if (close(below) || above == nullptr) return MixCeiling{below->per_second, describe(*below)};
  if (close(above) || below == nullptr) return MixCeiling{above->per_second, describe(*above)};
  const double t = (reads - below->reads) / (above->reads - below->reads);
  return MixCeiling{below->per_second + t * (above->per_second - below->per_second),
                    fmt::format("{} with {:.2f} reads, between {} and {}", level, reads,
                                describe(*below), describe(*above))};
}

std::string level_for(const DeviceFacts& facts, std::int64_t bytes) {
  if (!facts.gpu.empty())
    return static_cast<double>(bytes) <= kUsableL2 * static_cast<double>(facts.gpu.front().l2_bytes)
               ? "L2"
               : "DRAM";
  const Cache* nearest = nullptr;
  for (const Cache& c : facts.caches) {
    const int shared = std::max(c.shared_by, 1);
    const int instances = (std::max(facts.cores, 1) + shared - 1) / shared;
    const double usable = kUsable * static_cast<double>(c.bytes) * instances;
    if (static_cast<double>(bytes) <= usable && (nearest == nullptr || c.level < nearest->level))
      nearest = &c;
  }
  return nearest == nullptr ? "DRAM" : fmt::format("L{}", nearest->level);
}

Dtype compute_dtype(const Workload& workload) {
  for (const Tensor& t : workload.tensors)
    if (t.role != TensorRole::In && t.dtype == Dtype::F64) return Dtype::F64;
  return Dtype::F32;
}

std::optional<ComputeCeiling> compute_ceiling(const Workload& workload, const DeviceFacts& facts,
                                              GateKind gate) {
  if (!facts.gpu.empty()) return gpu_compute_ceiling(workload, facts, gate);
  return plain(best_of(facts, compute_dtype(workload) == Dtype::F64 ? "fma_f64" : "fma_f32"));
}

std::optional<ComputeCeiling> matrix_ceiling(const Workload& workload, const DeviceFacts& facts,
                                             GateKind gate) {
  // Three products of tf32 give a product of f32 nearly to its last bit.
  constexpr double kTf32Products = 3;
  if (facts.gpu.empty() || gate != GateKind::Dot || common_type(workload, true) != "f32" ||
      compute_dtype(workload) == Dtype::F64)
    return std::nullopt;
  const Ceiling* tf32 = best_of(facts, "mma_tf32");
  const Ceiling* fma = best_of(facts, "fma_f32");
  const double rate = tf32 == nullptr ? 0 : tf32->per_second / kTf32Products;
  if (rate <= 0 || (fma != nullptr && rate <= fma->per_second)) return std::nullopt;
  return ComputeCeiling{rate, fmt::format("a third of {}: 3xTF32", describe(*tf32)), true};
}

RooflinePosition position(const Workload& workload, double median_ns, const DeviceFacts& facts,
                          const CallFacts& call) {
  RooflinePosition p;
  const auto memory = memory_time(workload, facts, call.caches);
  const auto units = compute_ceiling(workload, facts, call.gate);
  const auto compute = compute_time(workload, units);
  if ((!memory && !compute) || !(median_ns > 0)) {
    p.advice = "No roofline: the ceilings, the nominal work or the time is missing.";
    return p;
  }
  const bool is_memory = memory && (!compute || memory->ns >= compute->ns);
  const Time& binding = is_memory ? *memory : *compute;
  const double amount = is_memory ? static_cast<double>(workload.work.read_bytes) +
                                        static_cast<double>(workload.work.write_bytes)
                                  : static_cast<double>(workload.work.flops);
  p.fraction = binding.ns / median_ns;
  p.ceiling_per_second = amount / binding.ns * 1e9;
  p.ceiling = binding.ceiling;
  p.bound = is_memory ? Bound::Memory : Bound::Compute;
  const auto matrix = matrix_ceiling(workload, facts, call.gate);
  const auto by_matrix = compute_time(workload, matrix);
  if (by_matrix && !is_memory)
    p.matrix_fraction = std::max(by_matrix->ns, memory ? memory->ns : 0) / median_ns;
  if (facts.gpu.empty()) {
    limit_on_cpu(p, median_ns);
    p.advice = cpu_advice(p, workload, is_memory);
  } else {
    const int launches = launches_of(call.plan);
    limit_on_gpu(p, median_ns, launches);
    p.advice = gpu_advice(p, workload,
                          {is_memory, units && units->is_matrix_unit, launches, median_ns,
                           p.matrix_fraction > 0 ? matrix->words : ""});
  }
  return p;
}

bool needs_remeasuring(const RooflinePosition& position) { return position.fraction > kAboveRoof; }

void fill_rates(WorkloadResult& result, const WorkPerCall& work) {
  const double seconds = result.median_ns * 1e-9;
  const double bytes = static_cast<double>(work.read_bytes) + static_cast<double>(work.write_bytes);
  const double flops = static_cast<double>(work.flops);
  const auto per_second = [&](double amount) { return seconds > 0 ? amount / seconds : 0; };
  result.items_per_s = per_second(static_cast<double>(work.items));
  result.flops_per_s = per_second(flops);
  result.bytes_per_s = per_second(bytes);
  result.arithmetic_intensity = bytes > 0 ? flops / bytes : 0;
}

}  // namespace kw::profile

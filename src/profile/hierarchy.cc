// Places the counters of one launch under a roofline at every level of memory.
// SPDX-License-Identifier: Apache-2.0
#include "profile/hierarchy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "profile/roofline.h"

namespace kw::profile {
namespace {

/// Nsight Compute's counter of matrix operations on a source type (section
/// HierarchicalTensorRooflineChart), with and without sparsity; an addition and a product count as
/// two.
struct TensorPath {
  std::string_view metric;
  std::string_view type;
};
constexpr std::array<TensorPath, 4> kTensorPaths{
    {{"sm__ops_path_tensor_src_tf32_dst_fp32.sum", "tf32"},
     {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "bf16"},
     {"sm__ops_path_tensor_src_fp16.sum", "f16"},
     {"sm__ops_path_tensor_src_fp8.sum", "f8"}}};

struct MemoryLevel {
  std::string_view name;
  double bytes = 0;
  std::string_view ceiling;  ///< Level of the ceilings that the traffic is compared with.
  std::string_view words;    ///< Name of the ceiling in texts.
  double reads = 0;
};

/// The levels of memory from the nearest outwards. Reads and writes at L1 and L2 are not counted
/// apart: shared memory reads and writes at one rate, and the L2 is taken to see the mix of the
/// DRAM.
std::array<MemoryLevel, 3> levels_of(const HierarchicalRoofline& r) {
  return {{{"L1", r.l1_bytes, "shared", "shared memory's ceiling", 1},
           {"L2", r.l2_bytes, "L2", "its ceiling", r.dram_reads},
           {"DRAM", r.dram_bytes, "DRAM", "its ceiling", r.dram_reads}}};
}

/// The share of the level's ceiling that was reached; nothing where that ceiling was not measured.
std::optional<double> ceiling_share(const HierarchicalRoofline& r, const MemoryLevel& level,
                                    const DeviceFacts* device) {
  if (device == nullptr || r.time_ns <= 0) return std::nullopt;
  const auto ceiling = memory_ceiling(*device, std::string(level.ceiling), level.reads);
  if (!ceiling || ceiling->per_second <= 0) return std::nullopt;
  return level.bytes / r.time_ns * 1e9 / ceiling->per_second;
}

Wording words_of_computing(const HierarchicalRoofline& r, std::string_view what,
                           const std::string& kind, double flops, const DeviceFacts* device) {
  Wording words =
      worded("{} {} at {}", InSi{flops, ""}, what, InSi{flops / r.time_ns * 1e9, "flop/s"});
  if (device == nullptr) return words;
  for (const Ceiling& c : device->ceilings)
    if (c.level == "core" && c.kind == kind && c.per_second > 0)
      return words + worded(" ({:.2f} of {})", flops / r.time_ns * 1e9 / c.per_second, c.kind);
  return words;
}

}  // namespace

double HierarchicalRoofline::matrix_flops() const {
  double sum = 0;
  for (const MatrixWork& work : matrix) sum += work.flops;
  return sum;
}

HierarchicalRoofline hierarchical_roofline(const KernelProfile& k) {
  const auto get = [&](const std::string& metric) { return k.get(metric).value_or(0); };
  const std::string_view prefix = "smsp__sass_thread_inst_executed_op_";
  const auto executed = [&](std::string_view op) {
    return get(fmt::format("{}{}_pred_on.sum", prefix, op));
  };
  const double read = get("dram__bytes_read.sum"), written = get("dram__bytes_write.sum");
  HierarchicalRoofline r{.time_ns = get("gpu__time_duration.sum"),
                         .flops = executed("fadd") + executed("fmul") + 2 * executed("ffma"),
                         .matrix = {},
                         .l1_bytes = get("l1tex__t_bytes.sum"),
                         .l2_bytes = get("lts__t_bytes.sum"),
                         .dram_bytes = read + written,
                         .dram_reads = read + written > 0 ? read / (read + written) : 0};
  for (const TensorPath& path : kTensorPaths)
    if (const double flops = get(std::string(path.metric)); flops > 0)
      r.matrix.push_back({std::string(path.type), flops});
  return r;
}

Wording words_of_levels(const HierarchicalRoofline& r, const DeviceFacts* device) {
  if (r.time_ns <= 0 || r.dram_bytes <= 0 || r.l2_bytes <= 0 || r.l1_bytes <= 0) return {};
  Wording words;
  for (const MemoryLevel& level : levels_of(r)) {
    words += worded("{}{} {} at {}", words.text.empty() ? "" : ", ", level.name,
                    InSi{level.bytes, "B"}, InSi{level.bytes / r.time_ns * 1e9, "B/s"});
    if (const auto share = ceiling_share(r, level, device))
      words += worded(" ({:.2f} of {})", *share, level.words);
  }
  if (r.flops > 0 || r.matrix.empty())
    words += worded("; {}", words_of_computing(r, "f32 operations", "fma_f32", r.flops, device));
  for (const MatrixWork& work : r.matrix)
    words += worded("; {}", words_of_computing(r, work.type + " operations of matrix units",
                                               "mma_" + work.type, work.flops, device));
  return words + worded("; {:.2f} operations per byte of DRAM, {:.2f} of L2, {:.2f} of L1",
                        r.all_flops() / r.dram_bytes, r.all_flops() / r.l2_bytes,
                        r.all_flops() / r.l1_bytes);
}

BoundLevel bound_level(const HierarchicalRoofline& r, const DeviceFacts& device, double least) {
  BoundLevel bound;
  for (const MemoryLevel& level : levels_of(r))
    if (const auto share = ceiling_share(r, level, &device);
        share && *share >= std::max(least, bound.share))
      bound = {std::string(level.name), *share};
  return bound;
}

}  // namespace kw::profile

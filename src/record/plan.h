// A launch plan with every expression evaluated: what a GPU player executes for one call on one
// workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/dtype.h"
#include "record/enums.h"

namespace kw {

/// Where an operand of a plan lies.
enum class PlanMemory { Tensor, Workspace, Table };
template <>
struct EnumNames<PlanMemory> {
  static constexpr std::array<std::string_view, 3> names{"tensor", "workspace", "table"};
};

/// Memory beyond the tensors. Its initial content is restored before every call.
struct PlanWorkspace {
  std::string name;
  std::int64_t bytes = 0;
  Initial initial = Initial::Poison;  ///< Zero or Poison.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("bytes", s.bytes), v("initial", s.initial);
  }
};

/// A constant table that the player uploads once; a plan cannot write to it.
struct PlanTable {
  std::string name;
  Dtype dtype = Dtype::I32;
  std::vector<std::int64_t> integers;  ///< For integer dtypes.
  std::vector<double> reals;           ///< For real dtypes.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("dtype", s.dtype), v("integers", s.integers), v("reals", s.reals);
  }
};

/// A place in memory: an index into Workload::tensors, Plan::workspaces or Plan::tables, and an
/// offset in bytes. The resolver of plans has checked that the place lies inside that memory.
struct PlanPlace {
  PlanMemory memory = PlanMemory::Tensor;
  int index = 0;
  std::int64_t offset = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("memory", s.memory), v("index", s.index), v("offset", s.offset);
  }
};

/// Operands of cuTensorMapEncodeTiled, innermost dimension first; names as in docs/launch-plan.md.
struct PlanTensorMap {
  std::string name;
  PlanPlace base;
  std::string element;  ///< f32, f16, bf16, tf32, f64, i32, i64, u8, …
  std::vector<std::int64_t> sizes;
  /// Strides of dimensions 1 and up, so one fewer than `sizes`.
  std::vector<std::int64_t> stride_bytes;
  std::vector<std::int64_t> box;
  std::vector<std::int64_t> element_strides;
  std::string interleave = "none";  ///< none | 16 | 32
  std::string swizzle = "none";     ///< none | 32 | 64 | 128
  std::string promotion = "none";   ///< Promotion to L2: none | 64 | 128 | 256
  std::string fill = "zero";        ///< What reads beyond the tensor give: zero | nan

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("base", s.base), v("element", s.element), v("sizes", s.sizes),
        v("stride_bytes", s.stride_bytes), v("box", s.box), v("element_strides", s.element_strides),
        v("interleave", s.interleave), v("swizzle", s.swizzle), v("promotion", s.promotion),
        v("fill", s.fill);
  }
};

enum class ArgumentKind { Scalar, Address, TensorMap };
template <>
struct EnumNames<ArgumentKind> {
  static constexpr std::array<std::string_view, 3> names{"scalar", "address", "tensor_map"};
};

/// One value in a kernel's parameters.
struct PlanArgument {
  int parameter = 0;  ///< Index of the kernel's parameter.
  /// Offset in that parameter in bytes; above 0 only inside a struct by value.
  std::int64_t at = 0;
  ArgumentKind kind = ArgumentKind::Scalar;
  /// Size of the value: 1, 2, 4 or 8 for a scalar, 8 for an address, 128 for a tensor map.
  int bytes = 0;
  std::uint64_t image = 0;  ///< Value of a scalar, little-endian.
  PlanPlace place;          ///< Place of an address.
  int map = 0;              ///< Tensor map: index into Plan::tensor_maps.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("parameter", s.parameter), v("at", s.at), v("kind", s.kind), v("bytes", s.bytes),
        v("image", s.image), v("place", s.place), v("map", s.map);
  }
};

/// Kinds of steps. Call is a call of a host launcher's entry; the plan of a launcher has only
/// calls.
enum class StepKind { Launch, Fill, Copy, Call };
template <>
struct EnumNames<StepKind> {
  static constexpr std::array<std::string_view, 4> names{"launch", "fill", "copy", "call"};
};

/// One node of a plan. Steps of one branch run in order; a step waits for other branches only by
/// `after`.
struct PlanStep {
  StepKind kind = StepKind::Launch;
  int branch = 0;          ///< 0 is where the plan begins and ends; others were forked from it.
  std::vector<int> after;  ///< Earlier steps of other branches that must have ended.
  // The fields below belong to Launch; a Call uses `arguments` alone.
  std::string kernel;  ///< As written: a plain name, or a name expression such as gemm<64, 2>.
  std::vector<std::int64_t> grid = {1, 1, 1};   ///< x, y, z, in blocks.
  std::vector<std::int64_t> block = {1, 1, 1};  ///< x, y, z, in threads.
  std::vector<std::int64_t> cluster;            ///< x, y, z in blocks; empty: none.
  std::int64_t shared_bytes = 0;                ///< Dynamic shared memory.
  int carveout = -1;  ///< Preferred shared memory, 0–100; -1: the driver's choice.
  bool cooperative = false;
  bool programmatic = false;  ///< May begin before the preceding step has ended (PDL).
  std::vector<PlanArgument> arguments;
  // The fields below belong to Fill and Copy.
  PlanPlace to;
  PlanPlace from;
  std::int64_t bytes = 0;
  int unit = 1;             ///< Fill: size of the repeated value in bytes, 1, 2 or 4.
  std::uint64_t value = 0;  ///< Fill: bits of the repeated value.
  /// Byte offset of the step's directive in the source, for diagnostics. Not encoded and not part
  /// of a plan's identity: two sources that differ only in comments have the same plan.
  std::size_t written_at = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("branch", s.branch), v("after", s.after), v("kernel", s.kernel),
        v("grid", s.grid), v("block", s.block), v("cluster", s.cluster),
        v("shared_bytes", s.shared_bytes), v("carveout", s.carveout),
        v("cooperative", s.cooperative), v("programmatic", s.programmatic),
        v("arguments", s.arguments), v("to", s.to), v("from", s.from), v("bytes", s.bytes),
        v("unit", s.unit), v("value", s.value);
  }
};

/// Most steps of a plan after its loops were unrolled.
inline constexpr std::size_t kMostPlanSteps = 4096;

struct Plan {
  std::vector<PlanWorkspace> workspaces;
  std::vector<PlanTable> tables;
  std::vector<PlanTensorMap> tensor_maps;
  std::vector<PlanStep> steps;
  std::vector<std::string> branches;  ///< Guards with their decisions, in words: "N % 4 == 0: yes".

  std::int64_t workspace_bytes() const {
    std::int64_t n = 0;
    for (const PlanWorkspace& w : workspaces) n += w.bytes;
    return n;
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("workspaces", s.workspaces), v("tables", s.tables), v("tensor_maps", s.tensor_maps),
        v("steps", s.steps), v("branches", s.branches);
  }
};

/// The plan of one role's unit at one workload of a request.
struct RolePlan {
  std::string role;      ///< Value of BuildUnit::role.
  std::string workload;  ///< Value of Workload::name.
  Plan plan;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("workload", s.workload), v("plan", s.plan);
  }
};

}  // namespace kw

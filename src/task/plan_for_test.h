// A small task, a device and helpers that resolve a plan in one call, for tests of launch plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.h"
#include "task/load.h"
#include "task/plan_resolve.h"
#include "task/resolve.h"

namespace kw::task::test {

inline GpuFacts h200() {
  GpuFacts gpu;
  gpu.arch = "sm_90a";
  gpu.multiprocessors = 132;
  gpu.l2_bytes = std::int64_t{60} << 20;
  gpu.shared_per_block = 232448;
  gpu.shared_per_multiprocessor = 233472;
  gpu.registers_per_block = 65536;
  gpu.threads_per_multiprocessor = 2048;
  return gpu;
}

/// A task with these tensors: u, f32 [3, n, m], inout; x and v, f32 [n, m] with pitch m + pad, in
/// and out; y, f32 [n], out; keys, u8 [n], in.
inline Definition sample() {
  TaskFiles files{"tasks/sample", {}};
  files.texts["task.yaml"] = R"(
name: sample
dims: [n, m, pad]
let: { rows: "2 * n" }
scalars:
  n: { dtype: i32 }
  big: { dtype: i64, value: "n * m" }
  ld: { dtype: i32, value: "m + pad" }
  a: { dtype: f32, value: 0.5 }
tensors:
  u: { dtype: f32, shape: [3, n, m], role: inout, values: { kind: normal, mean: 0, std: 1 } }
  x: { dtype: f32, shape: [n, m], pitch: "m + pad", role: in, values: { kind: normal, mean: 0, std: 1 } }
  v: { dtype: f32, shape: [n, m], pitch: "m + pad", role: out }
  y: { dtype: f32, shape: [n], role: out }
  keys: { dtype: u8, shape: [n], role: in, values: { kind: integers, lo: 0, hi: 9 } }
gate: { kind: relative, c: 4, scale: 1 }
work:
  floor: { bytes: "n", flops: "n" }
  nominal: { read_bytes: "n", write_bytes: "n", flops: "n", items: "n" }
restrictions: { workspace_bytes: 1048576 }
)";
  files.texts["shapes.yaml"] = R"(
show: [ { name: small, n: 8, m: 16, pad: 0 } ]
check: [ { name: odd, n: 7, m: 13, pad: 3 } ]
time: [ { name: large, n: 64, m: 64, pad: 0 } ]
)";
  files.texts["reference.cpp"] =
      "template <class Real> void reference(int n, long long big, int ld, Real a, Real* u, "
      "const Real* x, Real* v, Real* y, const unsigned char* keys) {}\n";
  auto definition = parse_task(files);
  if (!definition) throw std::runtime_error(describe(definition.error()));
  return std::move(*definition);
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A source with each of the lines as a `// kw:` line.
inline std::string directives(std::string_view lines) {
  std::string source;
  for (const auto line : split_lines(lines)) source += fmt::format("// kw: {}\n", line);
  return source + "extern \"C\" __global__ void k() {}\n";
}

struct Attempt {
  std::string source;
  std::expected<Plan, Diagnostics> plan;
  Verdict verdict = {};  ///< The verdict on a plan that could be read and does not fit.
  /// The first complaint, "line:column about", with columns counted behind "// kw: ": a plan's is
  /// about the kind of its trouble and what that is about.
  std::string complaint() const;
  /// The numbers that its words tell.
  std::vector<double> numbers() const {
    return plan ? std::vector<double>() : plan.error().front().numbers;
  }
};

inline Attempt attempt(std::string_view lines, std::string_view workload = "small",
                       const GpuFacts& gpu = h200()) {
  static const Definition definition = sample();
  Attempt result{directives(lines), std::unexpected(Diagnostics{})};
  const auto header = parse_header(result.source, "a.cu", Target::Cuda);
  if (!header) {
    result.plan = std::unexpected(header.error());
    return result;
  }
  for (const WorkloadSpec& spec : definition.workloads) {
    if (spec.name != workload) continue;
    const Workload resolved = *resolve(definition, spec);
    const PlanSite site{definition, resolved, gpu, definition.task.restrictions.workspace_bytes};
    auto plan = resolve_plan(*header, result.source, "a.cu", header->default_point(), site);
    if (plan) {
      result.plan = std::move(*plan);
    } else {
      result.verdict = plan.error().verdict;
      result.plan = std::unexpected(Diagnostics{plan.error().finding});
    }
  }
  return result;
}

inline std::string Attempt::complaint() const {
  if (plan) return "accepted";
  const Finding& first = plan.error().front();
  const auto colon = first.place.rfind(':');
  const auto line = first.place.substr(5, colon - 5);
  const int column = std::stoi(first.place.substr(colon + 1)) - 7;
  return fmt::format("{}:{} {}", line, column, first.about);
}

}  // namespace kw::task::test

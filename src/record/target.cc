// The rows of the targets that the program has.
// SPDX-License-Identifier: Apache-2.0
#include "record/target.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "record/candidate.h"

namespace kw {
namespace {

constexpr std::array<DialectRow, 1> kCpuDialects{{
    {.name = "", .source_suffix = ".cpp", .trust_class = TrustClass::CpuFunction},
}};
constexpr std::array<DialectRow, 3> kCudaDialects{{
    {.name = "cuda", .source_suffix = ".cu", .compiler = "nvrtc", .begins_chains = false},
    {.name = "cute",
     .source_suffix = ".cu",
     .headers = "CuTe and CUTLASS",
     .headers_advice = "set CUTLASS_PATH or run scripts/install-cutlass",
     .compiler = "nvrtc"},
    {.name = "host",
     .source_suffix = ".cu",
     .compiler = "nvcc",
     .trust_class = TrustClass::HostLauncher,
     .may_be_proposed = false,
     .begins_chains = false},
}};

constexpr auto kCpuFences =
    std::to_array<std::string_view>({"cpp", "c++", "cc", "cxx", "c", "h", "hpp", "openmp"});
constexpr auto kCudaFences = std::to_array<std::string_view>({"cuda", "cu"});
constexpr auto kCpuLibraries = std::to_array<std::string_view>({"openblas"});
constexpr auto kCudaLibraries = std::to_array<std::string_view>(
    {"cublas", "cublasLt", "cudnn", "cub", "cufft", "cusparse", "curand"});

constexpr TargetRow kCpu{
    .name = "cpu",
    .dialects = kCpuDialects,
    .fence = "cpp",
    .reply_fences = kCpuFences,
    .object_format = "elf-so",
    .object_suffix = ".so",
    .system_prompt = "system",
    .spec_mark = "**On a processor.**",
    .libraries = kCpuLibraries,
    .code_flags = kCodeFlags,
    .units_of_parallelism = "threads",
    .runs_references = true,
};

constexpr TargetRow kCuda{
    .name = "cuda",
    .dialects = kCudaDialects,
    .fence = "cuda",
    .reply_fences = kCudaFences,
    .object_format = "cubin",
    .object_suffix = ".cubin",
    .system_prompt = "system_cuda",
    .spec_mark = "**On a GPU.**",
    .kernel_mark = "__global__",
    .libraries = kCudaLibraries,
    .units_of_parallelism = "blocks",
    .usual_arch = "sm_90a",
    .launches_by_plan = true,
    .needs_arch = true,
    .has_half_types = true,
    .has_own_memory = true,
    .measures_beside_builds = true,
    .recovers_slowly = true,
    .has_profiler = true,
};

struct Table {
  static constexpr std::size_t kMost = 16;
  std::array<TargetRow, kMost> rows{};
  std::array<std::string_view, kMost> names{};
  std::array<Target, kMost> targets{};
  std::size_t count = 0;

  Target add(const TargetRow& row) {
    KW_ASSERT(count < kMost && !row.dialects.empty());
    KW_ASSERT(std::find(names.begin(), names.begin() + count, row.name) == names.begin() + count);
    const auto target = static_cast<Target>(count);
    rows[count] = row, names[count] = row.name, targets[count] = target;
    ++count;
    return target;
  }
};

Table& table() {
  static Table table = [] {
    Table all;
    for (const TargetRow& row : {kCpu, kCuda}) all.add(row);
    return all;
  }();
  return table;
}

}  // namespace

std::size_t TargetNames::size() { return table().count; }
const std::string_view* TargetNames::data() { return table().names.data(); }

const TargetRow& row_of(Target target) {
  const auto index = static_cast<std::size_t>(target);
  KW_ASSERT(index < table().count);
  return table().rows[index];
}

std::span<const Target> all_targets() { return {table().targets.data(), table().count}; }

Target add_target(const TargetRow& row) { return table().add(row); }

std::string target_names(std::string_view between, bool TargetRow::* capability) {
  std::string text;
  for (const Target target : all_targets()) {
    if (capability != nullptr && !(row_of(target).*capability)) continue;
    if (!text.empty()) text += between;
    text += row_of(target).name;
  }
  return text;
}

const DialectRow* find_dialect(Target target, std::string_view name) {
  const auto dialects = row_of(target).dialects;
  const auto found = std::ranges::find(dialects, name, &DialectRow::name);
  return found == dialects.end() ? nullptr : &*found;
}

bool has_dialect_of(Target target, TrustClass trust_class) {
  return std::ranges::any_of(row_of(target).dialects, [&](const DialectRow& dialect) {
    return dialect.trust_class == trust_class;
  });
}

bool has_dialect_with_headers(Target target) {
  return std::ranges::any_of(row_of(target).dialects,
                             [](const DialectRow& dialect) { return !dialect.headers.empty(); });
}

bool may_be_proposed(TrustClass trust_class) {
  return std::ranges::none_of(all_targets(), [&](Target target) {
    return std::ranges::any_of(row_of(target).dialects, [&](const DialectRow& dialect) {
      return dialect.trust_class == trust_class && !dialect.may_be_proposed;
    });
  });
}

std::string_view object_suffix(std::string_view format) {
  const auto rows = std::span(table().rows).first(table().count);
  const auto found = std::ranges::find(rows, format, &TargetRow::object_format);
  return (found == rows.end() ? row_of(kHostTarget) : *found).object_suffix;
}

std::optional<Target> target_of_file(std::string_view name) {
  for (const Target target : all_targets())
    for (const DialectRow& dialect : row_of(target).dialects)
      if (name.ends_with(dialect.source_suffix)) return target;
  return std::nullopt;
}

}  // namespace kw

// Describes the counts of a workload by the powers of ten that enclose them.
// SPDX-License-Identifier: Apache-2.0
#include "propose/size_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "propose/describe.h"
#include "task/resolve.h"

namespace kw::propose {
namespace {

/// Exponent of the largest power of ten that is at most `count`; 0 for counts below 10.
int decade_of(std::int64_t count) {
  int decade = 0;
  for (; count >= 10; count /= 10) ++decade;
  return decade;
}

/// The powers of ten that enclose a count, "10^6 to 10^7"; a count below 10 is described as below
/// 10.
std::string decade_text(std::int64_t count) {
  const int decade = decade_of(count);
  return decade == 0 ? "below 10" : fmt::format("10^{} to 10^{}", decade, decade + 1);
}

/// The number 10^exponent as bytes in decimal units: "100 MB" for exponent 8.
std::string power_of_ten_bytes(int exponent) {
  constexpr auto kUnits =
      std::to_array<std::string_view>({"B", "kB", "MB", "GB", "TB", "PB", "EB"});
  constexpr auto kFactors = std::to_array<std::string_view>({"1", "10", "100"});
  const auto digits = static_cast<std::size_t>(exponent);
  return fmt::format("{} {}", kFactors[digits % 3], kUnits[digits / 3]);
}

std::string bytes_text(std::int64_t bytes) {
  const int decade = decade_of(bytes);
  return fmt::format("{} to {}", power_of_ten_bytes(decade), power_of_ten_bytes(decade + 1));
}

/// Whether a dim is described: sizes of tensors and arguments of the function are, gaps between
/// rows are not.
bool is_told(const task::Definition& task, const std::string& dim) {
  return is_a_size(task, dim) || std::ranges::any_of(task.task.signature, [&](const Parameter& p) {
           return !p.is_tensor && p.name == dim;
         });
}

constexpr std::int64_t kVectorBytes = 16;

/// Whether a row holds a vector at all.
bool has_whole_vectors(const Tensor& tensor) {
  return tensor.sizes.back() * static_cast<std::int64_t>(size_of(tensor.dtype)) >= kVectorBytes;
}

bool has_aligned_rows(const Tensor& tensor) {
  return tensor.pitch * static_cast<std::int64_t>(size_of(tensor.dtype)) % kVectorBytes == 0;
}

/// Where the rows of the tensors begin, which decides whether whole vectors can be loaded; empty
/// where no tensor has several rows.
std::string row_words(const Workload& workload) {
  std::vector<std::string> aligned, others;
  for (const Tensor& tensor : workload.tensors)
    if (tensor.rows() > 1 && has_whole_vectors(tensor))
      (has_aligned_rows(tensor) ? aligned : others).push_back("`" + tensor.name + "`");
  if (aligned.empty() && others.empty()) return {};
  if (others.empty()) return "every row begins at a multiple of sixteen bytes";
  if (aligned.empty()) return "rows begin at any element";
  return "every row of " + join(aligned, ", ") +
         " begins at a multiple of sixteen bytes, those of " + join(others, ", ") +
         " at any element";
}

std::string class_of(const task::Definition& task, const Workload& workload) {
  const Work& work = workload.work;
  const std::int64_t moved = work.read_bytes + work.write_bytes;
  std::vector<std::string> counts{"bytes moved " + bytes_text(moved)};
  if (decade_of(moved) != decade_of(workload.bytes()))
    counts.push_back("bytes of all tensors " + bytes_text(workload.bytes()));
  if (work.flops > 0) counts.push_back("operations " + decade_text(work.flops));
  if (work.items > 0) counts.push_back("items " + decade_text(work.items));
  for (const std::string& dim : task.dims)
    if (const auto at = workload.dims.find(dim); at != workload.dims.end() && is_told(task, dim))
      counts.push_back(fmt::format("`{}` {}", dim, decade_text(at->second)));
  if (std::string rows = row_words(workload); !rows.empty()) counts.push_back(std::move(rows));
  return "One call: " + join(counts, "; ") + ".";
}

}  // namespace

std::vector<std::string> describe_size_classes(const task::Definition& task,
                                               std::span<const Workload> workloads) {
  std::vector<std::string> lines;
  std::vector<int> counts;
  for (const Workload& workload : workloads) {
    if (workload.group != Group::Time) continue;
    std::string line = class_of(task, workload);
    const auto known = std::ranges::find(lines, line);
    if (known != lines.end()) {
      ++counts[static_cast<std::size_t>(known - lines.begin())];
      continue;
    }
    lines.push_back(std::move(line));
    counts.push_back(1);
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (counts[i] > 1) lines[i] += fmt::format(" {} timed workloads have this class.", counts[i]);
  return lines;
}

Result<std::vector<std::string>> describe_left_out(const task::Definition& task, Target target,
                                                   std::span<const Workload> workloads) {
  std::vector<std::string> lines;
  for (const task::WorkloadSpec& spec : task.workloads) {
    if (spec.group != Group::Time || !spec.is_for(target)) continue;
    if (std::ranges::find(workloads, spec.name, &Workload::name) != workloads.end()) continue;
    const Workload workload = KW_TRY(task::resolve(task, spec));
    lines.push_back(
        fmt::format("Left out here for want of memory, since its tensors have {} and the referee "
                    "keeps copies of them: {}",
                    bytes_text(workload.bytes()), class_of(task, workload)));
  }
  return lines;
}

}  // namespace kw::propose

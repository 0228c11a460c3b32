// Describes the counts of a workload by the powers of ten that enclose them.
// SPDX-License-Identifier: Apache-2.0
#include "propose/size_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

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
/// 10, and one of 32 bits as below 2^31.
std::string decade_text(std::int64_t count, bool has_32_bits) {
  constexpr int kLastDecade = 9;  // 2^31 lies between 10^9 and 10^10
  const int decade = decade_of(count);
  if (has_32_bits && decade == kLastDecade) return fmt::format("10^{} to 2^31", decade);
  return decade == 0 ? "below 10" : fmt::format("10^{} to 10^{}", decade, decade + 1);
}

bool has_32_bits(const task::Definition& task, const std::string& dim) {
  const auto scalar = std::ranges::find(task.scalars, dim, &task::ScalarSpec::name);
  return scalar != task.scalars.end() && scalar->dtype == Dtype::I32;
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

/// Whether a dim is below ten in every workload of the task, as a window or a stride is. Such a dim
/// decides which algorithm applies, and no kernel could specialise for a shape by it.
bool is_always_small(const task::Definition& task, const std::string& dim) {
  constexpr std::int64_t kSmall = 10;
  return std::ranges::all_of(task.workloads, [&](const task::WorkloadSpec& spec) {
    const auto at = spec.dims.find(dim);
    return at == spec.dims.end() || at->second < kSmall;
  });
}

/// The value of a dim that is always small, and the class of another.
std::string dim_text(const task::Definition& task, const std::string& dim, std::int64_t value) {
  return is_always_small(task, dim) ? fmt::format("exactly {}", value)
                                    : decade_text(value, has_32_bits(task, dim));
}

constexpr std::int64_t kVectorBytes = 16;

/// Whether it is told where the rows of a tensor begin. It is told for any number of rows, since a
/// gap in what is told would reveal a single row, and not for rows below ten elements, whose length
/// it would reveal together with their size class.
bool has_told_rows(const Tensor& tensor) {
  constexpr std::int64_t kFewestElements = 10;
  if (tensor.sizes.size() < 2) return false;
  const std::int64_t columns = tensor.sizes.back();
  return columns >= kFewestElements &&
         columns * static_cast<std::int64_t>(size_of(tensor.dtype)) >= kVectorBytes;
}

bool has_aligned_rows(const Tensor& tensor) {
  return tensor.pitch * static_cast<std::int64_t>(size_of(tensor.dtype)) % kVectorBytes == 0;
}

/// Where the rows of the tensors begin, which decides whether whole vectors can be loaded; empty
/// where no tensor has rows that it is told of. Tensors are named where they differ.
std::string row_words(const Workload& workload) {
  std::vector<std::string> aligned, others;
  bool has_untold = false;
  for (const Tensor& tensor : workload.tensors) {
    if (has_told_rows(tensor))
      (has_aligned_rows(tensor) ? aligned : others).push_back("`" + tensor.name + "`");
    else
      has_untold = has_untold || tensor.sizes.size() > 1;
  }
  if (aligned.empty() && others.empty()) return {};
  const bool has_names = has_untold || (!aligned.empty() && !others.empty());
  std::vector<std::string> words;
  if (!aligned.empty())
    words.push_back(fmt::format("every row{} begins at a multiple of sixteen bytes",
                                has_names ? " of " + join(aligned, ", ") : std::string()));
  if (!others.empty())
    words.push_back(fmt::format("rows{} begin at any element",
                                has_names ? " of " + join(others, ", ") : std::string()));
  return join(words, ", ");
}

/// The values of a distribution in words, without its numbers.
std::string_view values_text(std::string_view kind) {
  constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"uniform", "evenly distributed numbers"},
      {"normal", "normally distributed numbers"},
      {"offset_scale", "normally distributed numbers with an offset"},
      {"ramp", "sorted values"},
      {"spikes", "normally distributed numbers and a few large ones"},
      {"ties", "few distinct values"},
      {"mixed", "numbers of mixed magnitude"},
      {"integers", "integers, all equally frequent"},
      {"constant", "one value alone"},
      {"zero", "zeros"},
      {"offsets", "offsets of rows that differ a lot in length, many of them empty"},
      {"permutation", "indices, each once and in any order"},
      {"one_hot", "rows with a single 1 among zeros"},
      {"sorted", "sorted values, some of them equal"},
      {"spd", "symmetric and positive definite matrices"},
      {"dominant", "matrices with a dominant diagonal"},
      {"triangular", "triangular matrices with a dominant diagonal"},
      {"special", "normally distributed numbers and some special ones, such as denormals"},
  });
  const auto known = std::ranges::find(kWords, kind, &decltype(kWords)::value_type::first);
  return known == kWords.end() ? std::string_view() : known->second;
}

/// What the tensors hold whose values some timed workload of the task sets for itself: there the
/// task's specification cannot say which values are timed.
std::vector<std::string> values_words(const task::Definition& task, const Workload& workload) {
  std::vector<std::string> words;
  for (const Tensor& tensor : workload.tensors) {
    const bool is_set = std::ranges::any_of(task.workloads, [&](const task::WorkloadSpec& spec) {
      return spec.group == Group::Time && spec.values.contains(tensor.name);
    });
    const std::string_view held = values_text(tensor.values.kind);
    if (is_set && !held.empty()) words.push_back(fmt::format("`{}` holds {}", tensor.name, held));
  }
  return words;
}

/// The class of one call. Besides the dims one count alone is told, since several counts together
/// would narrow the dims down.
std::string class_of(const task::Definition& task, const Workload& workload) {
  std::vector<std::string> counts{"tensors of " + bytes_text(workload.bytes()) + " in all"};
  for (const std::string& dim : task.dims)
    if (const auto at = workload.dims.find(dim); at != workload.dims.end() && is_told(task, dim))
      counts.push_back(fmt::format("`{}` {}", dim, dim_text(task, dim, at->second)));
  if (std::string rows = row_words(workload); !rows.empty()) counts.push_back(std::move(rows));
  for (std::string& values : values_words(task, workload)) counts.push_back(std::move(values));
  return "One call: " + join(counts, "; ") + ".";
}

/// Whether the offset of some element needs more than 32 bits.
bool has_long_offsets(const Workload& workload) {
  return std::ranges::any_of(workload.tensors, [](const Tensor& tensor) {
    return tensor.bytes() / static_cast<std::int64_t>(size_of(tensor.dtype)) >
           std::numeric_limits<std::int32_t>::max();
  });
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
    lines.push_back(fmt::format("Not timed here, but on machines with more memory{}. {}",
                                has_long_offsets(workload) ? ", with offsets beyond 2^31" : "",
                                class_of(task, workload)));
  }
  return lines;
}

}  // namespace kw::propose

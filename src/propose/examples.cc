// Ranks kernels of the playbook by how close their task is to the prompt's task.
// SPDX-License-Identifier: Apache-2.0
#include "propose/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/contains.h"
#include "memory/kin.h"
#include "memory/shipped_task.h"
#include "task/device_names.h"
#include "task/header.h"
#include "task/load.h"
#include "task/narrowed.h"

namespace kw::propose {
namespace {

/// The name of the task whose float64 reference is used for `name`: variants of a task share it.
Result<std::string> subject_of(const memory::DataFiles& data, const std::string& name) {
  const std::string truth = KW_TRY(task::truth_of(KW_TRY(memory::shipped_task(data, name))));
  return truth.empty() ? name : truth;
}

/// A kernel whose distance() is at most this solves the task itself, so a prompt shows it only on
/// request.
constexpr int kAnswer = 1;

/// How far another task is: 0 for the task itself, 1 for a variant such as another dtype, 2 for the
/// same family, 3 for a related family; nothing for all others.
std::optional<int> distance(const Task& from, const Task& to, bool is_same_subject) {
  if (from.name == to.name) return 0;
  if (is_same_subject) return kAnswer;
  if (from.family == to.family) return 2;
  if (memory::are_kin(from.family, to.family)) return 3;
  return std::nullopt;
}

/// The type of a task's first floating-point tensor; nothing where all tensors hold integers.
std::optional<Dtype> real_type(const Task& task) {
  for (const Parameter& p : task.signature)
    if (p.is_tensor && is_real(p.dtype)) return p.dtype;
  return std::nullopt;
}

struct Ranked {
  int distance = 0;
  bool has_other_type = false;
  std::size_t bytes = 0;
  Example example;
};

/// Whether some point of a kernel's tuning space can run on this GPU.
bool runs_on(const GpuFacts& gpu, const std::string& source, const std::string& file) {
  auto header = task::parse_header(source, file, Target::Cuda);
  if (!header) return false;
  header->limits = task::device_limits(gpu);
  return !header->points(1).empty();
}

/// The most advanced kernel of a task: the last file by name (NN_what.cu) that can run on the given
/// GPUs.
std::optional<std::pair<std::string, std::string>> best_kernel(const memory::DataFiles& data,
                                                               const std::string& task,
                                                               const ExampleOptions& options) {
  std::optional<std::pair<std::string, std::string>> best;
  for (const auto& [file, source] : data.under("playbook/" + task)) {
    if (target_of_file(file) != options.target) continue;
    if (!options.has_cute && task::asks_for_cute(source)) continue;
    if (!options.gpu.empty() && !runs_on(options.gpu.front(), source, file)) continue;
    best.emplace(file.substr(0, file.rfind('.')), source);
  }
  return best;
}

}  // namespace

Result<std::vector<Example>> select_examples(const memory::DataFiles& data, const Task& task,
                                             const ExampleOptions& options) {
  std::vector<Ranked> ranked;
  const std::string subject = KW_TRY(subject_of(data, task.name));
  const task::TaskFiles own = KW_TRY(memory::shipped_task(data, task.name));
  const auto definition = own.texts.empty() ? task::Definition() : KW_TRY(task::parse_task(own));
  for (const std::string& name : data.folders("playbook")) {
    const task::TaskFiles files = KW_TRY(memory::shipped_task(data, name));
    auto kernel = best_kernel(data, name, options);
    if (files.texts.empty() || !kernel) continue;
    const Task other = KW_TRY(task::parse_task(files)).task;
    // If the task's `like` line names the other task, the other task's kernels can be used for the
    // task directly.
    const bool serves = contains(definition.like, name);
    if (serves) kernel->second = task::with_overload(definition, kernel->second, options.target);
    const Task& served = serves ? task : other;
    const auto far = distance(task, served, subject == KW_TRY(subject_of(data, name)));
    if (!far || (*far <= kAnswer && !options.own_playbook)) continue;
    ranked.push_back({*far,
                      real_type(task) != real_type(served),
                      kernel->second.size(),
                      {fmt::format("`{}` for the task `{}` ({}: {})", kernel->first, served.name,
                                   served.family, served.summary),
                       kernel->second}});
  }
  std::ranges::stable_sort(ranked, {}, [](const Ranked& r) {
    return std::tuple(r.distance, r.has_other_type, r.bytes);
  });
  std::vector<Example> examples;
  std::size_t bytes = 0;
  for (Ranked& r : ranked) {
    if (examples.size() == options.most) break;
    if (bytes + r.bytes > options.max_bytes) continue;
    bytes += r.bytes;
    examples.push_back(std::move(r.example));
  }
  return examples;
}

}  // namespace kw::propose

// Ranks kernels of the playbook by how close their task is to the prompt's task.
// SPDX-License-Identifier: Apache-2.0
#include "propose/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "memory/kin.h"
#include "memory/shipped_task.h"
#include "propose/describe.h"
#include "record/target.h"
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
constexpr int kKin = 3;
/// Share of the shorter source's lines from which on two kernels are nearly the same.
constexpr double kAlike = 0.4;

/// The type of a task's first floating-point tensor; nothing where all tensors hold integers.
std::optional<Dtype> real_type(const Task& task) {
  for (const Parameter& p : task.signature)
    if (p.is_tensor && is_real(p.dtype)) return p.dtype;
  return std::nullopt;
}

/// How far another task is: 0 for the task itself, 1 for a variant such as another dtype, 2 for the
/// same family, 3 for a family that serves the task's and has the same type (the shapes of matrix
/// units and the packing depend on the type); nothing for all others.
std::optional<int> distance(const Task& task, const Task& other, bool is_same_subject) {
  if (task.name == other.name) return 0;
  if (is_same_subject) return kAnswer;
  if (task.family == other.family) return 2;
  if (memory::serves(other.family, task.family) && real_type(task) == real_type(other)) return kKin;
  return std::nullopt;
}

struct Ranked {
  int distance = 0;
  bool has_other_type = false;
  std::size_t bytes = 0;
  std::set<std::string> techniques;
  Example example;
};

/// Whether some point of a kernel's tuning space can run on this GPU.
bool runs_on(const GpuFacts& gpu, Target target, const std::string& source,
             const std::string& file) {
  auto header = task::parse_header(source, file, target);
  if (!header) return false;
  header->limits = task::device_limits(gpu);
  return !header->points(1).empty();
}

/// Whether one call may compute several steps over the same tensor: only what goes in and out can
/// carry a step's result to the next.
bool may_take_steps(const Task& task) {
  return std::ranges::any_of(task.signature, [](const Parameter& p) {
    return p.is_tensor && p.role == TensorRole::InOut;
  });
}

/// The lines of code of a source, without space around them; short ones are alike everywhere.
std::set<std::string_view> lines_of(std::string_view source) {
  constexpr std::size_t kShortest = 7;
  std::set<std::string_view> lines;
  for (const std::string_view line : split_lines(source))
    if (const auto text = trim(line); text.size() >= kShortest && !text.starts_with("//"))
      lines.insert(text);
  return lines;
}

bool are_alike(const std::string& a, const std::string& b) {
  const auto lines = lines_of(a), others = lines_of(b);
  const std::size_t fewest = std::min(lines.size(), others.size());
  const auto shared = static_cast<double>(
      std::ranges::count_if(lines, [&](std::string_view line) { return others.contains(line); }));
  return fewest > 0 && shared >= kAlike * static_cast<double>(fewest);
}

/// The techniques that a source names, in one spelling.
std::set<std::string> techniques_of(const std::string& source, const std::string& file,
                                    Target target) {
  const auto header = task::parse_header(source, file, target);
  std::set<std::string> all;
  if (!header) return all;
  for (std::string technique : header->techniques) {
    std::ranges::replace(technique, '_', ' ');
    all.insert(std::move(technique));
  }
  return all;
}

/// Whether a kernel shows something that an earlier example does not: other lines, and a technique
/// that the earlier one does not name.
bool adds_to(const Ranked& earlier, const Ranked& one) {
  return !are_alike(earlier.example.source, one.example.source) &&
         !std::ranges::includes(earlier.techniques, one.techniques);
}

/// What differs in the tensors of an example from those of the task at hand.
std::string layout_note(const task::Definition& own, const task::Definition& other) {
  return has_pitch(other) && !has_pitch(own) ? "; there rows may have gaps between them" : "";
}

/// The most advanced kernel of a task: the last file by name (NN_what.cu) that can run on the given
/// GPUs.
std::optional<std::pair<std::string, std::string>> best_kernel(const memory::DataFiles& data,
                                                               const std::string& task,
                                                               const ExampleOptions& options) {
  std::optional<std::pair<std::string, std::string>> best;
  for (const auto& [file, source] : data.under("playbook/" + task)) {
    if (target_of_file(file) != options.target) continue;
    if (!options.has_dialect_headers && task::asks_for_headers(source)) continue;
    if (!options.gpu.empty() && !runs_on(options.gpu.front(), options.target, source, file))
      continue;
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
    const task::Definition wider = KW_TRY(task::parse_task(files));
    const Task& other = wider.task;
    // If the task's `like` line names the other task, the other task's kernels can be used for the
    // task directly.
    const bool serves = contains(definition.like, name);
    if (serves) kernel->second = task::with_overload(definition, kernel->second, options.target);
    const Task& served = serves ? task : other;
    // Kernels of a time loop count on planes of halo and on levels that a single sweep lacks.
    if (may_take_steps(served) && !may_take_steps(task)) continue;
    const auto far = distance(task, served, subject == KW_TRY(subject_of(data, name)));
    if (!far || (*far <= kAnswer && !options.own_playbook)) continue;
    ranked.push_back(
        {*far,
         real_type(task) != real_type(served),
         kernel->second.size(),
         techniques_of(kernel->second, kernel->first, options.target),
         {fmt::format("`{}` for the task `{}` ({}: {}{})", kernel->first, served.name,
                      served.family, served.summary, serves ? "" : layout_note(definition, wider)),
          kernel->second}});
  }
  std::ranges::stable_sort(ranked, {}, [](const Ranked& r) {
    return std::tuple(r.distance, r.has_other_type, r.bytes);
  });
  std::vector<Ranked> chosen;
  std::size_t bytes = 0;
  for (Ranked& r : ranked) {
    if (chosen.size() == options.most) break;
    if (bytes + r.bytes > options.max_bytes) continue;
    // A kernel of another family shows less than one of the family at the same type.
    if (r.distance == kKin && std::ranges::any_of(chosen, [](const Ranked& one) {
          return one.distance == kKin || !one.has_other_type;
        }))
      break;
    if (!std::ranges::all_of(chosen, [&](const Ranked& one) { return adds_to(one, r); })) continue;
    bytes += r.bytes;
    chosen.push_back(std::move(r));
  }
  std::vector<Example> examples;
  for (Ranked& r : chosen) examples.push_back(std::move(r.example));
  return examples;
}

}  // namespace kw::propose

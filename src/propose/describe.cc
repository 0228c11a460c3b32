// Describes task, machine and goal in the words of a prompt.
// SPDX-License-Identifier: Apache-2.0
#include "propose/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/text.h"
#include "propose/architecture.h"
#include "propose/target_words.h"
#include "propose/tolerance.h"
#include "record/target.h"
#include "task/resolve.h"

namespace kw::propose {
namespace {

const task::TensorSpec* tensor_named(const task::Definition& task, const std::string& name) {
  for (const task::TensorSpec& tensor : task.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

const task::ScalarSpec* scalar_named(const task::Definition& task, const std::string& name) {
  for (const task::ScalarSpec& scalar : task.scalars)
    if (scalar.name == name) return &scalar;
  return nullptr;
}

std::string role_words(const task::TensorSpec& tensor) {
  switch (tensor.role) {
    case TensorRole::In:
      return "input, read-only";
    case TensorRole::Out:
      return tensor.initial == Initial::Zero ? "output, zero before the call"
                                             : "output, noise before the call";
    case TensorRole::InOut:
      return tensor.initial == Initial::Zero ? "input and output, zero before the call"
                                             : "input and output";
  }
  return {};
}

/// Whether the rows of a tensor may be further apart than they are long. Three sets of dims are
/// tried, because a variant of a task may fix the gap between rows to 0.
bool has_gaps(const task::Definition& task, const task::TensorSpec& tensor) {
  if (!tensor.pitch || tensor.shape.empty()) return false;
  for (const std::int64_t first : {7, 31, 101}) {
    Names names;
    std::int64_t value = first;
    for (const std::string& dim : task.dims) names[dim] = value += 2;
    for (const task::Let& let : task.lets)
      if (const auto known = let.value.expr.evaluate(names)) names[let.name] = *known;
    const auto pitch = tensor.pitch->expr.evaluate(names);
    const auto row = tensor.shape.back().expr.evaluate(names);
    if (!pitch || !row || *pitch != *row) return true;
  }
  return false;
}

/// Whether a size is a dim that the task, a variant, fixes to 1: nobody needs to know of it.
bool is_left_out(const task::Definition& task, const task::Formula& size) {
  const auto fixed = task.narrowing.fixed.find(std::string(size.expr.text()));
  return fixed != task.narrowing.fixed.end() && fixed->second == 1;
}

/// The sizes of a tensor that are told, outermost first, from formulas or from numbers in the order
/// of its shape.
template <class Text>
std::string sizes_text(const task::Definition& task, const task::TensorSpec& tensor, Text text_at) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    if (!is_left_out(task, tensor.shape[i])) sizes.push_back(text_at(i));
  return "[" + (sizes.empty() ? std::string("1") : join(sizes, ", ")) + "]";
}

std::string tensor_words(const task::Definition& task, const task::TensorSpec& tensor) {
  std::string words = fmt::format("{}; shape `{}`", role_words(tensor),
                                  sizes_text(task, tensor, [&](std::size_t i) {
                                    return std::string(tensor.shape[i].expr.text());
                                  }));
  if (has_gaps(task, tensor))
    words += fmt::format(
        ", rows `{}` elements apart; what lies between a row's end and the next row is noise, NaN "
        "included, which must {}",
        tensor.pitch->expr.text(),
        tensor.role == TensorRole::In    ? "not reach a result"
        : tensor.role == TensorRole::Out ? "stay untouched"
                                         : "stay untouched and not reach a result");
  words += fmt::format("; first element aligned to {} bytes", tensor.alignment);
  if (tensor.role != TensorRole::In && !tensor.is_whole_compared)
    words += tensor.regions.empty() ? "; scratch, not compared"
                                    : "; only the parts that the specification names are compared";
  return words;
}

/// The formula of an integer argument; for an argument named after a `let`, the formula of the
/// `let`.
std::string formula_of(const task::Definition& task, const task::ScalarSpec& scalar) {
  for (const task::Let& let : task.lets)
    if (let.name == scalar.integer.expr.text()) return let.value.expr.text();
  return scalar.integer.expr.text();
}

/// What a real argument may be. The workloads of a task decide whether 0 and negative numbers
/// occur.
std::string real_words(const task::Definition& task, const task::ScalarSpec& scalar) {
  const auto is_positive = [&](const task::WorkloadSpec& spec) {
    const auto own = spec.scalars.find(scalar.name);
    return (own == spec.scalars.end() ? scalar : own->second).real > 0;
  };
  return std::ranges::all_of(task.workloads, is_positive) ? "finite and above 0"
                                                          : "any finite value";
}

/// What a dim that is no size may be: an integer with the lower bound that all workloads keep.
std::string integer_words(const task::Definition& task, const std::string& dim) {
  std::int64_t least = 1;
  for (const task::WorkloadSpec& spec : task.workloads)
    if (const auto at = spec.dims.find(dim); at != spec.dims.end())
      least = std::min(least, at->second);
  return least < 0 ? "an integer" : fmt::format("an integer, at least {}", least);
}

std::string ceiling_words(const Ceiling& c) {
  const std::string with = fmt::format("{} thread{}", c.threads, c.threads == 1 ? "" : "s");
  if (c.kind.starts_with("fma"))
    return fmt::format("{} multiply-adds with {}, {}: {}", c.kind == "fma_f64" ? "double" : "float",
                       c.isa, with, format_si(c.per_second, "flop/s"));
  return fmt::format("{} in {}, {}: {}", c.kind, c.level, with, format_si(c.per_second, "B/s"));
}

std::vector<std::string> describe_gpu(const DeviceFacts& facts, const Task& task,
                                      const std::vector<std::string>& candidates) {
  const GpuFacts& gpu = facts.gpu.front();
  const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<std::uint64_t>(n)); };
  std::vector<std::string> lines;
  // If the GPU is not present, only the limits of a block and the GPUs that it may be are known.
  const bool is_known = facts.memory_bytes > 0;
  if (is_known)
    lines.push_back(fmt::format("{} ({}), {} multiprocessors, {} memory, L2 {}", facts.model,
                                gpu.arch, gpu.multiprocessors, bytes(facts.memory_bytes),
                                bytes(gpu.l2_bytes)));
  else
    lines.push_back(
        fmt::format("A GPU of the architecture {} that is not at hand; take the number "
                    "of multiprocessors from `sms` and the size of the L2 from "
                    "`l2_bytes`",
                    gpu.arch));
  for (const std::string& candidate : candidates) lines.push_back("It may be: " + candidate);
  lines.push_back(fmt::format(
      "Shared memory: {} ({} bytes) for one block at most, {} a multiprocessor; {} registers for "
      "one block; at most {} threads on a multiprocessor",
      bytes(gpu.shared_per_block), gpu.shared_per_block, bytes(gpu.shared_per_multiprocessor),
      gpu.registers_per_block, gpu.threads_per_multiprocessor));
  for (std::string& line : describe_architecture(gpu.arch)) lines.push_back(std::move(line));
  for (const Ceiling& c : facts.ceilings)
    lines.push_back(fmt::format("Measured here: {} in {}: {}", c.kind, c.level,
                                format_si(c.per_second, is_flops(c) ? "flop/s" : "B/s")));
  if (!facts.compiler.empty()) lines.push_back("Compiler: " + facts.compiler);
  const bool has_stated = !candidates.empty() || !gpu.datasheet.empty();
  if (facts.ceilings.empty())
    lines.push_back(has_stated ? "Nothing is measured on it yet: the rates told here are its "
                                 "maker's, and no kernel reaches them"
                               : "Its bandwidths and peak rates are not measured yet");
  for (const DatasheetRates& sheet : gpu.datasheet)
    lines.push_back("Its maker says: " + describe_rates(sheet, task));
  return lines;
}

/// "2 usable cores", with the logical cores that share a physical one as far as the sharing of the
/// first-level cache shows.
std::string cores_text(const DeviceFacts& facts) {
  const auto first = std::ranges::find(facts.caches, 1, &Cache::level);
  const int siblings = first == facts.caches.end() ? 0 : first->shared_by;
  std::string text = fmt::format("{} usable{} core{}", facts.cores, siblings > 1 ? " logical" : "",
                                 facts.cores == 1 ? "" : "s");
  if (siblings > 1)
    text += fmt::format("; {} logical cores share the execution units and L1 of a physical one",
                        siblings);
  else if (siblings == 1 && facts.cores > 1)
    text += ", each with execution units of its own";
  return text;
}

/// For each kind of ceiling and memory level the fastest ceiling, which is what a kernel can reach,
/// at any number of threads.
std::vector<const Ceiling*> telling_ceilings(const std::vector<Ceiling>& all) {
  std::vector<const Ceiling*> best;
  for (const Ceiling& c : all) {
    const auto same = std::ranges::find_if(best, [&](const Ceiling* known) {
      return known->kind == c.kind && known->level == c.level;
    });
    if (same == best.end())
      best.push_back(&c);
    else if (c.per_second > (*same)->per_second)
      *same = &c;
  }
  return best;
}

/// The median time of the slowest timed workload, which goals of time are compared with.
double slowest_ns(const Evaluation& e) {
  double slowest = 0;
  for (const WorkloadResult& w : e.workloads)
    if (w.group == Group::Time) slowest = std::max(slowest, w.median_ns);
  return slowest;
}

std::string gap_words(double factor) {
  if (!(factor > 1) || !std::isfinite(factor)) return "reached by the best so far";
  return fmt::format("needs a kernel {:.3g} times faster than the best so far", factor);
}

std::string goal_line(const std::string& what, double reached, double wanted, bool is_time) {
  if (reached <= 0) return fmt::format("Goal: {}.", what);
  return fmt::format("Goal: {}; {}.", what,
                     gap_words(is_time ? reached / wanted : wanted / reached));
}

/// Whether a prompt shows a formula that uses the name, in the table of arguments or in a `let`.
bool is_shown(const task::Definition& task, const std::string& name) {
  const auto uses = [&](const task::Formula& f) { return contains(f.expr.names(), name); };
  const bool is_of_a_tensor = std::ranges::any_of(task.tensors, [&](const task::TensorSpec& t) {
    return std::ranges::any_of(
               t.shape,
               [&](const task::Formula& size) { return !is_left_out(task, size) && uses(size); }) ||
           (has_gaps(task, t) && uses(*t.pitch));
  });
  if (is_of_a_tensor) return true;
  for (const task::ScalarSpec& scalar : task.scalars)
    if (!is_real(scalar.dtype) && !contains(task.dims, scalar.name) && uses(scalar.integer) &&
        std::ranges::find(task.task.signature, scalar.name, &Parameter::name) !=
            task.task.signature.end())
      return true;
  return std::ranges::any_of(task.lets, [&](const task::Let& let) { return uses(let.value); });
}

/// The tensors of more than one row by the distance of their rows and the number of elements in
/// sixteen bytes: "`cols` of `x`, `y`" and 4.
std::string row_words(const task::Definition& task) {
  constexpr std::size_t kVectorBytes = 16;
  std::vector<std::pair<std::string, std::vector<std::string>>> distances;
  std::size_t elements = 0;
  for (const task::TensorSpec& tensor : task.tensors) {
    const auto told = std::ranges::count_if(
        tensor.shape, [&](const task::Formula& size) { return !is_left_out(task, size); });
    if (told < 2 || size_of(tensor.dtype) >= kVectorBytes) continue;
    const task::Formula& distance = has_gaps(task, tensor) ? *tensor.pitch : tensor.shape.back();
    if (distance.expr.names().empty()) continue;
    const std::size_t count = kVectorBytes / size_of(tensor.dtype);
    if (elements != 0 && elements != count) return {};  // several types: too much for a sentence
    elements = count;
    const std::string text(distance.expr.text());
    auto known = std::ranges::find(distances, text, [](const auto& one) { return one.first; });
    if (known == distances.end()) known = distances.insert(distances.end(), {text, {}});
    known->second.push_back("`" + tensor.name + "`");
  }
  std::vector<std::string> parts;
  for (const auto& [distance, names] : distances)
    parts.push_back(fmt::format("`{}` of {}", distance, join(names, ", ")));
  if (parts.empty()) return {};
  return fmt::format(
      " Every row of a tensor begins at a multiple of 16 bytes only where the distance of its rows "
      "is a multiple of {}: {}.",
      elements, join(parts, "; "));
}

/// Whether offsets into some tensor may not fit 32 bits.
bool has_long_offsets(const task::Definition& task) {
  return std::ranges::any_of(task.tensors, [](const task::TensorSpec& t) {
    return std::ranges::any_of(
        t.shape, [](const task::Formula& size) { return !size.expr.names().empty(); });
  });
}

}  // namespace

std::string_view type_of(Dtype dtype) { return row_of(dtype).plain_type; }

std::vector<ArgumentWords> describe_arguments(const task::Definition& task) {
  std::vector<ArgumentWords> arguments;
  for (const Parameter& p : task.task.signature) {
    std::string type(type_of(p.dtype));
    std::string what;
    if (p.is_tensor) {
      type = (p.role == TensorRole::In ? "const " : "") + type + "*";
      if (const auto* tensor = tensor_named(task, p.name)) what = tensor_words(task, *tensor);
    } else if (const auto* scalar = scalar_named(task, p.name)) {
      const bool is_dim = contains(task.dims, p.name);
      what = is_real(p.dtype) ? real_words(task, *scalar)
             : is_dim ? is_a_size(task, p.name) ? "a size, at least 1" : integer_words(task, p.name)
                      : fmt::format("`{}`", formula_of(task, *scalar));
    }
    arguments.push_back({p.name, std::move(type), std::move(what)});
  }
  return arguments;
}

bool has_pitch(const task::Definition& task) {
  return std::ranges::any_of(task.tensors,
                             [&](const task::TensorSpec& t) { return has_gaps(task, t); });
}

bool is_a_size(const task::Definition& task, const std::string& dim) {
  return std::ranges::any_of(task.tensors, [&](const task::TensorSpec& t) {
    return std::ranges::any_of(
        t.shape, [&](const task::Formula& size) { return contains(size.expr.names(), dim); });
  });
}

std::string describe_layout(const task::Definition& task, Target target) {
  std::string words =
      "Tensors are row-major, the last index contiguous; different arguments never overlap.";
  for (const task::Let& let : task.lets)
    if (is_shown(task, let.name))
      words += fmt::format(" `{}` is `{}`.", let.name, let.value.expr.text());
  words += row_words(task);
  if (has_long_offsets(task))
    words +=
        " Sizes are 32-bit integers, but products of sizes and sums such as block * length + "
        "thread "
        "may pass 2^31: compute offsets in 64 bits.";
  std::vector<std::string> others;
  for (const std::string& dim : task.dims)
    if (scalar_named(task, dim) == nullptr && is_shown(task, dim))
      others.push_back("`" + dim + "`");
  if (others.empty()) return words;
  words += fmt::format(" {} {} no argument{}: ", join(others, ", "),
                       others.size() == 1 ? "is" : "are", others.size() == 1 ? "" : "s");
  return words + (row_of(target).launches_by_plan ? "the plan may name what it needs of it."
                                                  : "take what you need from the arguments.");
}

Result<std::vector<ShapeWords>> describe_shapes(const task::Definition& task, Target target) {
  std::vector<ShapeWords> shapes;
  for (const task::WorkloadSpec& spec : task.workloads) {
    if (spec.group != Group::Show || !spec.is_for(target)) continue;
    const Workload workload = KW_TRY(task::resolve(task, spec));
    std::vector<std::string> parts;
    for (const auto& [name, value] : workload.dims)
      parts.push_back(fmt::format("{} = {}", name, value));
    for (const task::TensorSpec& tensor : task.tensors) {
      const Tensor& resolved = *workload.tensor(tensor.name);
      parts.push_back(tensor.name + " is " + sizes_text(task, tensor, [&](std::size_t i) {
                        return std::to_string(resolved.sizes[i]);
                      }));
    }
    shapes.push_back({workload.name, join(parts, ", ")});
  }
  return shapes;
}

bool has_matrix_work(const Task& task) {
  return task.family == "matmul" || task.family == "convolution" || task.family == "attention";
}

std::string describe_rates(const DatasheetRates& sheet, const Task& task) {
  const bool has_matrices = has_matrix_work(task);
  const bool has_doubles = std::ranges::any_of(
      task.signature, [](const Parameter& p) { return p.is_tensor && p.dtype == Dtype::F64; });
  std::string words = "memory " + format_si(sheet.memory, "B/s");
  const auto add = [&](double rate, std::string_view name) {
    if (rate > 0) words += fmt::format(", {} {}", name, format_si(rate, "flop/s"));
  };
  add(sheet.f32, "f32");
  if (has_doubles) add(sheet.f64, "f64");
  if (has_doubles && has_matrices) add(sheet.f64_matrix, "f64 on matrix units");
  if (has_matrices) add(sheet.tf32, "tf32"), add(sheet.f16, "f16 and bf16");
  return words;
}

std::vector<std::string> describe_device(const DeviceFacts& facts, const Task& task,
                                         const std::vector<std::string>& candidates) {
  std::vector<std::string> lines;
  if (!facts.gpu.empty()) return describe_gpu(facts, task, candidates);
  lines.push_back(fmt::format(
      "{}{}, {}", facts.model,
      facts.generation.empty() ? "" : fmt::format(" ({})", facts.generation), cores_text(facts)));
  if (!facts.isa.empty())
    lines.push_back("Instruction sets, all of them enabled: " + join(facts.isa, ", "));
  std::vector<std::string> caches;
  for (const Cache& c : facts.caches)
    caches.push_back(fmt::format("L{} {}{}", c.level,
                                 format_bytes(static_cast<std::uint64_t>(c.bytes)),
                                 c.shared_by > 1 ? fmt::format(" for {} cores", c.shared_by) : ""));
  if (!caches.empty()) lines.push_back("Caches: " + join(caches, ", "));
  if (!facts.compiler.empty()) lines.push_back("Compiler: " + facts.compiler);
  for (const Ceiling* c : telling_ceilings(facts.ceilings))
    lines.push_back("Measured here: " + ceiling_words(*c));
  if (facts.ceilings.empty()) lines.push_back("Its bandwidths and peak rates are not measured yet");
  return lines;
}

std::vector<std::string> describe_restrictions(const task::Definition& definition, Target target,
                                               bool has_dialect_headers) {
  const Restrictions& r = definition.task.restrictions;
  std::vector<std::string> lines;
  lines.push_back(target_words()[target].libraries(r, has_dialect_headers));
  if (has_rounding(definition) && !contains(r.options, "fast_math"))
    lines.push_back("`fast_math` is not allowed.");
  if (r.deterministic)
    lines.push_back("Two calls on equal inputs must agree in every bit, whatever the threads do.");
  if (r.workspace_bytes > 0)
    lines.push_back(fmt::format("Memory beyond the tensors: at most {}.",
                                format_bytes(static_cast<std::uint64_t>(r.workspace_bytes))));
  for (std::string& line : target_words()[target].limits(r)) lines.push_back(std::move(line));
  if (row_of(target).needs_arch && !r.archs.empty())
    lines.push_back("It is compiled for no other architecture than " + join(r.archs, ", ") + ".");
  return lines;
}

std::vector<std::string> describe_goal(const Situation& s) {
  std::vector<std::string> lines;
  if (s.baseline_ns == 0 && s.rivals.size() > 1)
    lines.push_back("To beat: the fastest of the baselines `" + join(s.rivals, "`, `") +
                    "`, which are timed first.");
  else if (!s.baseline.empty())
    lines.push_back(s.baseline_ns > 0
                        ? fmt::format("To beat: the baseline `{}`, {} a call in the geometric mean "
                                      "over the timed workloads.",
                                      s.baseline, format_ns(s.baseline_ns))
                        : fmt::format("To beat: the baseline `{}`.", s.baseline));
  const double speedup = s.best != nullptr ? s.best->against_baseline.value : 0;
  if (speedup > 0)
    lines.push_back(fmt::format("Best so far: attempt {} with {:.3g} times the baseline's speed.",
                                s.best->number, speedup));
  else
    lines.push_back("No correct kernel of this run has been timed yet.");
  if (s.goals.speedup)
    lines.push_back(goal_line(fmt::format("{:g} times the baseline's speed", *s.goals.speedup),
                              speedup, *s.goals.speedup, false));
  if (s.goals.roof) {
    const bool is_measured = s.device != nullptr && !s.device->ceilings.empty();
    lines.push_back(goal_line(fmt::format("{:g} of the roofline{}", *s.goals.roof,
                                          is_measured ? "" : ", which is not measured yet"),
                              s.best != nullptr ? s.best->evaluation.roofline_fraction : 0,
                              *s.goals.roof, false));
  }
  if (s.goals.time_ns)
    lines.push_back(goal_line(format_ns(*s.goals.time_ns) + " on the slowest timed workload",
                              s.best != nullptr ? slowest_ns(s.best->evaluation) : 0,
                              *s.goals.time_ns, true));
  if (!s.goals.speedup && !s.goals.roof && !s.goals.time_ns)
    lines.push_back("Goal: as fast as it goes.");
  return lines;
}

std::string describe_options(const task::Definition& definition, Target target) {
  // Where nothing is rounded there is nothing that inexact arithmetic could speed up.
  const bool has_fast_math =
      has_rounding(definition) && contains(definition.task.restrictions.options, "fast_math");
  return target_words()[target].options(has_fast_math);
}

}  // namespace kw::propose

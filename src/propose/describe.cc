// Describes task, machine and goal in the words of a prompt.
// SPDX-License-Identifier: Apache-2.0
#include "propose/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/text.h"
#include "propose/architecture.h"
#include "task/resolve.h"

namespace kw::propose {
namespace {

constexpr std::string_view kTypes[] = {"float",         "double", "int",          "long long",
                                       "unsigned char", "__half", "__nv_bfloat16"};

std::string_view type_of(Dtype dtype) { return kTypes[static_cast<std::size_t>(dtype)]; }

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

std::string tensor_words(const task::Definition& task, const task::TensorSpec& tensor) {
  std::vector<std::string> sizes;
  for (const task::Formula& size : tensor.shape) sizes.push_back(size.expr.text());
  std::string words = fmt::format("{}; shape `[{}]`", role_words(tensor), join(sizes, ", "));
  if (has_gaps(task, tensor)) {
    words += fmt::format(", rows `{}` elements apart", tensor.pitch->expr.text());
    if (tensor.role != TensorRole::In)
      words += "; what lies between a row's end and the next row must stay untouched";
  }
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

/// The floating-point types of the outputs, each once.
std::vector<Dtype> real_outputs(const task::Definition& definition) {
  std::vector<Dtype> types;
  for (const Parameter& p : definition.task.signature)
    if (p.is_tensor && p.role != TensorRole::In && is_real(p.dtype) && !contains(types, p.dtype))
      types.push_back(p.dtype);
  return types;
}

bool has_whole_outputs(const task::Definition& definition) {
  return std::ranges::any_of(definition.task.signature, [](const Parameter& p) {
    return p.is_tensor && p.role != TensorRole::In && !is_real(p.dtype);
  });
}

/// The unit roundoff of a type, half the distance from 1 to the next number: "2^-24" for float.
std::string roundoff_text(Dtype dtype) { return fmt::format("2^-{}", significand_bits(dtype)); }

/// The unit roundoff as text, "u = 2^-24"; with several output types, one value for each type.
std::string unit_text(const std::vector<Dtype>& types) {
  std::vector<std::string> values;
  for (const Dtype dtype : types)
    values.push_back(types.size() == 1
                         ? roundoff_text(dtype)
                         : fmt::format("{} for {}", roundoff_text(dtype), type_of(dtype)));
  return "u = " + join(values, ", ");
}

/// Describes the bound on a single element's error as referee/gate.h applies it. For 16-bit types,
/// sums are held to the rounding of float, and results to the rounding of their own type.
std::string gate_words(const Gate& gate, const std::optional<task::Formula>& dot_length,
                       const std::vector<Dtype>& types) {
  if (gate.kind == GateKind::Relative)
    return fmt::format(
        "Each element may differ from the float64 truth by at most {:g} u (|truth| + {:g}), where "
        "{} is half the distance from 1 to the next number of the type.",
        gate.c, gate.scale, unit_text(types));
  if (gate.kind == GateKind::Field)
    return fmt::format(
        "The outputs are compared with the float64 truth, tensor by tensor: the L2 norm of the "
        "difference may be at most {:g} times the L2 norm of the truth, and the largest difference "
        "of an element at most {:g} times the largest magnitude of the truth.",
        gate.l2, gate.max);
  const std::string length =
      dot_length ? fmt::format("`{}`, the number of products in a sum", dot_length->expr.text())
                 : std::string("the number of products in a sum");
  if (std::ranges::any_of(types, is_half))
    return fmt::format(
        "Each element may differ from the float64 truth by at most {:g} sqrt(k) 2^-{} S + u "
        "|truth|. Here k is {}, S is the sum of the absolute values of these products, 2^-{} is "
        "the rounding of a float, in which sums belong, and {} is that of the result's type.",
        gate.c, significand_bits(Dtype::F32), length, significand_bits(Dtype::F32),
        unit_text(types));
  return fmt::format(
      "Each element may differ from the float64 truth by at most {:g} sqrt(k) u S + u |truth|. "
      "Here k is {}, S is the sum of the absolute values of these products, and {} is half the "
      "distance from 1 to the next number of the type.",
      gate.c, length, unit_text(types));
}

/// Describes the bound on the RMS error. Nobody sums in 16-bit types, so for these the bound refers
/// to rounding the exact result once.
std::string rms_words(const Gate& gate, const std::vector<Dtype>& types) {
  return fmt::format(
      "The RMS error may be at most {:g} times that of {}, which arithmetic of fewer bits does not "
      "reach.",
      gate.rms_factor,
      std::ranges::any_of(types, is_half) ? "rounding the truth once to the type of the result"
                                          : "the reference at the task's type");
}

std::string sizes_text(const Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : tensor.sizes) sizes.push_back(std::to_string(size));
  return "[" + join(sizes, ", ") + "]";
}

std::string ceiling_words(const Ceiling& c) {
  const std::string with = fmt::format("{} thread{}", c.threads, c.threads == 1 ? "" : "s");
  if (c.kind.starts_with("fma"))
    return fmt::format("{} multiply-adds with {}, {}: {}", c.kind == "fma_f64" ? "double" : "float",
                       c.isa, with, format_si(c.per_second, "flop/s"));
  return fmt::format("{} in {}, {}: {}", c.kind, c.level, with, format_si(c.per_second, "B/s"));
}

std::vector<std::string> describe_gpu(const DeviceFacts& facts) {
  const GpuFacts& gpu = facts.gpu.front();
  const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<std::uint64_t>(n)); };
  std::vector<std::string> lines;
  // If the GPU is not present, only the minimum that its architecture guarantees is known.
  const bool is_known = facts.memory_bytes > 0;
  lines.push_back(
      fmt::format("{} ({}), {}{} multiprocessors of at most {} threads{}", facts.model, gpu.arch,
                  is_known ? "" : "at least ", gpu.multiprocessors, gpu.threads_per_multiprocessor,
                  is_known ? ", " + bytes(facts.memory_bytes) + " memory" : std::string()));
  lines.push_back(fmt::format(
      "Shared memory: {} ({} bytes) for one block at most, {} a multiprocessor; {} registers for "
      "one block; L2 {}{}",
      bytes(gpu.shared_per_block), gpu.shared_per_block, bytes(gpu.shared_per_multiprocessor),
      gpu.registers_per_block, is_known ? "" : "at least ", bytes(gpu.l2_bytes)));
  for (std::string& line : describe_architecture(gpu.arch)) lines.push_back(std::move(line));
  for (const Ceiling& c : facts.ceilings)
    lines.push_back(fmt::format("Measured here: {} in {}: {}", c.kind, c.level,
                                format_si(c.per_second, is_flops(c) ? "flop/s" : "B/s")));
  if (facts.ceilings.empty()) lines.push_back("Its bandwidths and peak rates are not measured yet");
  for (const DatasheetRates& sheet : gpu.datasheet) {
    std::string words = "Its maker says: memory " + format_si(sheet.memory, "B/s");
    for (const auto& [rate, name] : {std::pair{sheet.f32, "f32"},
                                     {sheet.f64, "f64"},
                                     {sheet.tf32, "tf32"},
                                     {sheet.f16, "f16 and bf16"}})
      if (rate > 0) words += fmt::format(", {} {}", name, format_si(rate, "flop/s"));
    lines.push_back(words);
  }
  return lines;
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
    return std::ranges::any_of(t.shape, uses) || (has_gaps(task, t) && uses(*t.pitch));
  });
  if (is_of_a_tensor) return true;
  for (const task::ScalarSpec& scalar : task.scalars)
    if (!is_real(scalar.dtype) && !contains(task.dims, scalar.name) && uses(scalar.integer) &&
        std::ranges::find(task.task.signature, scalar.name, &Parameter::name) !=
            task.task.signature.end())
      return true;
  return std::ranges::any_of(task.lets, [&](const task::Let& let) { return uses(let.value); });
}

}  // namespace

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
      what = is_real(p.dtype) ? "any finite value"
             : is_dim         ? is_a_size(task, p.name) ? "a size, at least 1"
                                                        : "an integer, see the specification"
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
  std::vector<std::string> others;
  for (const std::string& dim : task.dims)
    if (scalar_named(task, dim) == nullptr && is_shown(task, dim))
      others.push_back("`" + dim + "`");
  if (others.empty()) return words;
  words += fmt::format(" {} {} no argument{}: ", join(others, ", "),
                       others.size() == 1 ? "is" : "are", others.size() == 1 ? "" : "s");
  return words + (target == Target::Cuda ? "the plan may name what it needs of it."
                                         : "take what you need from the arguments.");
}

std::string describe_tolerance(const task::Definition& definition) {
  const Gate& gate = definition.task.gate;
  if (gate.kind == GateKind::Exact) return "Every bit of the outputs must be right.";
  const std::vector<Dtype> types = real_outputs(definition);
  std::string words;
  if (!types.empty()) words = gate_words(gate, definition.dot_length, types);
  if (gate.rms_factor > 0 && !types.empty()) words += " " + rms_words(gate, types);
  if (has_whole_outputs(definition))
    words += " Integers among the outputs must be right in every bit.";
  if (!types.empty())
    words += " Infinities and NaN must stand where the truth has them and nowhere else.";
  return std::string(trim(words));
}

Result<std::vector<ShapeWords>> describe_shapes(const task::Definition& task, Target target) {
  std::vector<ShapeWords> shapes;
  for (const task::WorkloadSpec& spec : task.workloads) {
    if (spec.group != Group::Show || !spec.is_for(target)) continue;
    const Workload workload = KW_TRY(task::resolve(task, spec));
    std::vector<std::string> parts;
    for (const auto& [name, value] : workload.dims)
      parts.push_back(fmt::format("{} = {}", name, value));
    for (const Tensor& tensor : workload.tensors)
      parts.push_back(tensor.name + " is " + sizes_text(tensor));
    shapes.push_back({workload.name, join(parts, ", ")});
  }
  return shapes;
}

std::vector<std::string> describe_device(const DeviceFacts& facts) {
  std::vector<std::string> lines;
  if (!facts.gpu.empty()) return describe_gpu(facts);
  lines.push_back(
      fmt::format("{}, {} usable core{}", facts.model, facts.cores, facts.cores == 1 ? "" : "s"));
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

std::vector<std::string> describe_restrictions(const Task& task, Target target, bool has_cute) {
  const Restrictions& r = task.restrictions;
  std::vector<std::string> lines;
  if (target == Target::Cuda)
    lines.push_back(has_cute
                        ? "No libraries beyond CUDA's own device headers and, in dialect cute, "
                          "CuTe and CUTLASS."
                        : "No libraries beyond CUDA's own device headers.");
  else
    lines.push_back(r.libraries.empty()
                        ? "No libraries beyond those of C, C++ and OpenMP."
                        : "Libraries that may be linked: " + join(r.libraries, ", ") + ".");
  if (!contains(r.options, "fast_math")) lines.push_back("`fast_math` is not allowed.");
  if (r.deterministic)
    lines.push_back("Two calls on equal inputs must agree in every bit, whatever the threads do.");
  if (r.workspace_bytes > 0)
    lines.push_back(fmt::format("Memory beyond the tensors: at most {}.",
                                format_bytes(static_cast<std::uint64_t>(r.workspace_bytes))));
  if (target == Target::Cuda && r.registers > 0)
    lines.push_back(fmt::format("A thread of any kernel has at most {} registers.", r.registers));
  if (target == Target::Cuda) {
    const std::int64_t bytes = r.local_bytes > 0 ? r.local_bytes : kDefaultLocalBytes;
    lines.push_back(fmt::format("A thread of any kernel has at most {} of local memory.",
                                format_bytes(static_cast<std::uint64_t>(bytes))));
  }
  if (target == Target::Cuda && !r.archs.empty())
    lines.push_back("It is compiled for no other architecture than " + join(r.archs, ", ") + ".");
  return lines;
}

std::vector<std::string> describe_goal(const Situation& s) {
  std::vector<std::string> lines;
  if (!s.baseline.empty())
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
  if (s.goals.roof)
    lines.push_back(goal_line(fmt::format("{:g} of the roofline", *s.goals.roof),
                              s.best != nullptr ? s.best->evaluation.roofline_fraction : 0,
                              *s.goals.roof, false));
  if (s.goals.time_ns)
    lines.push_back(goal_line(format_ns(*s.goals.time_ns) + " on the slowest timed workload",
                              s.best != nullptr ? slowest_ns(s.best->evaluation) : 0,
                              *s.goals.time_ns, true));
  if (!s.goals.speedup && !s.goals.roof && !s.goals.time_ns)
    lines.push_back("Goal: as fast as it goes.");
  return lines;
}

std::string describe_options(const Restrictions& restrictions, Target target) {
  if (target == Target::Cuda)
    return contains(restrictions.options, "fast_math")
               ? "`// kw: option fast_math` (faster and less exact division, square roots and "
                 "functions, denormals flushed to zero; the tolerance still holds)."
               : "none.";
  std::string words =
      "`// kw: option unroll_loops` (the compiler unrolls loops), `// kw: option O2` (less "
      "inlining and unrolling than -O3)";
  if (contains(restrictions.options, "fast_math"))
    words +=
        ", `// kw: option fast_math` (reassociation, no NaN or infinity assumed: sums may be "
        "vectorised, and the tolerance still holds)";
  return words + ".";
}

}  // namespace kw::propose

// Drafts a task from the parameters and the body of a C function, as far as they can be guessed.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"
#include "task/c/cases.h"
#include "task/c/function.h"
#include "task/c/threads.h"
#include "task/draft_cases.h"
#include "task/draft_kernel.h"
#include "task/draft_name.h"
#include "task/draft_reference.h"
#include "task/draft_shapes.h"
#include "task/draft_spec.h"
#include "task/draft_values.h"
#include "task/draft_yaml.h"
#include "task/header.h"
#include "task/load.h"
#include "task/plain/plain.h"
#include "task/row_pointers.h"
#include "task/whole_writes.h"

namespace kw::task {
namespace {

namespace fs = std::filesystem;

struct DraftTensor {
  const CParameter* parameter = nullptr;
  TensorRole role = TensorRole::In;
  std::vector<std::string> shape;
  std::string pitch;
  /// What a person should check about the tensor; empty if nothing was guessed.
  std::string check;
  bool is_doubtful = false;  ///< Inout by the text, which may be wrong.
};

class Drafter {
 public:
  Drafter(const CFunction& function, const BodyFacts& facts, std::string_view source,
          const std::vector<lex::Token>& tokens, const DraftChoices& choices)
      : function_(function),
        facts_(facts),
        source_(source),
        tokens_(tokens),
        choices_(choices),
        summed_(special_cases(function, tokens).summed),
        is_zero_safe_(is_safe_for_zeros(function, tokens)) {
    for (const auto& parameter : function.parameters)
      if (!parameter.is_pointer && !is_real(parameter.dtype) &&
          !facts.calculated.contains(parameter.name))
        dims_.push_back(parameter.name);
  }

  Result<> guess() {
    for (const auto& parameter : function_.parameters) {
      if (!parameter.is_pointer) continue;
      const auto found = facts_.accesses.find(parameter.name);
      tensors_.push_back(guess_tensor(parameter, found->second));
      if (tensors_.back().shape.empty())
        return fail(
            ErrorCode::Missing, About{parameter.name},
            fmt::format(
                "the size of '{}' cannot be guessed, because the function has no integer parameter",
                parameter.name),
            function_.name, Advice::Stop);
      is_stencil_ = is_stencil_ || found->second.has_offsets;
    }
    is_lone_ = facts_.loop_depth > 0 && std::ranges::any_of(tensors_, [](const DraftTensor& t) {
                 return t.role != TensorRole::In && t.shape == std::vector<std::string>{"1"};
               });
    const bool has_output = std::ranges::any_of(
        tensors_, [](const DraftTensor& t) { return t.role != TensorRole::In; });
    if (!has_output)
      return fail(ErrorCode::Missing, About{"output"},
                  "the function has no output: it writes through none of its pointers",
                  function_.name, Advice::Stop);
    return {};
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> names;
    for (const auto& tensor : tensors_)
      if (tensor.role == TensorRole::In) names.push_back(tensor.parameter->name);
    return names;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& tensor : tensors_)
      if (!tensor.check.empty())
        notes.push_back(fmt::format("{}: {}", tensor.parameter->name, tensor.check));
    if (!facts_.flops_doubt.empty()) notes.push_back("work: " + facts_.flops_doubt);
    return notes;
  }

  std::vector<std::string> doubtful_outputs() const {
    std::vector<std::string> names;
    for (const auto& tensor : tensors_)
      if (tensor.is_doubtful) names.push_back(tensor.parameter->name);
    return names;
  }

  std::vector<ToldTensor> told_tensors() const {
    std::vector<ToldTensor> told;
    for (const DraftTensor& tensor : tensors_) {
      const Access& access = facts_.accesses.at(tensor.parameter->name);
      told.push_back({tensor.parameter->name, tensor.role, tensor.shape,
                      access.is_read || access.is_escaping});
    }
    return told;
  }

  /// A sentence for spec.md about sizes and borders that kernels of this shape easily get wrong.
  std::string pitfalls() const {
    const bool has_rows = std::ranges::any_of(
        tensors_, [](const DraftTensor& tensor) { return tensor.shape.size() > 1; });
    const bool has_pitch = std::ranges::any_of(
        tensors_, [](const DraftTensor& tensor) { return !tensor.pitch.empty(); });
    std::string text = "Easy to get wrong: sizes that no vector or tile divides";
    if (has_rows) text += ", the last rows and columns";
    if (has_pitch) text += ", what lies between the rows";
    if (is_stencil_) text += ", the neighbours of the first and last elements";
    return text + ".";
  }

  /// What a writer should know about the values of inputs; empty: they are plain noise.
  std::string input_words() const;

  /// The draft's task.yaml. `file` is the source file with the function; empty if the function was
  /// generated.
  std::string task_yaml(const std::string& name, std::string_view file,
                        const std::string& summary) const;
  DraftedSizes sizes() const;

 private:
  DraftTensor guess_tensor(const CParameter& parameter, const Access& access) const {
    DraftTensor tensor;
    tensor.parameter = &parameter;
    if (parameter.is_const || (!access.is_written && !access.is_escaping)) {
      tensor.role = TensorRole::In;
    } else if ((access.is_written && !access.is_read_first && !access.is_partial &&
                !access.is_escaping) ||
               choices_.outputs.contains(parameter.name)) {
      tensor.role = TensorRole::Out;
    } else {
      tensor.role = TensorRole::InOut;
      tensor.is_doubtful = !access.is_escaping;
      if (!access.is_read_first)
        tensor.check =
            "taken as inout because the code may leave elements unwritten; make it out if none of "
            "its elements is read";
    }
    tensor.shape = access.shape;
    if (!access.row.empty() && parameter.bounds.empty()) {
      tensor.pitch = tensor.shape.back();
      tensor.shape.back() = access.row;
    }
    if (!is_understood(tensor))
      guess_shape(tensor);
    else if (!access.doubt.empty())
      tensor.check += (tensor.check.empty() ? "" : "; ") + access.doubt;
    return tensor;
  }

  /// Whether each of the tensor's sizes is a valid expression over the dims.
  bool is_understood(const DraftTensor& tensor) const {
    return !tensor.shape.empty() && std::ranges::all_of(tensor.shape, [&](const std::string& size) {
      const auto expr = Expr::parse(size);
      return expr && expr->check_names(dims_).has_value();
    });
  }

  void guess_shape(DraftTensor& tensor) const {
    tensor.pitch.clear();
    tensor.shape.clear();
    if (dims_.empty()) return;
    const std::vector<std::string> first(
        dims_.begin(),
        dims_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, dims_.size())));
    tensor.shape = {join(first, " * ")};
    tensor.check = "its size could not be determined from the code; this is a guess";
  }

  /// Whether the size depends on the dim.
  static bool uses(const std::string& size, const std::string& dim) {
    const auto expr = Expr::parse(size);
    return expr && contains(expr->names(), dim);
  }

  bool occurs_in_a_shape(const std::string& dim) const {
    return std::ranges::any_of(tensors_, [&](const DraftTensor& tensor) {
      return std::ranges::any_of(tensor.shape,
                                 [&](const std::string& size) { return uses(size, dim); });
    });
  }

  bool is_pitch(const std::string& dim) const {
    return std::ranges::any_of(tensors_, [&](const DraftTensor& t) { return t.pitch == dim; });
  }

  /// Whether the dim is the length of all rows of different lengths together.
  bool is_entries(const std::string& dim) const {
    return std::ranges::any_of(facts_.elements, [&](const auto& element) {
      return element.second.use == ElementUse::Offsets &&
             element.second.size == Polynomial{{{dim}, 1}};
    });
  }

  bool is_size_of_an_output(const std::string& size) const {
    return std::ranges::any_of(tensors_, [&](const DraftTensor& tensor) {
      return tensor.role != TensorRole::In &&
             std::ranges::find(tensor.shape, size) != tensor.shape.end();
    });
  }

  std::string tensor_yaml(const DraftTensor& tensor) const;
  std::string planted(const DraftTensor& tensor) const;
  std::string timed_yaml() const;
  std::string bytes_of(bool is_written) const;
  std::string floor_bytes() const;
  std::string items() const;

  const CFunction& function_;
  const BodyFacts& facts_;
  const std::string_view source_;
  const std::vector<lex::Token>& tokens_;
  const DraftChoices& choices_;
  std::vector<std::string> dims_;
  std::vector<DraftTensor> tensors_;
  bool is_lone_ = false;  ///< Whether the function sums everything into one element.
  bool is_stencil_ = false;
  const std::set<std::string> summed_;
  const bool is_zero_safe_;  ///< Zeros among the inputs cause no infinity in the outputs.
};

/// The YAML line that plants conspicuous values in an input of timed workloads; empty if, judging
/// by the sizes, the function does not sum over the input.
std::string Drafter::planted(const DraftTensor& tensor) const {
  if (tensor.role != TensorRole::In || !is_real(tensor.parameter->dtype) || !tensor.check.empty())
    return {};
  const auto is_kept = [&](const std::string& size) { return is_size_of_an_output(size); };
  auto first = std::ranges::find_if_not(tensor.shape, is_kept);
  auto end = std::find_if(first, tensor.shape.end(), is_kept);
  if (first == end || std::find_if_not(end, tensor.shape.end(), is_kept) != tensor.shape.end())
    return {};
  // Of several sizes that no output has, some may only be searched.
  const auto is_summed = [&](const std::string& size) {
    return std::ranges::any_of(summed_, [&](const auto& dim) { return uses(size, dim); });
  };
  if (const auto summed = std::find_if(first, end, is_summed); summed != end) {
    first = summed;
    end = std::find_if_not(first, end, is_summed);
  }
  const auto axes = end - first;
  return fmt::format("    {}: {{ kind: planted, std: 1, over: {}{} }}\n", tensor.parameter->name,
                     first - tensor.shape.begin(),
                     axes > 1 ? fmt::format(", axes: {}", axes) : std::string());
}

std::string Drafter::timed_yaml() const {
  const bool has_indices = std::ranges::any_of(tensors_, [](const DraftTensor& tensor) {
    return tensor.role == TensorRole::In && !is_real(tensor.parameter->dtype);
  });
  if (is_lone_ || is_stencil_ || has_indices || !is_zero_safe_) return {};
  std::string values;
  for (const auto& tensor : tensors_) values += planted(tensor);
  if (values.empty()) return {};
  return "timed:\n"
         "  # A few lines of two elements each, so that one that is missing shows in long sums "
         "too;\n"
         "  # docs/formats.md, timed inputs, has sharper ones for plain sums and products.\n"
         "  values:\n" +
         values;
}

std::string Drafter::tensor_yaml(const DraftTensor& tensor) const {
  const auto& parameter = *tensor.parameter;
  std::string text = fmt::format("  {}:\n", parameter.name);
  if (!tensor.check.empty()) text += fmt::format("    # CHECK: {}.\n", tensor.check);
  text += fmt::format("    dtype: {}\n    shape: {}\n    role: {}\n", kw::name_of(parameter.dtype),
                      yaml_list(tensor.shape), kw::name_of(tensor.role));
  if (!tensor.pitch.empty()) text += fmt::format("    pitch: {}\n", yaml_text(tensor.pitch));
  if (tensor.role == TensorRole::Out) return text;
  return text + drafted_values({parameter, tensor.shape, is_lone_}, function_, facts_.elements,
                               source_, tokens_);
}

std::string Drafter::bytes_of(bool is_written) const {
  std::vector<SizedElements> moved;
  for (const auto& tensor : tensors_) {
    const Access& access = facts_.accesses.at(tensor.parameter->name);
    const bool is_read = tensor.role != TensorRole::Out && (access.is_read || access.is_escaping);
    if (is_written ? tensor.role != TensorRole::In : is_read)
      moved.push_back({static_cast<std::int64_t>(size_of(tensor.parameter->dtype)), tensor.shape});
  }
  return total_bytes(moved);
}

/// The bytes of the outputs of which every element is sure to be written.
std::string Drafter::floor_bytes() const {
  std::vector<SizedElements> written;
  for (const auto& tensor : tensors_)
    if (tensor.role == TensorRole::Out)
      written.push_back(
          {static_cast<std::int64_t>(size_of(tensor.parameter->dtype)), tensor.shape});
  return total_bytes(written);
}

/// The elements of the largest output; of the largest input where all of it becomes a few numbers.
std::string Drafter::items() const {
  const bool is_reduction = facts_.family == "reduction";
  const DraftTensor* largest = nullptr;
  for (const bool is_output : {true, false})
    for (const auto& tensor : tensors_)
      if ((tensor.role != TensorRole::In) == is_output && (is_output || is_reduction) &&
          (largest == nullptr || tensor.shape.size() > largest->shape.size() ||
           (is_reduction && largest->shape == std::vector<std::string>{"1"})))
        largest = &tensor;
  return total_bytes(std::vector<SizedElements>{{1, largest->shape}});
}

std::string Drafter::input_words() const {
  std::vector<ToldValues> told;
  for (const auto& tensor : tensors_)
    if (const Access& access = facts_.accesses.at(tensor.parameter->name);
        tensor.role != TensorRole::Out && (access.is_read || access.is_escaping))
      told.push_back({tensor.parameter->name,
                      drafted_promise({*tensor.parameter, tensor.shape, is_lone_}, function_,
                                      facts_.elements, source_, tokens_),
                      !timed_yaml().empty() && !planted(tensor).empty()});
  return values_words(told);
}

std::string Drafter::task_yaml(const std::string& name, std::string_view file,
                               const std::string& summary) const {
  std::string text =
      fmt::format("# Drafted from the C function {}; look at every CHECK.\n", function_.name);
  text += fmt::format("name: {}\n", name);
  if (function_.name != name) text += fmt::format("function: {}\n", function_.name);
  text += fmt::format("family: {}\nsummary: {}\n", facts_.family, yaml_string(summary));
  if (!file.empty())
    text += fmt::format("# Runs say first what became of this code's time.\ncode: {}\n",
                        yaml_string(sanitise_line(fs::path(file).filename().string(), 200)));
  text += fmt::format("dims: {}\n", yaml_list(dims_));
  std::string scalars;
  const auto values = scalar_values(function_, tokens_, facts_.calculated);
  std::vector<std::string> signature;
  bool is_double = false;
  bool has_real = false;
  for (const auto& parameter : function_.parameters) {
    signature.push_back(parameter.name);
    is_double = is_double || parameter.dtype == Dtype::F64;
    has_real = has_real || (parameter.is_pointer && is_real(parameter.dtype));
    if (parameter.is_pointer) continue;
    const auto found = values.find(parameter.name);
    const std::string value = found != values.end() ? ", value: " + found->second : "";
    scalars += fmt::format("  {}: {{ dtype: {}{} }}\n", parameter.name,
                           kw::name_of(parameter.dtype), value);
  }
  if (!scalars.empty()) text += "scalars:\n" + scalars;
  text += "tensors:\n";
  for (const auto& tensor : tensors_) text += tensor_yaml(tensor);
  text += fmt::format("signature: {}\n", yaml_list(signature));
  if (!has_real)
    text += "gate: { kind: exact }\n";
  else
    text += fmt::format(
        "# CHECK: relative L2 and largest difference; docs/formats.md has sharper gates.\n"
        "gate: {{ kind: field, l2: {}, max: {} }}\n",
        is_double ? "1.0e-12" : "2.0e-5", is_double ? "1.0e-11" : "5.0e-5");
  if (has_real)
    text +=
        "# Wide, because sums in another order or a product with 1 / c may be ten times less exact "
        "than the code,\n# which is within the gate above by far.\n"
        "rms: { factor: 32 }\n";
  text += timed_yaml();
  text += fmt::format(
      "work:\n  # CHECK: floor is what any algorithm must move and compute: each output that is "
      "written whole; more only if\n  # every input element surely counts. nominal is what the "
      "code "
      "does: its operations and calls of functions,\n  # each counted once{}.\n"
      "  floor: {{ bytes: \"{}\", flops: 0 }}\n"
      "  nominal: {{ read_bytes: \"{}\", write_bytes: \"{}\", flops: \"{}\", items: \"{}\" }}\n"
      "restrictions: {{ options: [fast_math, unroll_loops, O2] }}\n",
      facts_.flops_doubt.empty() ? "" : "; " + facts_.flops_doubt, floor_bytes(), bytes_of(false),
      bytes_of(true), facts_.flops, items());
  return text;
}

DraftedSizes Drafter::sizes() const {
  DraftedSizes sizes;
  for (const auto& dim : dims_)
    sizes.dims.push_back({dim, is_pitch(dim)            ? DimUse::Pitch
                               : is_entries(dim)        ? DimUse::Entries
                               : occurs_in_a_shape(dim) ? DimUse::Size
                                                        : DimUse::Count});
  for (const auto& [monomial, factor] : facts_.work)
    sizes.work_rank = std::max(
        sizes.work_rank,
        std::ranges::count_if(monomial, [&](const auto& dim) { return occurs_in_a_shape(dim); }));
  for (const auto& tensor : tensors_)
    sizes.tensor_rank = std::max(
        sizes.tensor_rank, std::ranges::count_if(tensor.shape, [&](const auto& size) {
          return std::ranges::any_of(dims_, [&](const auto& dim) { return uses(size, dim); });
        }));
  sizes.operations = facts_.flops;
  std::vector<SizedElements> all;
  for (const auto& tensor : tensors_)
    all.push_back({static_cast<std::int64_t>(size_of(tensor.parameter->dtype)), tensor.shape});
  sizes.bytes = total_bytes(all);
  std::vector<NoiseInput> noise;
  for (const auto& tensor : tensors_)
    if (tensor.role != TensorRole::Out && is_noise({*tensor.parameter, tensor.shape, is_lone_},
                                                   function_, facts_.elements, source_, tokens_))
      noise.push_back({tensor.parameter->name, tensor.shape.size()});
  add_cases(sizes, function_, source_, tokens_, noise);
  if (!choices_.has_cases) sizes.cases.clear();
  return sizes;
}

}  // namespace

Result<Draft> draft_from_source(std::string_view given, std::string_view file,
                                std::string_view wanted, std::string_view name,
                                const DraftChoices& choices) {
  if (given.size() > kMaxSourceBytes)
    return fail(ErrorCode::TooLarge, About{format_bytes(kMaxSourceBytes)},
                fmt::format("the source file has {}; at most {} are read",
                            format_bytes(given.size()), format_bytes(kMaxSourceBytes)),
                std::string(file), Advice::Stop);
  if (!name.empty()) KW_TRY(check_task_name(task_name(name)));
  const PlainSource plain = KW_TRY(plain_source(given, file, wanted));
  const std::string serial =
      with_plain_writes(without_row_pointers(without_threads(plain.source), wanted), wanted);
  const std::string_view source = serial;
  const auto tokens = lex::tokenize(source);
  const auto function = KW_TRY(parse_c_function(source, file, tokens, wanted));
  KW_TRY(refuse_openmp_calls(source, file, tokens, function));
  const auto facts = study_body(function, tokens, integer_macros(source));
  for (const auto& [name, access] : facts.accesses)
    for (const CodeProblem& problem : access.problems) {
      const Position place = position_of(source, tokens[problem.token].offset);
      return fail(ErrorCode::BadInput, About{fmt::format("{}: {}", name, problem.about)},
                  problem.message, fmt::format("{}:{}:{}", file, place.line, place.column),
                  Advice::Stop);
    }
  Drafter drafter(function, facts, source, tokens, choices);
  KW_TRY(drafter.guess());
  Draft draft;
  const std::string wished = name.empty() ? function.name : std::string(name);
  draft.name = task_name(wished);
  draft.notes = plain.notes;
  for (std::string& note : drafter.notes()) draft.notes.push_back(std::move(note));
  if (!can_name_task(wished))
    draft.notes.push_back(fmt::format("the name: '{}' cannot name a task, so this one is '{}'",
                                      sanitise(wished, 60), draft.name));
  const bool is_skeleton = file.empty();
  if (!is_skeleton)
    draft.notes.emplace_back(
        "spec.md and the summary: they say what the code does; add what it is for");
  const auto words = describe_function(source, tokens, function, drafter.told_tensors());
  draft.files["task.yaml"] = drafter.task_yaml(draft.name, file, words.summary);
  draft.sizes = drafter.sizes();
  draft.scales = choices.scales ? *choices.scales : counted_scales(draft.sizes);
  draft.doubtful_outputs = drafter.doubtful_outputs();
  draft.files["shapes.yaml"] = draft_shapes(draft.sizes, draft.scales);
  draft.files["reference.cpp"] = draft_reference(source, tokens, function, drafter.inputs());
  draft.files["spec.md"] =
      fmt::format("# {}\n\n{}\n\n{}\n", draft.name, words.details, drafter.pitfalls());
  if (const std::string inputs = drafter.input_words(); !inputs.empty())
    draft.files["spec.md"] += "\n" + inputs + "\n";
  if (std::string kernel = draft_kernel(source, tokens, function, facts.parts, drafter.inputs());
      !kernel.empty() && !is_skeleton)
    draft.files["baselines/naive.cu"] = std::move(kernel);
  if (std::string own = draft_own_code(plain.source, fs::path(file).filename().string(),
                                       function.name, drafter.inputs());
      !own.empty() && !is_skeleton)
    draft.files["baselines/yours.cpp"] = std::move(own);
  // A draft must load. If not, the error tells the user what to change in the source.
  auto definition = parse_task({"the draft", draft.files});
  if (!definition)
    return fail(ErrorCode::Unsupported, About{definition.error().about},
                "no task could be drafted: " + definition.error().what, std::string(file),
                Advice::Stop);
  if (std::string note = why_plan_is_too_long(facts.parts, definition->workloads);
      !note.empty() && draft.files.erase("baselines/naive.cu") > 0)
    draft.notes.push_back(std::move(note));
  return draft;
}

}  // namespace kw::task

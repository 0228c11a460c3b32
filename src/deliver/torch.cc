// Writes an export as a folder for pip, in which the kernel is a custom operator of PyTorch.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "deliver/check_program.h"
#include "deliver/formula_text.h"
#include "deliver/parts.h"
#include "deliver/texts.h"
#include "deliver/torch_signature.h"

namespace kw::deliver {
namespace {

/// Turns the lines of a C++ comment into lines of a Python comment.
std::string python_comment(std::string_view text) {
  std::string out;
  for (const auto line : split_lines(text))
    out += "#" + std::string(line.starts_with("//") ? line.substr(2) : line) + "\n";
  return out;
}

std::string python_list(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) parts.push_back(quoted(word, 300));
  return "[" + join(parts, ", ") + "]";
}

std::string ctypes_of(const Parameter& p) {
  if (p.is_tensor) return "ctypes.c_void_p";
  if (p.dtype == Dtype::F64) return "ctypes.c_double";
  if (is_real(p.dtype)) return "ctypes.c_float";
  if (p.dtype == Dtype::Bool) return "ctypes.c_bool";
  return fmt::format("ctypes.c_{}int{}", row_of(p.dtype).numbers == Numbers::Unsigned ? "u" : "",
                     8 * size_of(p.dtype));
}

std::string argtypes(const Task& task, std::string_view more) {
  std::vector<std::string> parts;
  for (const Parameter& p : task.signature) parts.push_back(ctypes_of(p));
  if (!more.empty()) parts.emplace_back(more);
  return "[" + join(parts, ", ") + "]";
}

/// The text of the Python function `_run`: checks the arguments, allocates results, and calls the
/// kernel, on CPU or GPU.
std::string run_text(const Delivery& d, const TorchSignature& s) {
  const Task& task = d.task();
  std::string text =
      fmt::format("def _run({}):\n    {} = _derive({})\n", s.names(), s.values_list(), s.names());
  std::vector<std::string> given;
  std::string first;
  for (const Parameter& p : task.signature)
    if (p.is_tensor && p.role != TensorRole::Out && first.empty()) first = p.name;
  for (const std::string& dim : d.definition.dims)
    if (s.knows(dim)) text += fmt::format("    _check({0} >= 0, \"{0} is not negative\")\n", dim);
  for (const Parameter& p : task.signature) {
    if (!p.is_tensor) {
      // A range check, because ctypes would silently truncate a value that does not fit the C type.
      if (is_integer(p.dtype))
        text += fmt::format("    _check({1} <= {0} <= {2}, \"{0} fits {3} bits\")\n", p.name,
                            row_of(p.dtype).lowest, row_of(p.dtype).highest, 8 * size_of(p.dtype));
      given.push_back(p.name);
      continue;
    }
    given.push_back(p.name + ".data_ptr()");
    const auto spec = std::ranges::find(d.definition.tensors, p.name, &task::TensorSpec::name);
    if (p.role != TensorRole::Out)
      text += fmt::format("    _check({0}.numel() > 0, \"{0} has elements\")\n", p.name);
    if (p.role == TensorRole::In)
      text += fmt::format("    {0} = _readable({0}, {1})\n", p.name, spec->alignment);
    else if (p.role == TensorRole::InOut)
      text += fmt::format("    _must_be_plain({0}, \"{0}\", {1})\n", p.name, spec->alignment);
    else
      text += fmt::format("    {} = torch.{}({}, dtype={}, device={}.device)\n", p.name,
                          spec->initial == Initial::Zero ? "zeros" : "empty", s.shape_of(p.name),
                          torch_dtype(p.dtype), first);
  }
  if (d.launches_by_plan())
    text += fmt::format(
        "    with torch.cuda.device({0}.device):\n        size = ctypes.c_size_t()\n"
        "        _must(_size({1}, ctypes.byref(size)))\n"
        "        workspace = torch.empty(size.value, dtype=torch.uint8, device={0}.device)\n"
        "        stream = torch.cuda.current_stream().cuda_stream\n"
        "        _must(_call({1}, workspace.data_ptr(), size.value, stream))\n",
        first, join(given, ", "));
  else
    text += fmt::format("    _call({})\n", join(given, ", "));
  const std::string outs = s.outs();
  return text + (outs.empty() ? "" : "    return " + outs + "\n");
}

std::string module_text(const Delivery& d, const TorchSignature& s) {
  const Task& task = d.task();
  std::string load = fmt::format(
      "_library = ctypes.CDLL(str(next(pathlib.Path(__file__).parent.glob(\"_kernel*.so\"))))\n"
      "_call = _library.{0}\n_call.argtypes = {1}\n",
      d.name,
      argtypes(task,
               d.launches_by_plan() ? "ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p" : ""));
  if (d.launches_by_plan())
    load += fmt::format(
        "_call.restype = ctypes.c_int\n_size = _library.{0}_workspace\n_size.argtypes = {1}\n"
        "_size.restype = ctypes.c_int\n_words = _library.{0}_error\n_words.argtypes = "
        "[ctypes.c_int]\n"
        "_words.restype = ctypes.c_char_p\n\n\ndef _must(code):\n    if code != 0:\n"
        "        raise RuntimeError(\"{0}: \" + _words(code).decode())\n",
        d.name, argtypes(task, "ctypes.c_void_p"));
  else
    load += "_call.restype = None\n";
  const std::string comment = python_comment(head_comment(d, "A custom operator of PyTorch."));
  std::string fake;
  for (const Parameter& p : task.signature)
    if (p.is_tensor && p.role == TensorRole::Out)
      fake += fmt::format("    {} = {}.new_empty({}, dtype={})\n", p.name, s.first_tensor(),
                          s.shape_of(p.name), torch_dtype(p.dtype));
  const std::string outs = s.outs();
  return filled(embedded_text("operator.in"), {{"HEAD", comment},
                                               {"NAME", d.name},
                                               {"OP", task.function},
                                               {"LOAD", load},
                                               {"SCHEMA", s.schema()},
                                               {"DERIVE", s.derive_text()},
                                               {"RUN", run_text(d, s)},
                                               {"DEVICE", std::string(name_of(d.kernel.target))},
                                               {"ARGUMENTS", s.names()},
                                               {"VALUES", s.values_list()},
                                               {"FAKE", fake},
                                               {"OUTS", outs.empty() ? "None" : outs},
                                               {"SUMMARY", quoted(task.summary, 200)}});
}

/// The workloads without padding, since the PyTorch operator accepts contiguous tensors only.
std::vector<Workload> plain_workloads(const Delivery& d) {
  std::vector<Workload> plain;
  for (const Workload& w : d.workloads)
    if (std::ranges::all_of(w.tensors, [](const Tensor& t) {
          return t.sizes.size() < 2 || t.pitch == t.sizes.back();
        }))
      plain.push_back(w);
  return plain;
}

std::string cases_text(const Delivery& d, const TorchSignature& s) {
  std::string text;
  for (const Workload& w : d.workloads) {
    std::vector<std::string> tensors, scalars;
    for (const Parameter& p : d.task().signature) {
      if (const Tensor* t = p.is_tensor ? w.tensor(p.name) : nullptr) {
        std::vector<std::string> sizes;
        for (const std::int64_t size : t->sizes) sizes.push_back(std::to_string(size));
        tensors.push_back(fmt::format("\"{}\": (({}{}), {}, {})", p.name, join(sizes, ", "),
                                      sizes.size() == 1 ? "," : "", torch_dtype(p.dtype),
                                      p.role == TensorRole::Out ? "True" : "False"));
      } else if (const Scalar* scalar = w.scalar(p.name); scalar && s.takes(p.name)) {
        scalars.push_back(fmt::format("\"{}\": {}", p.name,
                                      is_real(p.dtype) ? fmt::format("{:.17g}", scalar->real)
                                                       : std::to_string(scalar->integer)));
      }
    }
    text += fmt::format("    ({}, {{{}}}, {{{}}}),\n", quoted(w.name, 60), join(tensors, ", "),
                        join(scalars, ", "));
  }
  return text;
}

std::string readme(const Delivery& d, const TorchSignature& s) {
  const std::string tensors = python_comment(argument_comment(d));
  return fmt::format(
      "# {0}\n\n{1}.\n\n{2}\n```\npip install --no-build-isolation .      # needs a C++ compiler "
      "and "
      "setuptools; runs with PyTorch 2.4 or newer\npython tests/test_{0}.py                 # "
      "compares "
      "with the reference, opcheck, torch.compile\n```\n\n```python\nimport torch, {0}\n"
      "{8}{3} = {0}.{4}({5})          # or torch.ops.{0}.{4}\n```\n\nSchema: `{4}{6}`. Sizes that "
      "tensors show are no arguments. Tensors that are read are copied where they are not "
      "contiguous or\nnot aligned; those that are written must be both. There is no "
      "backward.{7}\n",
      d.name, sanitise_line(d.task().summary, 300), story_text(d),
      s.outs().empty() ? "_" : s.outs(), d.task().function, s.names(), s.schema(),
      d.launches_by_plan()
          ? " The call is queued on PyTorch's current stream."
          : " Threads are OpenMP's own: OMP_NUM_THREADS, not torch.set_num_threads.",
      tensors);
}

}  // namespace

Result<Files> torch_files(const Delivery& given) {
  Delivery d = given;
  d.workloads = plain_workloads(given);
  const TorchSignature s = KW_TRY(TorchSignature::of(d));
  const std::string package = d.name + "/";
  Files files;
  files[package + "__init__.py"] = module_text(d, s);
  files[package + "csrc/" + d.name + ".h"] = KW_TRY(header_text(d));
  files[package + "csrc/kernel.cpp"] = fmt::format(
      "// The kernel as a shared object, which __init__.py loads.\n"
      "#pragma GCC visibility push(default)\n#define {1}_IMPLEMENTATION\n#include \"{0}.h\"\n"
      "#pragma GCC visibility pop\n",
      d.name, upper_case(d.name));
  std::vector<std::string> flags, libraries;
  if (d.launches_by_plan()) {
    flags = {"-std=c++17", "-O2"};
    libraries = {"-ldl", "-pthread"};
  } else {
    flags = cpu_flags(d.kernel);
    libraries = {"-fopenmp"};
    for (const std::string& flag : link_libraries(d.kernel)) libraries.push_back(flag);
  }
  files["setup.py"] =
      filled(embedded_text("setup.in"), {{"NAME", d.name},
                                         {"FLAGS", python_list(flags)},
                                         {"LIBRARIES", python_list(libraries)},
                                         {"SUMMARY", quoted(d.task().summary, 300)}});
  files["pyproject.toml"] =
      "[build-system]\nrequires = [\"setuptools>=61\"]\nbuild-backend = "
      "\"setuptools.build_meta\"\n";
  files["tests/cases.cpp"] = KW_TRY(check_library(d));
  files["tests/test_" + d.name + ".py"] =
      filled(embedded_text("test_operator.in"), {{"NAME", d.name},
                                                 {"OP", d.task().function},
                                                 {"CASES", cases_text(d, s)},
                                                 {"DEVICE", std::string(name_of(d.kernel.target))},
                                                 {"ORDER", s.order_list()},
                                                 {"MUTATED", s.mutated_list()}});
  files["README.md"] = readme(d, s);
  add_papers(d, files);
  return files;
}

}  // namespace kw::deliver

// Derives dims from the tensors' shapes, and then from the remaining arguments.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/torch_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "deliver/formula_text.h"

namespace kw::deliver {
namespace {

/// An equation between sizes: the task's `formula` equals the value that the Python expression
/// `text` computes.
struct Equation {
  Expr formula;
  std::string text;   ///< An expression in Python.
  std::string words;  ///< Describes the equation in the message for a caller who breaks it.
};

Result<std::string> plain(const Expr& expr, const std::string& zero = {}) {
  return python_text(expr, [&](std::string_view name) -> Result<std::string> {
    return name == zero ? std::string("0") : std::string(name);
  });
}

}  // namespace

std::string torch_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32:
      return "torch.float32";
    case Dtype::F64:
      return "torch.float64";
    case Dtype::I32:
      return "torch.int32";
    case Dtype::I64:
      return "torch.int64";
    case Dtype::U8:
      return "torch.uint8";
    case Dtype::F16:
      return "torch.float16";
    case Dtype::BF16:
      return "torch.bfloat16";
  }
  return "torch.float32";
}

Result<TorchSignature> TorchSignature::of(const Delivery& d) {
  TorchSignature s;
  KW_TRY(s.derive(d));
  return s;
}

Result<> TorchSignature::derive(const Delivery& d) {
  const Task& task = d.task();
  static const std::vector<std::string> kReserved{
      "and",    "as",       "assert", "async",  "await",  "def",   "del",    "elif",
      "except", "finally",  "from",   "global", "import", "in",    "is",     "lambda",
      "None",   "nonlocal", "not",    "or",     "pass",   "raise", "torch",  "ctypes",
      "try",    "with",     "yield",  "True",   "False",  "size",  "stream", "workspace"};
  const auto is_argument = [&](const std::string& name) {
    return std::ranges::any_of(task.signature, [&](const Parameter& p) { return p.name == name; });
  };
  // Names of arguments, dims and lets become variables in Python, so reserved words are refused.
  const auto refuse_reserved = [&](std::string_view what, const std::string& name) -> Result<> {
    if (!contains(kReserved, name)) return {};
    return fail_input(fmt::format(
        "{} of the task is called '{}', a name that the Python code of an operator cannot use",
        what, name));
  };
  for (const Parameter& p : task.signature) KW_TRY(refuse_reserved("an argument", p.name));
  for (const std::string& dim : d.definition.dims) KW_TRY(refuse_reserved("a dim", dim));
  for (const task::Let& let : d.definition.lets) KW_TRY(refuse_reserved("a let", let.name));
  std::vector<Equation> shapes, pitches;
  std::string text, first;
  for (const task::TensorSpec& tensor : d.definition.tensors) {
    if (!is_argument(tensor.name) || tensor.role == TensorRole::Out) continue;
    if (first.empty())
      first = tensor.name;
    else
      text += fmt::format("    _check({0}.device == {1}.device, \"{0} is where {1} is\")\n",
                          tensor.name, first);
    text += fmt::format("    _check({0}.dim() == {1}, \"{0} has {1} dimension{2}\")\n", tensor.name,
                        tensor.shape.size(), tensor.shape.size() == 1 ? "" : "s");
    text += fmt::format("    _check({0}.dtype == {1}, \"{0} is {1}\")\n", tensor.name,
                        torch_dtype(tensor.dtype));
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
      shapes.push_back(
          {tensor.shape[i].expr, fmt::format("{}.shape[{}]", tensor.name, i),
           fmt::format("size {} of {} is {}", i, tensor.name, tensor.shape[i].expr.text())});
  }
  for (const task::TensorSpec& tensor : d.definition.tensors)
    if (is_argument(tensor.name) && tensor.pitch && !tensor.shape.empty())
      pitches.push_back({tensor.pitch->expr, "(" + KW_TRY(plain(tensor.shape.back().expr)) + ")",
                         "rows of " + tensor.name + " follow one another"});
  std::vector<std::string> have;
  std::set<std::string> as_argument;  // integers that no tensor's shape gives
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("    {} = {}\n", name, value);
    have.push_back(name);
    values_.push_back(name);
  };
  const auto add_lets = [&]() -> Result<> {
    for (const task::Let& let : d.definition.lets)
      if (!contains(have, let.name) &&
          std::ranges::all_of(let.value.expr.names(),
                              [&](const auto& name) { return contains(have, name); }))
        add(let.name, KW_TRY(plain(let.value.expr)));
    return {};
  };
  const auto solve = [&](const std::vector<Equation>& equations) -> Result<bool> {
    bool has_any = false;
    for (const Equation& e : equations) {
      const auto dim = solved_name(e.formula, have);
      if (!dim || !contains(d.definition.dims, *dim)) continue;
      add(*dim, e.formula.text() == *dim
                    ? e.text
                    : fmt::format("{} - ({})", e.text, KW_TRY(plain(e.formula, *dim))));
      KW_TRY(add_lets());
      has_any = true;
    }
    return has_any;
  };
  KW_TRY(add_lets());
  for (bool has_grown = true; has_grown;) {
    has_grown = KW_TRY(solve(shapes));
    // The equation of a pitch is used only once the length of the padded row is known.
    std::vector<Equation> ready;
    for (const Equation& e : pitches)
      if (std::ranges::all_of(e.formula.names(), [&](const auto& name) {
            return contains(have, name) || solved_name(e.formula, have) == name;
          }))
        ready.push_back(e);
    if (!has_grown) has_grown = KW_TRY(solve(ready));
    if (has_grown) continue;
    for (const task::ScalarSpec& scalar : d.definition.scalars) {
      if (is_real(scalar.dtype) || !is_argument(scalar.name)) continue;
      const auto dim = solved_name(scalar.integer.expr, have);
      if (!dim || !contains(d.definition.dims, *dim)) continue;
      as_argument.insert(scalar.name);
      if (*dim == scalar.name) {
        have.push_back(*dim);  // the dim is an argument itself
      } else {
        have.push_back(scalar.name);
        add(*dim, fmt::format("{} - ({})", scalar.name, KW_TRY(plain(scalar.integer.expr, *dim))));
      }
      KW_TRY(add_lets());
      has_grown = true;
      break;
    }
  }
  for (const Equation& e : shapes)
    text +=
        fmt::format("    _check({} == {}, \"{}\")\n", e.text, KW_TRY(plain(e.formula)), e.words);
  const auto need = [&](const Expr& formula, const std::string& what) -> Result<> {
    for (const std::string& name : formula.names())
      if (!contains(have, name))
        return fail_input(
            fmt::format("the size '{}' of {} follows neither from tensors nor from "
                        "arguments",
                        name, what));
    return {};
  };
  for (const task::ScalarSpec& scalar : d.definition.scalars) {
    if (is_real(scalar.dtype) || !is_argument(scalar.name) || as_argument.contains(scalar.name) ||
        contains(have, scalar.name))
      continue;
    KW_TRY(need(scalar.integer.expr, scalar.name));
    add(scalar.name, KW_TRY(plain(scalar.integer.expr)));
  }
  for (const task::TensorSpec& tensor : d.definition.tensors) {
    if (!is_argument(tensor.name)) continue;
    std::vector<std::string> sizes;
    for (const task::Formula& size : tensor.shape) {
      KW_TRY(need(size.expr, tensor.name));
      sizes.push_back(KW_TRY(plain(size.expr)));
    }
    shapes_[tensor.name] = "(" + join(sizes, ", ") + (sizes.size() == 1 ? ",)" : ")");
  }
  derive_ = text + "    return " + values_list() + "\n";
  char letter = 'a';
  for (const Parameter& p : task.signature) {
    if (p.is_tensor && p.role == TensorRole::Out)
      outs_.push_back(p.name);
    else if (p.is_tensor)
      arguments_.push_back(
          {p.name, p.role == TensorRole::InOut ? fmt::format("Tensor({}!)", letter++) : "Tensor"});
    else if (is_real(p.dtype))
      arguments_.push_back({p.name, "float"});
    else if (as_argument.contains(p.name))
      arguments_.push_back({p.name, "int"});
  }
  if (first_tensor().empty())
    return fail_input("the task reads no tensor, so a PyTorch operator would not know its device");
  return {};
}

std::string TorchSignature::schema() const {
  std::vector<std::string> parts;
  for (const Argument& a : arguments_) parts.push_back(a.type + " " + a.name);
  const std::vector<std::string> results(outs_.size(), "Tensor");
  const std::string what = outs_.size() == 1 ? "Tensor" : "(" + join(results, ", ") + ")";
  return "(" + join(parts, ", ") + ") -> " + what;
}

std::string TorchSignature::names() const {
  std::vector<std::string> parts;
  for (const Argument& a : arguments_) parts.push_back(a.name);
  return join(parts, ", ");
}

bool TorchSignature::takes(const std::string& name) const {
  return std::ranges::any_of(arguments_, [&](const Argument& a) { return a.name == name; });
}

bool TorchSignature::knows(const std::string& name) const {
  return takes(name) || contains(values_, name);
}

std::string TorchSignature::order_list() const {
  std::string text;
  for (const Argument& a : arguments_) text += "\"" + a.name + "\", ";
  return "[" + text + "]";
}

std::string TorchSignature::mutated_list() const {
  std::string text;
  for (const Argument& a : arguments_)
    if (a.type.starts_with("Tensor(")) text += "\"" + a.name + "\", ";
  return "[" + text + "]";
}

std::string TorchSignature::outs() const { return join(outs_, ", "); }

std::string TorchSignature::first_tensor() const {
  for (const Argument& a : arguments_)
    if (a.type.starts_with("Tensor")) return a.name;
  return {};
}

std::string TorchSignature::values_list() const {
  return values_.empty() ? "()" : "(" + join(values_, ", ") + ",)";
}

}  // namespace kw::deliver

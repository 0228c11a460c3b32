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

/// Refuses names of arguments, dims and lets that cannot be variables in Python.
Result<> refuse_reserved_names(const Delivery& d) {
  static const std::vector<std::string> kReserved{
      "and",    "as",       "assert", "async",  "await",  "def",   "del",    "elif",
      "except", "finally",  "from",   "global", "import", "in",    "is",     "lambda",
      "None",   "nonlocal", "not",    "or",     "pass",   "raise", "torch",  "ctypes",
      "try",    "with",     "yield",  "True",   "False",  "size",  "stream", "workspace"};
  const auto refuse = [&](std::string_view what, const std::string& name) -> Result<> {
    if (!contains(kReserved, name)) return {};
    return fail_input(
        ErrorCode::Unsupported, About{name},
        fmt::format(
            "{} of the task is called '{}', a name that the Python code of an operator cannot use",
            what, name));
  };
  for (const Parameter& p : d.task().signature) KW_TRY(refuse("an argument", p.name));
  for (const std::string& dim : d.definition.dims) KW_TRY(refuse("a dim", dim));
  for (const task::Let& let : d.definition.lets) KW_TRY(refuse("a let", let.name));
  return {};
}

/// Derives the sizes of the task from shapes of tensors and from arguments, and writes the Python
/// code that does so. Its steps are called in the order of their declaration.
class SizeSolver {
 public:
  explicit SizeSolver(const Delivery& delivery) : d_(delivery) {}

  /// Takes the equations that the tensors give, and writes the checks of what they are.
  Result<> read_tensors();
  Result<> derive_dims();
  Result<> check_shapes();
  Result<> derive_scalars();
  /// The sizes of each tensor as a tuple in Python, by the tensor's name.
  Result<std::map<std::string, std::string>> shapes() const;

  /// The code so far; the names that it derives, in order; and integers that no tensor's shape
  /// gives, which the operator takes as arguments.
  const std::string& text() const { return text_; }
  const std::vector<std::string>& values() const { return values_; }
  const std::set<std::string>& as_argument() const { return as_argument_; }

 private:
  bool is_argument(const std::string& name) const {
    return std::ranges::any_of(d_.task().signature,
                               [&](const Parameter& p) { return p.name == name; });
  }
  bool has(const std::string& name) const { return contains(have_, name); }
  void add(const std::string& name, const std::string& value);
  Result<> add_lets();
  Result<bool> solve(const std::vector<Equation>& equations);
  Result<bool> solve_pitches();
  Result<bool> solve_an_argument();
  Result<> need(const Expr& formula, const std::string& what) const;

  const Delivery& d_;
  std::vector<Equation> shapes_, pitches_;
  std::string text_;
  std::vector<std::string> have_;  ///< Names that have a value in Python.
  std::vector<std::string> values_;
  std::set<std::string> as_argument_;
};

Result<> SizeSolver::read_tensors() {
  std::string first;
  for (const task::TensorSpec& tensor : d_.definition.tensors) {
    if (!is_argument(tensor.name) || tensor.role == TensorRole::Out) continue;
    if (first.empty())
      first = tensor.name;
    else
      text_ += fmt::format("    _check({0}.device == {1}.device, \"{0} is where {1} is\")\n",
                           tensor.name, first);
    text_ += fmt::format("    _check({0}.dim() == {1}, \"{0} has {1} dimension{2}\")\n",
                         tensor.name, tensor.shape.size(), tensor.shape.size() == 1 ? "" : "s");
    text_ += fmt::format("    _check({0}.dtype == {1}, \"{0} is {1}\")\n", tensor.name,
                         torch_dtype(tensor.dtype));
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
      shapes_.push_back(
          {tensor.shape[i].expr, fmt::format("{}.shape[{}]", tensor.name, i),
           fmt::format("size {} of {} is {}", i, tensor.name, tensor.shape[i].expr.text())});
  }
  for (const task::TensorSpec& tensor : d_.definition.tensors)
    if (is_argument(tensor.name) && tensor.pitch && !tensor.shape.empty())
      pitches_.push_back({tensor.pitch->expr, "(" + KW_TRY(plain(tensor.shape.back().expr)) + ")",
                          "rows of " + tensor.name + " follow one another"});
  return {};
}

void SizeSolver::add(const std::string& name, const std::string& value) {
  text_ += fmt::format("    {} = {}\n", name, value);
  have_.push_back(name);
  values_.push_back(name);
}

/// Derives the lets whose formulas have only names that are known.
Result<> SizeSolver::add_lets() {
  for (const task::Let& let : d_.definition.lets)
    if (!has(let.name) &&
        std::ranges::all_of(let.value.expr.names(), [&](const auto& name) { return has(name); }))
      add(let.name, KW_TRY(plain(let.value.expr)));
  return {};
}

/// Derives the dims that the equations give. True if there was one.
Result<bool> SizeSolver::solve(const std::vector<Equation>& equations) {
  bool has_any = false;
  for (const Equation& e : equations) {
    const auto dim = solved_name(e.formula, have_);
    if (!dim || !contains(d_.definition.dims, *dim)) continue;
    add(*dim, e.formula.text() == *dim
                  ? e.text
                  : fmt::format("{} - ({})", e.text, KW_TRY(plain(e.formula, *dim))));
    KW_TRY(add_lets());
    has_any = true;
  }
  return has_any;
}

/// Solves the equations of pitches. One is used only once the length of the padded row is known.
Result<bool> SizeSolver::solve_pitches() {
  std::vector<Equation> ready;
  for (const Equation& e : pitches_)
    if (std::ranges::all_of(e.formula.names(), [&](const auto& name) {
          return has(name) || solved_name(e.formula, have_) == name;
        }))
      ready.push_back(e);
  return solve(ready);
}

/// Makes the first integer that gives another dim an argument of the operator. True if there is
/// one.
Result<bool> SizeSolver::solve_an_argument() {
  for (const task::ScalarSpec& scalar : d_.definition.scalars) {
    if (is_real(scalar.dtype) || !is_argument(scalar.name)) continue;
    const auto dim = solved_name(scalar.integer.expr, have_);
    if (!dim || !contains(d_.definition.dims, *dim)) continue;
    as_argument_.insert(scalar.name);
    if (*dim == scalar.name) {
      have_.push_back(*dim);  // the dim is an argument itself
    } else {
      have_.push_back(scalar.name);
      add(*dim, fmt::format("{} - ({})", scalar.name, KW_TRY(plain(scalar.integer.expr, *dim))));
    }
    KW_TRY(add_lets());
    return true;
  }
  return false;
}

Result<> SizeSolver::derive_dims() {
  KW_TRY(add_lets());
  for (bool has_grown = true; has_grown;) {
    has_grown = KW_TRY(solve(shapes_));
    if (!has_grown) has_grown = KW_TRY(solve_pitches());
    if (!has_grown) has_grown = KW_TRY(solve_an_argument());
  }
  return {};
}

Result<> SizeSolver::check_shapes() {
  for (const Equation& e : shapes_)
    text_ +=
        fmt::format("    _check({} == {}, \"{}\")\n", e.text, KW_TRY(plain(e.formula)), e.words);
  return {};
}

Result<> SizeSolver::need(const Expr& formula, const std::string& what) const {
  for (const std::string& name : formula.names())
    if (!has(name))
      return fail_input(ErrorCode::Missing, About{name},
                        fmt::format("the size '{}' of {} follows neither from tensors nor from "
                                    "arguments",
                                    name, what));
  return {};
}

Result<> SizeSolver::derive_scalars() {
  for (const task::ScalarSpec& scalar : d_.definition.scalars) {
    if (is_real(scalar.dtype) || !is_argument(scalar.name) || as_argument_.contains(scalar.name) ||
        has(scalar.name))
      continue;
    KW_TRY(need(scalar.integer.expr, scalar.name));
    add(scalar.name, KW_TRY(plain(scalar.integer.expr)));
  }
  return {};
}

Result<std::map<std::string, std::string>> SizeSolver::shapes() const {
  std::map<std::string, std::string> shapes;
  for (const task::TensorSpec& tensor : d_.definition.tensors) {
    if (!is_argument(tensor.name)) continue;
    std::vector<std::string> sizes;
    for (const task::Formula& size : tensor.shape) {
      KW_TRY(need(size.expr, tensor.name));
      sizes.push_back(KW_TRY(plain(size.expr)));
    }
    shapes[tensor.name] = "(" + join(sizes, ", ") + (sizes.size() == 1 ? ",)" : ")");
  }
  return shapes;
}

}  // namespace

std::string torch_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32:
      return "torch.float32";
    case Dtype::F64:
      return "torch.float64";
    case Dtype::F16:
      return "torch.float16";
    case Dtype::BF16:
      return "torch.bfloat16";
    case Dtype::Bool:
      return "torch.bool";
    default:
      return fmt::format("torch.{}int{}", row_of(dtype).numbers == Numbers::Unsigned ? "u" : "",
                         8 * size_of(dtype));
  }
}

Result<TorchSignature> TorchSignature::of(const Delivery& d) {
  TorchSignature s;
  KW_TRY(s.derive(d));
  return s;
}

Result<> TorchSignature::derive(const Delivery& d) {
  KW_TRY(refuse_reserved_names(d));
  SizeSolver solver(d);
  KW_TRY(solver.read_tensors());
  KW_TRY(solver.derive_dims());
  KW_TRY(solver.check_shapes());
  KW_TRY(solver.derive_scalars());
  shapes_ = KW_TRY(solver.shapes());
  values_ = solver.values();
  derive_ = solver.text() + "    return " + values_list() + "\n";
  list_arguments(d.task(), solver.as_argument());
  if (first_tensor().empty())
    return fail_input(ErrorCode::Unsupported, About{"device"},
                      "the task reads no tensor, so a PyTorch operator would not know its device");
  return {};
}

/// Lists what the operator takes and returns; `integers` are the integers that it takes.
void TorchSignature::list_arguments(const Task& task, const std::set<std::string>& integers) {
  char letter = 'a';
  for (const Parameter& p : task.signature) {
    if (p.is_tensor && p.role == TensorRole::Out)
      outs_.push_back(p.name);
    else if (p.is_tensor)
      arguments_.push_back(
          {p.name, p.role == TensorRole::InOut ? fmt::format("Tensor({}!)", letter++) : "Tensor"});
    else if (is_real(p.dtype))
      arguments_.push_back({p.name, "float"});
    else if (integers.contains(p.name))
      arguments_.push_back({p.name, "int"});
  }
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

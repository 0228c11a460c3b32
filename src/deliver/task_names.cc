// Derives dims from arguments, and writes the variables of a task's names.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/task_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "deliver/formula_text.h"

namespace kw::deliver {

using namespace kw::task;  // the names of a task

Result<> TaskNamesWriter::write() {
  for (const auto& [name, value] : names_.macros())
    names_.scope().numbers[name] = fmt::format("Int({}ll)", value);
  KW_TRY(write_dims());
  write_scalars();
  return write_tensors();
}

bool TaskNamesWriter::is_argument(std::string_view name) const {
  return std::ranges::find(d_.task().signature, name, &Parameter::name) !=
         d_.task().signature.end();
}

bool TaskNamesWriter::is_integer_argument(std::string_view name) const {
  return std::ranges::any_of(d_.task().signature, [&](const Parameter& p) {
    return p.name == name && !p.is_tensor && !is_real(p.dtype);
  });
}

void TaskNamesWriter::have(const std::string& name) {
  names_.scope().numbers[name] = "v_" + name;
  have_.push_back(name);
}

/// Writes C++ that gives every dim a value: the argument with the dim's name, or the solution of an
/// integer argument's formula for the dim.
Result<> TaskNamesWriter::write_dims() {
  for (const std::string& dim : d_.definition.dims)
    if (is_integer_argument(dim)) {
      out_.line(fmt::format("const Int v_{0} = a_{0};", dim));
      have(dim);
    }
  KW_TRY(write_ready_lets());
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const ScalarSpec& scalar : d_.definition.scalars) {
      if (is_real(scalar.dtype) || !is_integer_argument(scalar.name)) continue;
      const auto dim = solved_name(scalar.integer.expr, have_);
      if (!dim || !contains(d_.definition.dims, *dim)) continue;
      names_.scope().numbers[*dim] = "Int(0)";
      const std::string base = KW_TRY(names_.number(scalar.integer.expr));
      out_.line(fmt::format("const Int v_{0} = Int(a_{1}) - ({2});", *dim, scalar.name, base));
      have(*dim);
      KW_TRY(write_ready_lets());
      has_grown = true;
    }
  }
  for (const std::string& dim : d_.definition.dims)
    if (!contains(have_, dim))
      names_.refuse(dim, fmt::format("the dim '{}' is no argument of {}, and no argument's formula "
                                     "gives it",
                                     dim, d_.task().function));
  return {};
}

/// Writes the lets that follow from what has a variable.
Result<> TaskNamesWriter::write_ready_lets() {
  for (const Let& let : d_.definition.lets) {
    const bool is_ready = !contains(have_, let.name) &&
                          std::ranges::all_of(let.value.expr.names(), [&](const auto& name) {
                            return contains(have_, name);
                          });
    if (!is_ready) continue;
    out_.line(fmt::format("const Int v_{} = {};", let.name, KW_TRY(names_.number(let.value.expr))));
    have(let.name);
  }
  return {};
}

void TaskNamesWriter::write_scalars() {
  auto& numbers = names_.scope().numbers;
  for (const ScalarSpec& scalar : d_.definition.scalars) {
    const bool is_given = is_argument(scalar.name);
    if (is_real(scalar.dtype)) {
      // A real scalar that is not an argument is a constant, whose value the task gives.
      numbers[scalar.name] =
          is_given ? "a_" + scalar.name : fmt::format("double({:.17g})", scalar.real);
      continue;
    }
    const auto formula = names_.number(scalar.integer.expr);
    if (is_given && scalar.integer.expr.text() != scalar.name) {
      out_.line(fmt::format("const Int v_{0} = a_{0};", scalar.name));
      if (formula) out_.checked(fmt::format("k.same({0}, v_{1}, \"{1}\");", *formula, scalar.name));
    } else if (!is_given && formula && !numbers.contains(scalar.name)) {
      // The launch plan may pass an argument that the task's variant leaves out; the argument's
      // formula gives its value.
      out_.checked(fmt::format("const Int v_{} = {};", scalar.name, *formula));
    } else {
      continue;
    }
    numbers[scalar.name] = "v_" + scalar.name;
  }
}

Result<> TaskNamesWriter::write_tensors() {
  for (const TensorSpec& tensor : d_.definition.tensors) {
    if (!is_argument(tensor.name)) continue;
    std::vector<std::string> sizes;
    for (const Formula& size : tensor.shape) sizes.push_back(KW_TRY(names_.number(size.expr)));
    const std::string pitch = tensor.pitch           ? KW_TRY(names_.number(tensor.pitch->expr))
                              : tensor.shape.empty() ? "Int(1)"
                                                     : sizes.back();
    out_.checked(
        fmt::format("const Space s_{0} = k.tensor(\"{0}\", a_{0}, {1}, {2}, {3}, {{{4}}}, {5});",
                    tensor.name, size_of(tensor.dtype), tensor.alignment,
                    tensor.role != TensorRole::In, join(sizes, ", "), pitch));
    names_.declare(tensor.name, "s_" + tensor.name, std::string(kw::name_of(tensor.dtype)),
                   tensor.shape.size());
  }
  return {};
}

}  // namespace kw::deliver

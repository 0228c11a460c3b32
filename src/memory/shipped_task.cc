// Finds shipped tasks and their playbook by name among the data files.
// SPDX-License-Identifier: Apache-2.0
#include "memory/shipped_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "record/target.h"
#include "task/narrowed.h"

namespace kw::memory {

Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name) {
  const auto read = [&data](std::string_view task) -> Result<task::TaskFiles> {
    const std::string folder = fmt::format("tasks/{}", task);
    return task::TaskFiles{folder, data.under(folder)};
  };
  task::TaskFiles files = KW_TRY(read(name));
  KW_TRY(task::borrow(files, read));
  return files;
}

namespace {

/// Whether two lists of arguments have the same names, kinds and roles in the same order. Types
/// must be equal if `exact`; otherwise floating-point types may differ, as they do between variants
/// of a task.
bool are_alike(const std::vector<Parameter>& a, const std::vector<Parameter>& b, bool exact) {
  return std::ranges::equal(a, b, [exact](const Parameter& x, const Parameter& y) {
    const bool has_type = x.dtype == y.dtype || (!exact && is_real(x.dtype) && is_real(y.dtype));
    return x.name == y.name && x.is_tensor == y.is_tensor && x.role == y.role && has_type;
  });
}

/// The shipped task of this name; nothing where there is none or it cannot be read.
std::optional<task::Definition> shipped_definition(const DataFiles& data, const std::string& name) {
  const auto files = shipped_task(data, name);
  if (!files || files->texts.empty()) return std::nullopt;
  auto definition = task::parse_task(*files);
  if (!definition) return std::nullopt;
  return std::move(*definition);
}

/// Whether kernels written for the shipped task `name` have the interface of the task `definition`.
bool has_interface_of(const DataFiles& data, const task::Definition& definition,
                      const std::string& name) {
  const auto lender = shipped_definition(data, name);
  if (!lender) return true;  // a user's own playbook folder
  if (lender->task.function != definition.task.function) return false;
  if (name == definition.task.name)
    return lender->dims == definition.dims &&
           are_alike(lender->task.signature, definition.task.signature, true);
  const auto& wider = definition.narrowing.wider;
  const auto& called = wider.empty() ? definition.task.signature : wider;
  // The shipped task has the arguments from which this variant leaves some out, or is itself a
  // variant with the arguments that are left.
  return are_alike(lender->task.signature, called, false) ||
         are_alike(lender->task.signature, definition.task.signature, false);
}

}  // namespace

std::map<std::string, std::string> shipped_playbook(const DataFiles& data,
                                                    const task::Definition& definition) {
  std::vector<std::string> names{definition.task.name};
  names.insert(names.end(), definition.like.begin(), definition.like.end());
  std::map<std::string, std::string> kernels;
  for (const std::string& name : names) {
    auto files = data.under("playbook/" + name);
    if (!files.empty() && has_interface_of(data, definition, name)) kernels.merge(std::move(files));
  }
  for (auto& [file, source] : kernels)
    if (const auto target = target_of_file(file))
      source = task::with_overload(definition, source, *target);
  return kernels;
}

std::string why_playbook_left_out(const DataFiles& data, const task::Definition& definition) {
  const std::string& name = definition.task.name;
  if (data.under("playbook/" + name).empty() || has_interface_of(data, definition, name)) return {};
  return fmt::format(
      "the playbook's kernels for '{}' are left out: they are for the shipped task of this name, "
      "which has other parameters",
      name);
}

}  // namespace kw::memory

// Which symbols a kernel may import or define.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace kw::referee {

/// Why an import is refused, and what to write instead: "it <why>; <instead>".
struct Refusal {
  std::string_view why;
  std::string_view instead;
};

/// Judges a function or variable that the object takes from outside. There is a list of what a
/// kernel may use: memory, strings, mathematics, sorting, output, threads and what they wait on,
/// OpenMP and the C++ runtime (docs/verdicts.md). Nothing where the import is on the list.
/// `has_openblas`: the candidate may call OpenBLAS.
std::optional<Refusal> refused_import(std::string_view name, bool has_openblas);

/// True for names of system functions, which a kernel would define only to replace the system's
/// own.
bool is_system_name(std::string_view name);

}  // namespace kw::referee

// Which symbols a kernel may import or define.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "record/evidence_kind.h"

namespace kw::referee {

/// Judges a function or variable that the object takes from outside. There is a list of what a
/// kernel may use: memory, strings, mathematics, sorting, output, threads and what they wait on,
/// OpenMP and the C++ runtime (docs/verdicts.md). The reason, or nothing where it is on the list.
/// `has_openblas`: the candidate may call OpenBLAS.
std::optional<EvidenceKind> refused_import(std::string_view name, bool has_openblas);

/// True for names of system functions, which a kernel would define only to replace the system's
/// own.
bool is_system_name(std::string_view name);

}  // namespace kw::referee

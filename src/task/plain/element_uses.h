// Uses the one element of an array where a number stood.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "task/plain/edits.h"
#include "task/plain/site_reader.h"

namespace kw::task {

/// Adds edits that write `name[0]` for each use of the number `name`, which becomes a pointer to
/// it, and `name` for `&name`. Error: a use of which that would change the meaning, or that would
/// hide from a reader that the number changes; `declared` is the token of the declaration.
Result<> use_element(const SiteReader& reader, TokenRange code, const std::string& name,
                     std::size_t declared, TokenEdits& edits);

/// Whether the use is an argument that the function that is called may change.
bool is_passed_by_reference(const SiteReader& reader, TokenRange code, std::size_t use);

}  // namespace kw::task

// Files whose counts are in the workspace's graph: imported into it, or exported from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/run_store.h"

namespace kw::cli {

Result<bool> is_taken(const store::RunStore& store, Target target, const std::string& text);
Result<> note_taken(store::RunStore& store, Target target, const std::string& text);
/// For a graph that is made anew.
Result<> forget_taken(store::RunStore& store, Target target);

}  // namespace kw::cli

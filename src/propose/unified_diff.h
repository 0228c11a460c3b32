// Hunks of a unified diff, which some models send where edits are asked for, as edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "propose/edits.h"
#include "propose/markdown.h"

namespace kw::propose {

/// True of a block that its fence calls a diff, and of one that its fence calls C++ or nothing
/// where the lines are those of a diff.
bool is_diff(const Block& block);

/// Whether a diff begins at a line: a header of a hunk ("@@ -1,2 +1,3 @@") or the names of its
/// files.
bool begins_hunks(std::span<const std::string_view> lines, std::size_t at);

/// Whether a line may stand in a diff.
bool is_diff_line(std::string_view line);

/// The hunks of all `blocks` that are diffs, as edits that search for their context and what they
/// take away; of several such places the one that the hunk's header names. `reply` is what the
/// blocks were found in. Trouble: a line that no diff has, a hunk without any change, one that was
/// cut off.
Edits find_hunks(std::string_view reply, const std::vector<Block>& blocks, bool is_cut_off);

}  // namespace kw::propose

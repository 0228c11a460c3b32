// Converts hunks of a unified diff, which some models send where edits are requested, into edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "propose/edits.h"
#include "propose/markdown.h"

namespace kw::propose {

/// Whether a block is a diff: its fence says so, or its fence says C++ or nothing and its lines are
/// those of a diff.
bool is_diff(const Block& block);

/// Whether a diff begins at line `at`, with the header of a hunk ("@@ -1,2 +1,3 @@") or with the
/// names of its files.
bool begins_hunks(std::span<const std::string_view> lines, std::size_t at);

/// Whether a line may occur in a diff.
bool is_diff_line(std::string_view line);

/// Converts the hunks of all diffs among `blocks` into edits that search for the hunk's context and
/// removed lines; where these occur several times, the hunk's header decides. `reply` is the text
/// that holds the blocks. Trouble: a line that no diff has, a hunk without any change, or a hunk
/// that was cut off.
Edits find_hunks(std::string_view reply, const std::vector<Block>& blocks, bool is_cut_off);

}  // namespace kw::propose

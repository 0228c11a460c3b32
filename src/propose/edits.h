// Edits of a parent source as a model writes them: SEARCH/REPLACE blocks, and edits by line
// numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "propose/reply_fault.h"

namespace kw::propose {

/// One edit; docs/formats.md describes both notations.
struct Edit {
  enum class Kind {
    /// Replaces the lines that equal `search`; where these occur several times, the first ones from
    /// line `first` on.
    Search,
    Lines,   ///< Replaces lines `first` to `last`.
    Insert,  ///< Inserts after line `first`; 0: at the beginning.
  };
  Kind kind = Kind::Search;
  std::vector<std::string> search;
  std::vector<std::string> lines;
  std::size_t first = 0;  ///< Line of the parent, from 1; 0: unknown (Search only).
  std::size_t last = 0;
  std::size_t at_line = 0;  ///< Line of the reply, for error messages.
};

struct Edits {
  std::vector<Edit> edits;
  std::size_t begin = 0;  ///< Offset of the first edit in the reply, where the plan ends.
  ReplyFault fault{};     ///< Why the edits cannot be read; empty: they can.
};

/// Finds all edits of a reply, inside and outside fences. `is_cut_off` affects only the wording of
/// an error.
Edits find_edits(std::string_view reply, bool is_cut_off);

/// Applies the edits to the parent; all line numbers refer to the unchanged parent. The lines that
/// an edit searches for are compared exactly, then without trailing blanks, then without
/// indentation. The error says which edit does not apply and why, with the most similar lines of
/// the parent.
std::expected<std::string, ReplyFault> apply_edits(std::string_view parent,
                                                   const std::vector<Edit>& edits);

}  // namespace kw::propose

// Source code on a page: syntax colours line by line, and the difference between two sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/page_parts.h"

namespace kw::report {

/// The lines of a C++ or CUDA source as HTML: escape()d text with a <span> around each comment,
/// directive, keyword, type, literal and number. No <span> crosses a line, and lines are split as
/// by split_lines(). Sources are untrusted, and may contain any bytes. A line longer than
/// `most_bytes` is cut and ends with an ellipsis. Linear in the source.
std::vector<std::string> code_lines(std::string_view source, std::size_t most_bytes);

/// A whole source as template items with the variable `code`, one for each line.
PageList source_items(std::string_view source);

struct SourceDiff {
  PageList lines;     ///< Items with `mark` (add, del, same or skip) and `code`.
  std::string words;  ///< "3 lines added, 1 removed", or why `lines` is empty.
};

/// The lines in which two sources differ, with two lines of context around each change. Lines
/// beyond `most` are left out, and the last item says so.
SourceDiff source_diff(std::string_view before, std::string_view after, std::size_t most);

}  // namespace kw::report

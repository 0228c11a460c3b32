// Statements of a task's specification that bear on something.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::memory {

/// Whether some word of the text begins so, in any case.
bool mentions(std::string_view text, std::string_view beginning);

/// Up to the first full stop or the end of the line, at most `bytes`.
std::string first_sentence(std::string_view text, std::size_t bytes);

/// Of the bullets and paragraphs of a Markdown text the two that hold most of the keywords (as
/// beginnings of words, in any case; names of techniques count as well), in the text's order, one
/// line each and at most 400 bytes. Headings, code and tables are left out.
std::vector<std::string> statements_on(std::string_view spec,
                                       const std::vector<std::string_view>& keywords,
                                       const std::vector<std::string>& techniques);

}  // namespace kw::memory

// Finds statements of a task's specification about given keywords.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::memory {

/// Whether a word of the text begins with `beginning`, in any case.
bool mentions(std::string_view text, std::string_view beginning);

/// The text up to the first full stop or the end of the line, at most `bytes`.
std::string first_sentence(std::string_view text, std::size_t bytes);

/// The two bullets or paragraphs of a Markdown text with the most keywords (compared as beginnings
/// of words, in any case) and names of techniques. They keep the text's order and are one line of
/// at most 400 bytes each. Headings, code and tables are ignored.
std::vector<std::string> statements_on(std::string_view spec,
                                       const std::vector<std::string_view>& keywords,
                                       const std::vector<std::string>& techniques);

}  // namespace kw::memory

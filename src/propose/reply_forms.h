// Converts forms of replies that models write unasked into fenced blocks and SEARCH/REPLACE edits.
// docs/formats.md has the table of forms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kw::propose {

/// Whether a text looks like a whole candidate.
using IsSource = std::function<bool(std::string_view)>;

/// The reply without byte-order mark, invisible characters and carriage returns at the ends of
/// lines, with plain blanks instead of no-break ones, and with `<` for `&lt;` and the like. An
/// entity stays where its name is a word of the reply or of the parent (`&lt;` may be the address
/// of `lt`). A no-break blank stays where the parent has one, so that edits can quote it.
std::string in_plain_characters(std::string_view reply, std::string_view parent);

/// Removes the fences of blocks that only wrap other fenced code. The lines of these fences become
/// empty, so that line numbers do not change.
std::string without_outer_fences(std::string text, const IsSource& is_source);

/// Converts `*** Begin Patch` envelopes into fenced diffs, and the files that they add into fenced
/// blocks. Line numbers do not change. A text without an envelope is returned unchanged.
std::string with_patches_as_diffs(std::string_view text);

/// Puts the hunks of a diff that are outside of any fence into a fenced block.
std::string with_bare_diff_fenced(std::string_view text);

/// Code that was found in JSON or tags, converted to fenced code or edits.
struct Converted {
  std::string text;       ///< Fenced code or edits.
  std::size_t begin = 0;  ///< Offset of the code's container, where the plan ends.
  std::string form{};     ///< The container in words: "JSON", "the tag <code>".
  bool is_closed = true;  ///< False: the reply ended before the container did.
};

/// Code in a string of a JSON object, wherever the object is (a block, a tag, a tool call); also as
/// a list of lines, in JSON within a string, or as pairs of old and new text. The last source
/// counts.
std::optional<Converted> code_in_json(std::string_view text, const IsSource& is_source);

/// Code between tags such as <code>…</code>, or pairs of old and new text. The last source counts;
/// a tag that is never closed holds all that follows.
std::optional<Converted> code_in_tags(std::string_view text, const IsSource& is_source);

/// Whether the text of a fenced block is JSON or markup and thus not C++, whatever its info string
/// says.
bool is_data(std::string_view text);

}  // namespace kw::propose

// The little Markdown that prompts are made of: fenced blocks, and few empty lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

/// `text` between fences that are longer than any run of backticks in it; ends without a newline.
std::string fenced(std::string_view text, std::string_view info);

/// Words of a program or of another model, fenced, and with nothing hidden in them: a quotation,
/// from which no heading and no fence of theirs can step out. Empty stays empty.
std::string quotation(std::string_view text);

/// The same within a line: code between marks that are longer than any in it.
std::string as_code(std::string_view text);

/// A fenced block of a text.
struct Block {
  std::string info;       ///< First word behind the opening fence, in lower case.
  std::string text;       ///< With its newlines; an indentation of the fence is taken off.
  std::size_t begin = 0;  ///< Offset of the opening fence: of its line where it stands alone.
  std::size_t end = 0;    ///< Past the line of the closing fence.
  bool is_closed = true;  ///< False where the text ended first.
  std::string label{};    ///< All that stands behind the opening fence.
};

/// In order. A fence with an info string inside a block of equal length ends it and opens the next:
/// C++ has no such line, and forgotten closing fences are common. A fence may also open at the end
/// of a line of words ("Here it is: ```cuda"), close at the end of a line of code ("}```"), and
/// have words behind when it closes ("``` That is all."); `code` between marks within a line opens
/// and closes nothing.
std::vector<Block> find_blocks(std::string_view text);

/// Whether a block's info names C++ or a dialect, or is empty.
bool is_code_info(std::string_view info);

/// At most one empty line in a row outside fenced blocks, none at the ends but one final newline.
std::string tidied(std::string_view text);

}  // namespace kw::propose

// The part of Markdown that prompts and replies use: fenced blocks and inline code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

/// `text` as a fenced block, whose fences are longer than any run of backticks in `text`. Ends
/// without a newline.
std::string fenced(std::string_view text, std::string_view info);

/// Untrusted text as a fenced block without invisible characters, so that no heading and no fence
/// in the text can leave the block. An empty text stays empty.
std::string quotation(std::string_view text);

/// Untrusted text as inline code in one line, between more backticks than any run in it has.
std::string as_code(std::string_view text);

/// A fenced block in a text.
struct Block {
  std::string info;       ///< First word after the opening fence, in lower case.
  std::string text;       ///< Content, without the indentation of the fence.
  std::size_t begin = 0;  ///< Offset of the opening fence, or of its line if alone.
  std::size_t end = 0;    ///< Offset after the line of the closing fence.
  bool is_closed = true;  ///< False where the text ended first.
  std::string label{};    ///< All text after the marks of the opening fence.
};

/// The fenced blocks of a text, in order. A fence with an info string inside a block whose fence is
/// as long ends the block and opens the next: C++ has no such line, and models often forget a
/// closing fence. A fence may open at the end of a line of text ("Here it is: ```cuda"), close at
/// the end of a line of code ("}```"), and be followed by text when it closes ("``` That is all.").
/// Inline code neither opens nor closes a block.
std::vector<Block> find_blocks(std::string_view text);

/// Whether a block's info string is empty or names C++ or one of its dialects.
bool is_code_info(std::string_view info);

/// The text with at most one empty line in a row outside fenced blocks, no empty lines at its ends,
/// and one final newline.
std::string tidied(std::string_view text);

}  // namespace kw::propose

// Thinking that a model writes into its answer, as <think>…</think>, parted from the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::llm {

/// A reply without its thinking.
struct PartedReply {
  std::string text;      ///< The answer.
  std::string thinking;  ///< Blocks one after the other, without their tags.
  /// A block begins and never ends: the model was cut off while thinking. `text` is what stood
  /// before the block.
  bool is_open = false;
};

/// Parts thinking as servers without a reasoning parser and chat windows leave it: blocks between
/// tags named think, thinking, thought or reasoning, in any letter case and in angle or square
/// brackets, whose opening tag begins a line. A closing tag without an opening one ends a block
/// that the prompt's template had opened, unless the code stands before the tag and no fenced block
/// behind: then the tag stays in the text. A reply without such tags comes back as it is. Total and
/// pure.
PartedReply part_thinking(std::string_view reply);

/// What stands behind the last closing tag of a thinking block in `text`, and what before; the tag
/// is in neither. Without such a tag everything stands behind.
struct AroundTag {
  std::string_view before;
  std::string_view behind;
};
AroundTag around_last_closing_tag(std::string_view text);

}  // namespace kw::llm

// Separates thinking that a model writes into its answer, as <think>…</think>, from the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::llm {

/// A reply without its thinking.
struct PartedReply {
  std::string text;      ///< The answer.
  std::string thinking;  ///< Blocks one after the other, without their tags.
  /// Whether a block begins and never ends, because the model was cut off while thinking; `text` is
  /// then the text before the block.
  bool is_open = false;
};

/// Separates thinking that is left in a reply by chat windows and by servers without a reasoning
/// parser: blocks between tags named think, thinking, thought or reasoning, in any letter case and
/// in angle or square brackets, whose opening tag begins a line. A closing tag without an opening
/// one ends a block that the prompt's template had opened, unless a fenced block precedes the tag
/// and none follows: then the tag stays in the text. A reply without such tags is returned
/// unchanged. Total and pure.
PartedReply part_thinking(std::string_view reply);

/// The text after the last closing tag of a thinking block, and the text before it, both without
/// the tag. If there is no such tag, all of the text is `behind`.
struct AroundTag {
  std::string_view before;
  std::string_view behind;
};
AroundTag around_last_closing_tag(std::string_view text);

}  // namespace kw::llm

// Foreign text made safe to show on a terminal, in a prompt, on a page or in a log. sanitise() in
// text.h does so for texts of many lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kw {

/// One character of UTF-8: its code point and its length in bytes, which is 0 where the bytes are
/// no character (overlong forms and surrogates included).
struct Character {
  std::size_t bytes = 0;
  std::uint32_t code_point = 0;
};
Character character_at(std::string_view text, std::size_t at);

/// A code point as \x1b or \u202E, the way JSON and JavaScript write it, so that text inside a
/// string literal of these languages keeps its meaning.
std::string escape(std::uint32_t code_point);

/// Whether a code point shows nothing itself or changes how others are shown: controls except
/// newline and tab, bidirectional controls and default-ignorable code points of Unicode (zero
/// width, tags, variation selectors), line separators, and code points that are no characters.
bool is_hidden(std::uint32_t code_point);

/// sanitise() on one line: a newline is shown as \n, a tab as a blank.
std::string sanitise_line(std::string_view text, std::size_t limit = 1 << 16);

/// JSON text with every hidden character in its strings escaped, which keeps the value. Text that
/// is no valid JSON is made safe too: raw controls are escaped, and bytes that are no UTF-8 become
/// the text \xff.
std::string with_escapes(std::string json);

/// sanitise() for a stream that comes in pieces, without a limit on the length. An incomplete UTF-8
/// sequence or a carriage return at the end of a piece waits for the next piece.
class ShownStream {
 public:
  std::string show(std::string_view piece);
  /// Returns the bytes that still wait for the rest of a character; call once at the end.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace kw

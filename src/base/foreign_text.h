// Foreign text on its way to an eye: a terminal, a prompt, a page, a log. See also sanitise() in
// text.h, which is for texts of many lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kw {

/// One character of UTF-8: its bytes, or 0 where there is none (overlong forms, surrogates), and
/// its code point.
struct Character {
  std::size_t bytes = 0;
  std::uint32_t code_point = 0;
};
Character character_at(std::string_view text, std::size_t at);

/// \x1b, \u202E: a code point as JSON and JavaScript write it, so that text in a string of theirs
/// keeps its meaning.
std::string escape(std::uint32_t code_point);

/// Code points that show nothing of themselves or change how others are shown: controls but for
/// newline and tab, what Unicode calls bidirectional controls or default ignorable (zero width,
/// tags, variation selectors), separators of lines, and those that are no characters.
bool is_hidden(std::uint32_t code_point);

/// sanitise() on one line: a newline is shown as \n, a tab as a blank.
std::string sanitise_line(std::string_view text, std::size_t limit = 1 << 16);

/// A text of JSON with every hidden character of its strings escaped: the same value. What makes it
/// no JSON goes the same way: raw controls are escaped, bytes that are no UTF-8 become \xff in
/// words.
std::string with_escapes(std::string json);

/// sanitise() of a stream that comes in pieces, without a limit: for what is printed. A sequence of
/// UTF-8 or a carriage return that a piece ends in waits for the next.
class ShownStream {
 public:
  std::string show(std::string_view piece);
  /// What still waits; call at the end.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace kw

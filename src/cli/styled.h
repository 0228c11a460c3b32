// Lines for a terminal: spans of text in tones, cut or folded to a width. Pure; the terminal itself
// is looked at in one function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/shown_output.h"

namespace kw::cli {

enum class Tone { Plain, Dim, Strong, Good, Bad, Attention };

struct Span {
  std::string text;  ///< Foreign text is sanitised where it is shown.
  Tone tone = Tone::Plain;
};
using Spans = std::vector<Span>;

/// How lines are to look.
struct Look {
  std::size_t columns = 0;  ///< Most of a line; 0: any number.
  bool has_colour = false;
  bool is_ascii = false;
};

/// Of standard error or standard output as it is now. A terminal's last column stays free: a cursor
/// behind it may be on the next line already. Colour: on a terminal that knows more than plain
/// lines, unless NO_COLOR is set. No terminal: any number of columns, no colour.
Look look_of(int descriptor);

/// True of a terminal that can go back to the start of a line and clear it.
bool can_rewrite(int descriptor);

/// One line; what does not fit is cut, and an ellipsis says so.
OwnLine cut(const Spans& spans, const Look& look);

/// As many lines as it takes, broken between words, and within a word only where that is longer
/// than a line; each but the first begins with `indent` blanks.
std::vector<OwnLine> fold(const Spans& spans, std::size_t indent, const Look& look);

/// A text for people whose lines are folded where they are too long, as they are indented and four
/// more; a word that is longer than a line, such as a path, stays whole.
std::string folded(const std::string& text, const Look& look);

/// What is waited for, "waiting: cpu is in use by kw judge a.cpp", in a line that has no room for
/// all of it: "cpu busy: kw judge a.cpp".
std::string short_wait(const std::string& words, const Look& look);

/// "41 s", "3m05s", "1h02m".
std::string clock_text(double seconds);

}  // namespace kw::cli

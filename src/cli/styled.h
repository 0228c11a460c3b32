// Lines for a terminal: spans of text in tones, cut or folded to a width. Without side effects;
// only look_of() and can_rewrite() query the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/shown_output.h"

namespace kw::cli {

enum class Tone { Plain, Dim, Strong, Good, Bad, Attention };

struct Span {
  std::string text;  ///< May be untrusted text, which is sanitised when it is shown.
  Tone tone = Tone::Plain;
};
using Spans = std::vector<Span>;

/// The width and colours with which lines are formatted.
struct Look {
  std::size_t columns = 0;  ///< The most columns of a line; 0: no limit.
  bool has_colour = false;
  bool is_ascii = false;
};

/// The look of standard error or standard output now. A terminal's last column is not used, because
/// the cursor behind it may be on the next line already. Colour is used on a terminal that supports
/// it, unless NO_COLOR is set. If the descriptor is no terminal, lines have no limit and no colour.
Look look_of(int descriptor);

/// Whether the terminal can return to the start of a line and clear the line.
bool can_rewrite(int descriptor);

/// Formats text as one line; an ellipsis replaces the part that does not fit.
OwnLine cut(const Spans& spans, const Look& look);

/// Formats text as several lines if needed, broken between words, and within a word only if the
/// word is longer than a line. Every line but the first begins with `indent` blanks.
std::vector<OwnLine> fold(const Spans& spans, std::size_t indent, const Look& look);

/// Text for people in which lines that are too long are folded; continued lines are indented by
/// four more blanks than the line. A word that is longer than a line, such as a path, stays whole.
std::string folded(const std::string& text, const Look& look);

/// Shortens a message about waiting if it does not fit the line: "waiting: cpu is in use by kw
/// judge a.cpp" becomes "cpu busy: kw judge a.cpp".
std::string short_wait(const std::string& words, const Look& look);

/// A duration for people: "41 s", "3m05s", "1h02m".
std::string clock_text(double seconds);

}  // namespace kw::cli

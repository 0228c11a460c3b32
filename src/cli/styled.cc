// Cuts and folds lines by columns, and adds colours.
// SPDX-License-Identifier: Apache-2.0
#include "cli/styled.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/foreign_text.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/errors.h"

namespace kw::cli {
namespace {

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::Dim:
      return "\033[2m";
    case Tone::Strong:
      return "\033[1m";
    case Tone::Good:
      return "\033[32m";
    case Tone::Bad:
      return "\033[31m";
    case Tone::Attention:
      return "\033[33m";
    case Tone::Plain:
      break;
  }
  return {};
}

constexpr std::string_view kNormal = "\033[m";

/// Most bytes of one span on a terminal; a longer text would fill the screen.
constexpr std::size_t kMostBytes = 4000;

std::string shown(const Span& span, const Look& look) {
  const std::string text =
      look.columns == 0 ? sanitise_line(span.text) : sanitise_line(span.text, kMostBytes);
  return look.is_ascii ? in_ascii(text) : text;
}

/// Builds one line from pieces of text in tones.
class Builder {
 public:
  explicit Builder(const Look& look) : look_(look) {}
  void add(std::string_view text, Tone tone) {
    if (text.empty()) return;
    turn_to(look_.has_colour ? tone : Tone::Plain);
    line_.bytes += text;
    line_.columns += columns_of(text);
  }
  std::size_t columns() const { return line_.columns; }
  /// Returns the finished line without trailing blanks.
  OwnLine take() {
    const bool has_tone = tone_ != Tone::Plain;
    while (line_.bytes.ends_with(' ')) {
      line_.bytes.pop_back();
      --line_.columns;
    }
    if (has_tone) line_.bytes += kNormal;
    tone_ = Tone::Plain;
    return std::exchange(line_, {});
  }

 private:
  void turn_to(Tone tone) {
    if (tone == tone_) return;
    if (tone_ != Tone::Plain) line_.bytes += kNormal;
    line_.bytes += escape_of(tone);
    tone_ = tone;
  }

  Look look_;
  OwnLine line_;
  Tone tone_ = Tone::Plain;
};

/// Splits a line into words and the blanks between them. The line may be broken between these
/// pieces.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const bool is_blank = text.front() == ' ';
    std::size_t end = is_blank ? text.find_first_not_of(' ') : text.find(' ');
    end = std::min(end, text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

/// The fewest columns for which lines are formatted; in a narrower pane no text is readable.
constexpr std::size_t kLeastColumns = 8;

}  // namespace

Look look_of(int descriptor) {
  Look look;
  if (::isatty(descriptor) == 0) return look;
  constexpr std::size_t kUsual = 80;  // for a terminal that does not report its width
  winsize size{};
  const bool is_told = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  look.columns = std::max<std::size_t>(is_told ? size.ws_col : kUsual, kLeastColumns + 1) - 1;
  const char* no_colour = std::getenv("NO_COLOR");
  look.has_colour = can_rewrite(descriptor) && (no_colour == nullptr || *no_colour == '\0');
  look.is_ascii = !is_utf8_locale();
  return look;
}

bool can_rewrite(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind != nullptr && *kind != '\0' &&
         std::string_view(kind) != "dumb";
}

OwnLine cut(const Spans& spans, const Look& look) {
  std::size_t all = 0;
  for (const Span& span : spans) all += columns_of(shown(span, look));
  const bool is_cut = look.columns > 0 && all > look.columns;
  const std::string_view mark = look.is_ascii ? "..." : "…";
  const std::size_t room =
      is_cut ? look.columns - std::min(look.columns, columns_of(mark)) : std::string::npos;
  Builder line(look);
  for (const Span& span : spans) {
    const std::string text = shown(span, look);
    const std::string_view fitting = is_cut ? first_columns(text, room - line.columns()) : text;
    line.add(fitting, span.tone);
    if (fitting.size() < text.size()) break;
  }
  if (is_cut) line.add(first_columns(mark, look.columns), Tone::Dim);
  return line.take();
}

std::vector<OwnLine> fold(const Spans& spans, std::size_t indent, const Look& look) {
  const std::size_t most = look.columns == 0 ? std::string::npos : look.columns;
  // Indentation takes at most a third of the columns, so that text remains readable in a narrow
  // pane.
  indent = std::min(indent, most / 3);
  std::vector<OwnLine> lines;
  Builder line(look);
  bool is_fresh = false;  // the line has only its indentation so far
  const auto next = [&] {
    lines.push_back(line.take());
    line.add(std::string(indent, ' '), Tone::Plain);
    is_fresh = true;
  };
  for (const Span& span : spans) {
    const std::string text = shown(span, look);
    for (std::string_view piece : pieces_of(text)) {
      const bool is_blank = piece.front() == ' ';
      if (is_blank && (is_fresh || line.columns() + piece.size() >= most)) continue;
      if (!is_blank && !is_fresh && line.columns() > 0 && line.columns() + columns_of(piece) > most)
        next();
      while (line.columns() + columns_of(piece) > most) {
        const std::string_view fitting = first_columns(piece, most - line.columns());
        if (fitting.empty()) break;
        line.add(fitting, span.tone);
        piece.remove_prefix(fitting.size());
        next();
      }
      line.add(piece, span.tone);
      if (!piece.empty()) is_fresh = false;
    }
  }
  lines.push_back(line.take());
  return lines;
}

std::string folded(const std::string& text, const Look& look) {
  if (look.columns == 0) return text;
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    if (columns_of(line) <= look.columns) {
      out += std::string(line) + "\n";
      continue;
    }
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(begin + 4, look.columns / 3), ' ');
    std::string now(line.substr(0, begin));
    std::size_t columns = begin;
    bool is_fresh = true;
    for (const std::string_view piece : pieces_of(line.substr(begin))) {
      const bool is_blank = piece.front() == ' ';
      if (!is_fresh && columns + columns_of(piece) > look.columns) {
        out += now.substr(0, now.find_last_not_of(' ') + 1) + "\n";
        // A long path is moved to a line of its own, with less indentation if it would not fit
        // otherwise.
        const std::size_t room = look.columns - std::min(look.columns, columns_of(piece));
        now = indent.substr(0, room);
        columns = now.size();
        is_fresh = true;
      }
      if (is_blank && is_fresh) continue;
      now += piece;
      columns += columns_of(piece);
      is_fresh = false;
    }
    out += now.substr(0, now.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string short_wait(const std::string& words, const Look& look) {
  constexpr std::size_t kRoomy = 60;
  constexpr std::string_view kWaiting = "waiting: ";
  constexpr std::string_view kInUse = " is in use by ";
  const std::size_t at = words.find(kInUse);
  if (look.columns == 0 || look.columns >= kRoomy || at == std::string::npos ||
      !words.starts_with(kWaiting))
    return words;
  return words.substr(kWaiting.size(), at - kWaiting.size()) +
         " busy: " + words.substr(at + kInUse.size());
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 6000) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

}  // namespace kw::cli

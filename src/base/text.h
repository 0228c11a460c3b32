// Small text tools: trimming and splitting, nearest names, places in foreign text, carets, figures
// for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw {

/// The text without blanks at its ends: always a view into `text`, also where it is empty.
std::string_view trim(std::string_view text);

/// Parts between separators, untrimmed; `split("", ',')` is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Lines without their ends ("\n" or "\r\n"); a final newline adds no empty line.
std::vector<std::string_view> split_lines(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);

/// A sanitised field of a CSV line: quoted where it holds a comma, a quote or a newline (RFC 4180);
/// a text that a spreadsheet would take for a formula begins with an apostrophe.
std::string csv_field(std::string_view text);

/// True for a C identifier that is no keyword of C or C++ and not reserved for the implementation.
bool is_usable_identifier(std::string_view name);

/// Number of edits (insert, delete, replace, swap of neighbours) that turn one text into the other;
/// letter case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `name` was probably meant to be: one with at most a third of the letters
/// wrong (at least one may be), else the only one that begins with `name`, if `name` has three
/// letters or more.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);

/// The end of a message, " (did you mean 'x'?)"; empty where no candidate is near.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// A place in a text. Line and column count from 1; columns are code points, as in editors.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  bool operator==(const Position&) const = default;
};

/// Place of a byte offset; offsets past the end mean the end.
Position position_of(std::string_view text, std::size_t offset);

/// Byte offset of a place; a column past the end of its line means the end of that line.
std::size_t offset_of(std::string_view text, Position position);

/// The line at `offset` with its number, a caret below, and the message; foreign bytes are
/// sanitised and a long line is cut around the caret.
std::string render_frame(std::string_view text, std::size_t offset, std::string_view message);
/// As render_frame(), at a line from 1 and a column in bytes from 1 (0: the line's start); empty if
/// the text has no such line.
std::string render_line(std::string_view text, std::size_t line, std::string_view message,
                        std::size_t column = 0);

/// Foreign text made safe to show on a terminal, in a prompt, on a page or in a log. Controls
/// except newline and tab become \x1b, hidden and bidirectional characters \u202E (is_hidden() of
/// foreign_text.h), bytes that are no UTF-8 \xff; a carriage return before a newline is dropped. At
/// most `limit` bytes, with an ellipsis where the text was cut.
std::string sanitise(std::string_view text, std::size_t limit = 1 << 16);

/// The text with N in place of each number that stands alone, so that messages that differ only in
/// numbers compare equal.
std::string without_numbers(std::string_view text);

/// Engineering notation with three digits: (0.00235, "s") is "2.35 ms", (4.12e10, "B/s") is "41.2
/// GB/s".
std::string format_si(double value, std::string_view unit);

/// A duration for people: 1234567 is "1.23 ms".
std::string format_ns(double nanoseconds);

/// A size for people, in powers of 1024: 1536 is "1.5 KiB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace kw

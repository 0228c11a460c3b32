// Finds edits in a reply, and applies them to the parent.
// SPDX-License-Identifier: Apache-2.0
#include "propose/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <span>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/letter_case.h"
#include "base/text.h"

namespace kw::propose {
namespace {

constexpr std::size_t kMostEdits = 200;
constexpr std::size_t kShortestMark = 5;
constexpr std::size_t kLongestMark = 12;
constexpr std::size_t kShownLines = 6;        // lines of the parent that evidence shows
constexpr std::size_t kComparedLines = 4000;  // lines of the parent that are compared
constexpr std::size_t kComparedBytes = 80;    // bytes of a line that are compared

using Lines = std::vector<std::string_view>;

/// Words that follow the opening marks of an edit (kOpening) and the "+++++++" at its end
/// (kEnding), in the notations that models use.
constexpr auto kOpening =
    std::to_array<std::string_view>({"SEARCH", "ORIGINAL", "OLD", "BEFORE", "FIND", "HEAD"});
constexpr auto kEnding =
    std::to_array<std::string_view>({"REPLACE", "UPDATED", "MODIFIED", "NEW", "AFTER"});

/// The text after a run of the character `mark` at the start of the line; nothing where the line
/// has no such run, or one that is too short or too long.
std::optional<std::string_view> behind_marks(std::string_view line, char mark) {
  line = trim(line);
  const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
  if (length < kShortestMark || length > kLongestMark) return std::nullopt;
  return trim(line.substr(length));
}

/// Whether `text` begins with one of `words`, in any letter case; other text, such as a file name,
/// may follow.
bool has_word(std::string_view text, std::span<const std::string_view> words) {
  const std::size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return contains(words, upper_case(text.substr(0, end)));
}

/// Whether the line opens an edit, as "<<<<<<< SEARCH", "<<<<<<< ORIGINAL", "------- SEARCH" and
/// "<<<<<<< SEARCH kernel.cpp" do.
bool opens_edit(std::string_view line) {
  for (const char mark : {'<', '-'})
    if (const auto word = behind_marks(line, mark)) return has_word(*word, kOpening);
  return false;
}

/// Whether the line separates the two texts of an edit: "=======".
bool divides_edit(std::string_view line) {
  const auto word = behind_marks(line, '=');
  return word && (word->empty() || *word == ":");
}

/// Whether the line ends an edit: ">>>>>>> REPLACE", ">>>>>>> UPDATED", "+++++++ REPLACE". Any text
/// may follow ">>>>>>>", as the name of a branch does in a merge conflict.
bool ends_edit(std::string_view line) {
  if (behind_marks(line, '>')) return true;
  const auto word = behind_marks(line, '+');
  return word && has_word(*word, kEnding);
}

/// Whether the line has the opening marks of an edit, followed by no word or an unknown one.
bool opens_unknown_edit(std::string_view line) {
  constexpr std::string_view kMarks = "<<<<<<<";
  const auto word = behind_marks(line, '<');
  return word && trim(line).starts_with(kMarks) && !has_word(*word, kOpening);
}

std::optional<std::size_t> number_in(std::string_view& text) {
  text = trim(text);
  std::size_t value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Reads the header of an edit by line numbers: "@@ 12-18" or "@@ 12" replaces lines, "@@ 12+"
/// inserts after line 12.
std::optional<Edit> line_edit_of(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("@@")) return std::nullopt;
  line.remove_prefix(2);
  Edit edit;
  edit.kind = Edit::Kind::Lines;
  const auto first = number_in(line);
  if (!first) return std::nullopt;
  edit.first = edit.last = *first;
  line = trim(line);
  if (line.starts_with('-')) {
    line.remove_prefix(1);
    const auto last = number_in(line);
    if (!last) return std::nullopt;
    edit.last = *last;
  } else if (line.starts_with('+')) {
    line.remove_prefix(1);
    edit.kind = Edit::Kind::Insert;
  }
  line = trim(line);
  if (!line.empty() && line != "@@") return std::nullopt;
  return edit;
}

bool is_fence_line(std::string_view line) {
  line = trim(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

class EditReader {
 public:
  EditReader(std::string_view reply, bool is_cut_off)
      : reply_(reply), lines_(split_lines(reply)), is_cut_off_(is_cut_off) {}

  Edits run() {
    while (at_ < lines_.size() && found_.fault.is_empty() && found_.edits.size() < kMostEdits) {
      if (opens_edit(lines_[at_]))
        read_search();
      else if (opens_unknown_edit(lines_[at_]))
        found_.fault = {ReplyTrouble::UnknownNotation,
                        fmt::format("line {}: {}", at_ + 1, sanitise_line(trim(lines_[at_]), 60)),
                        fmt::format("line {} of the reply, '{}', begins an edit in a notation that "
                                    "is not known: write <<<<<<< SEARCH",
                                    at_ + 1, sanitise_line(trim(lines_[at_]), 60))};
      else if (auto edit = line_edit_of(lines_[at_]))
        read_lines(std::move(*edit));
      else
        ++at_;
    }
    return std::move(found_);
  }

 private:
  void note_begin() {
    if (found_.edits.empty())
      found_.begin = static_cast<std::size_t>(lines_[at_].data() - reply_.data());
  }

  /// Takes the lines up to the next line for which `is_mark` holds, and moves past that line;
  /// nothing where another edit or the end of the reply comes first.
  std::optional<std::vector<std::string>> lines_until(bool (*is_mark)(std::string_view)) {
    std::vector<std::string> lines;
    for (; at_ < lines_.size(); ++at_) {
      if (is_mark(lines_[at_])) return ++at_, lines;
      if (opens_edit(lines_[at_])) return std::nullopt;
      lines.emplace_back(lines_[at_]);
    }
    return std::nullopt;
  }

  void read_search() {
    note_begin();
    Edit edit;
    edit.at_line = at_ + 1;
    ++at_;
    auto search = lines_until(divides_edit);
    if (!search) return complain(edit, "=======", "line of ======= between its two texts");
    auto lines = lines_until(ends_edit);
    if (!lines) return complain(edit, ">>>>>>> REPLACE", "closing line >>>>>>> REPLACE");
    edit.search = std::move(*search);
    edit.lines = std::move(*lines);
    found_.edits.push_back(std::move(edit));
  }

  void complain(const Edit& edit, std::string_view mark, std::string_view what) {
    found_.fault = {is_cut_off_ ? ReplyTrouble::CutOff : ReplyTrouble::UnclosedEdit,
                    fmt::format("line {}: {}", edit.at_line, mark),
                    fmt::format("the SEARCH block in line {} of the reply has no {}{}",
                                edit.at_line, what, is_cut_off_ ? ": the reply was cut off" : "")};
  }

  void read_lines(Edit edit) {
    note_begin();
    edit.at_line = at_ + 1;
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string_view line = lines_[at_];
      if (line_edit_of(line) || is_fence_line(line) || opens_edit(line)) break;
      edit.lines.emplace_back(line);
    }
    found_.edits.push_back(std::move(edit));
  }

  std::string_view reply_;
  Lines lines_;
  bool is_cut_off_;
  std::size_t at_ = 0;
  Edits found_;
};

/// An edit with the lines [from, to) of the parent that it replaces.
struct Placed {
  std::size_t from = 0;
  std::size_t to = 0;
  const Edit* edit = nullptr;
};

using Same = bool (*)(std::string_view, std::string_view);

bool is_same(std::string_view a, std::string_view b) { return a == b; }
bool is_same_without_tail(std::string_view a, std::string_view b) {
  return a.substr(0, a.find_last_not_of(" \t") + 1) == b.substr(0, b.find_last_not_of(" \t") + 1);
}
bool is_same_without_indent(std::string_view a, std::string_view b) { return trim(a) == trim(b); }

std::vector<std::size_t> places_of(const Lines& parent, const std::vector<std::string>& search,
                                   Same same) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i + search.size() <= parent.size(); ++i)
    if (std::equal(search.begin(), search.end(), parent.begin() + static_cast<std::ptrdiff_t>(i),
                   same))
      found.push_back(i);
  return found;
}

std::string numbered(const Lines& parent, std::size_t from, std::size_t count) {
  std::string text;
  for (std::size_t i = from; i < std::min(from + count, parent.size()); ++i)
    text += fmt::format("\n{:>5} | {}", i + 1, sanitise(parent[i], 160));
  return text;
}

/// A message that shows the parent's lines around the line that is most like the longest line of
/// `search`.
std::string nearest_lines(const Lines& parent, const std::vector<std::string>& search) {
  std::size_t anchor = 0;
  for (std::size_t i = 0; i < search.size(); ++i)
    if (trim(search[i]).size() > trim(search[anchor]).size()) anchor = i;
  const std::string_view wanted = trim(search[anchor]).substr(0, kComparedBytes);
  std::size_t best = 0, best_distance = std::string::npos;
  for (std::size_t i = 0; i < std::min(parent.size(), kComparedLines); ++i) {
    const std::size_t distance = edit_distance(wanted, trim(parent[i]).substr(0, kComparedBytes));
    if (distance < best_distance) best = i, best_distance = distance;
  }
  if (best_distance * 2 > wanted.size()) return "no line of the parent is like it";
  const std::size_t from = best - std::min(best, anchor);
  return "the nearest lines of the parent are" +
         numbered(parent, from, std::min(search.size(), kShownLines));
}

std::string quoted(const std::vector<std::string>& search) {
  for (const std::string& line : search)
    if (!trim(line).empty()) return "'" + sanitise(trim(line), 80) + "'";
  return "(empty lines)";
}

std::expected<Placed, ReplyFault> place_search(const Lines& parent, const Edit& edit) {
  const bool is_empty =
      std::ranges::all_of(edit.search, [](const std::string& line) { return trim(line).empty(); });
  if (is_empty)
    return std::unexpected(ReplyFault{
        ReplyTrouble::EmptySearch, fmt::format("line {}", edit.at_line),
        fmt::format(
            "the edit in line {} of the reply searches for nothing; quote the lines it replaces",
            edit.at_line)});
  for (const Same same : {is_same, is_same_without_tail, is_same_without_indent}) {
    const auto places = places_of(parent, edit.search, same);
    if (places.size() == 1) return Placed{places[0], places[0] + edit.search.size(), &edit};
    if (edit.first > 0 && std::ranges::find(places, edit.first - 1) != places.end())
      return Placed{edit.first - 1, edit.first - 1 + edit.search.size(), &edit};
    if (places.size() > 1)
      return std::unexpected(ReplyFault{
          ReplyTrouble::Ambiguous, quoted(edit.search),
          fmt::format(
              "the SEARCH text {} occurs {} times in the parent, first in lines {} and {}: quote "
              "more lines around it",
              quoted(edit.search), places.size(), places[0] + 1, places[1] + 1)});
  }
  return std::unexpected(
      ReplyFault{ReplyTrouble::NotInParent, quoted(edit.search),
                 fmt::format("the SEARCH text {} is not in the parent; {}", quoted(edit.search),
                             nearest_lines(parent, edit.search))});
}

std::expected<Placed, ReplyFault> place_lines(const Lines& parent, const Edit& edit) {
  const bool is_insertion = edit.kind == Edit::Kind::Insert;
  if (is_insertion && edit.first <= parent.size()) return Placed{edit.first, edit.first, &edit};
  if (!is_insertion && edit.first >= 1 && edit.first <= edit.last && edit.last <= parent.size())
    return Placed{edit.first - 1, edit.last, &edit};
  return std::unexpected(ReplyFault{
      ReplyTrouble::OutsideParent, fmt::format("{}-{} of {}", edit.first, edit.last, parent.size()),
      fmt::format("the edit in line {} of the reply names lines {}-{}; the parent has lines 1-{}",
                  edit.at_line, edit.first, edit.last, parent.size())});
}

}  // namespace

Edits find_edits(std::string_view reply, bool is_cut_off) {
  return EditReader(reply, is_cut_off).run();
}

std::expected<std::string, ReplyFault> apply_edits(std::string_view parent,
                                                   const std::vector<Edit>& edits) {
  const Lines lines = split_lines(parent);
  std::vector<Placed> placed;
  for (const Edit& edit : edits) {
    auto place =
        edit.kind == Edit::Kind::Search ? place_search(lines, edit) : place_lines(lines, edit);
    if (!place) return std::unexpected(std::move(place.error()));
    placed.push_back(*place);
  }
  std::ranges::stable_sort(placed, {}, &Placed::from);
  for (std::size_t i = 1; i < placed.size(); ++i)
    if (placed[i].from < placed[i - 1].to)
      return std::unexpected(ReplyFault{
          ReplyTrouble::Overlap, fmt::format("line {}", placed[i].from + 1),
          fmt::format("the edits in lines {} and {} of the reply overlap: both "
                      "change line {} of the parent",
                      placed[i - 1].edit->at_line, placed[i].edit->at_line, placed[i].from + 1)});
  std::vector<std::string> result(lines.begin(), lines.end());
  for (const Placed& place : std::span(placed) | std::views::reverse) {
    const auto from = result.begin() + static_cast<std::ptrdiff_t>(place.from);
    const auto to = result.begin() + static_cast<std::ptrdiff_t>(place.to);
    const auto behind = result.erase(from, to);
    result.insert(behind, place.edit->lines.begin(), place.edit->lines.end());
  }
  std::string text;
  for (const std::string& line : result) text += line + "\n";
  return text;
}

}  // namespace kw::propose

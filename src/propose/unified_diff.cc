// Converts the lines of a unified diff into edits.
// SPDX-License-Identifier: Apache-2.0
#include "propose/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/contains.h"
#include "base/text.h"

namespace kw::propose {
namespace {

constexpr auto kDiffInfos = std::to_array<std::string_view>({"diff", "patch", "udiff"});
constexpr std::size_t kMostHunks = 200;

/// Whether the line is the header of a hunk, "@@ -12,5 +12,6 @@" or "@@ -12 +12 @@"; edits by line
/// numbers ("@@ 12-18") are not.
bool is_hunk_header(std::string_view line) {
  if (!line.starts_with("@@")) return false;
  line = trim(line.substr(2));
  return line.size() > 1 && line[0] == '-' && line[1] >= '0' && line[1] <= '9';
}

/// Whether all lines begin with a blank, + or -, and at least one is added or removed. No C++ file
/// looks like this, so the text is a diff.
bool is_all_marked(std::span<const std::string_view> lines) {
  bool has_change = false;
  for (const std::string_view line : lines) {
    if (trim(line).empty()) continue;
    if (line[0] != ' ' && line[0] != '+' && line[0] != '-') return false;
    has_change = has_change || line[0] != ' ';
  }
  return has_change;
}

bool has_lines_of_diff(std::string_view text) {
  const auto lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (begins_hunks(lines, i)) return true;
  return is_all_marked(lines);
}

/// The parent's line at which a hunk with a header such as "@@ -12,5 +12,6 @@" begins; 0: the
/// header names none.
std::size_t first_line_of(std::string_view header) {
  const std::size_t minus = header.find('-');
  if (minus == std::string_view::npos) return 0;
  std::size_t line = 0;
  std::from_chars(header.data() + minus + 1, header.data() + header.size(), line);
  return line;
}

/// Whether a line may precede the first hunk, such as the names of the files.
bool is_preamble(std::string_view line) {
  for (const std::string_view lead : {"--- ", "+++ ", "diff ", "index ", "new file", "similarity"})
    if (line.starts_with(lead)) return true;
  return trim(line).empty();
}

/// Removes empty lines at the end of both texts of a hunk, which models leave before the closing
/// fence.
void trim_end(Edit& hunk) {
  while (!hunk.search.empty() && !hunk.lines.empty() && hunk.search.back().empty() &&
         hunk.lines.back().empty()) {
    hunk.search.pop_back();
    hunk.lines.pop_back();
  }
}

class HunkReader {
 public:
  HunkReader(const Block& block, std::size_t at_line) : block_(block), line_(at_line) {}

  /// Adds the block's hunks to `found` up to the first one that cannot be read.
  void run(Edits& found) {
    bool is_before = true;
    for (const std::string_view line : split_lines(block_.text)) {
      ++line_;
      if (line.starts_with("@@")) {
        close(found);
        begin(first_line_of(line));
        is_before = false;
      } else if (!is_before || !is_preamble(line)) {
        if (is_before) begin(0);
        is_before = false;
        if (!take(line))
          found.fault = {
              ReplyTrouble::NotADiff, fmt::format("line {}", line_),
              fmt::format(
                  "line {} of the reply stands in a {} and begins with neither a blank, + nor -: "
                  "send the whole file in a block marked cpp, or edits",
                  line_,
                  contains(kDiffInfos, block_.info) ? "block marked " + block_.info : "diff")};
      }
      if (!found.fault.is_empty() || found.edits.size() >= kMostHunks) return;
    }
    close(found);
  }

 private:
  void begin(std::size_t first) {
    hunk_ = {};
    hunk_.first = first;
    hunk_.at_line = line_;
    has_hunk_ = true;
    has_change_ = false;
  }

  bool take(std::string_view line) {
    if (line.empty()) line = " ";
    const std::string rest(line.substr(1));
    const char mark = line.front();
    if (mark == '\\') return true;  // "\ No newline at end of file"
    if (mark != ' ' && mark != '+' && mark != '-') return false;
    if (mark != '+') hunk_.search.push_back(rest);
    if (mark != '-') hunk_.lines.push_back(rest);
    has_change_ = has_change_ || mark != ' ';
    return true;
  }

  void close(Edits& found) {
    if (!std::exchange(has_hunk_, false)) return;
    trim_end(hunk_);
    if (!has_change_) {
      found.fault = {
          ReplyTrouble::EmptyHunk, fmt::format("line {}", hunk_.at_line),
          fmt::format("the hunk in line {} of the reply adds and removes nothing", hunk_.at_line)};
      return;
    }
    // The header "-12,0" removes no lines and inserts after line 12.
    if (hunk_.search.empty()) hunk_.kind = Edit::Kind::Insert;
    found.edits.push_back(std::move(hunk_));
  }

  const Block& block_;
  std::size_t line_;
  Edit hunk_;
  bool has_hunk_ = false;
  bool has_change_ = false;
};

}  // namespace

bool begins_hunks(std::span<const std::string_view> lines, std::size_t at) {
  if (is_hunk_header(lines[at])) return true;
  return lines[at].starts_with("--- ") && at + 1 < lines.size() &&
         lines[at + 1].starts_with("+++ ");
}

bool is_diff_line(std::string_view line) {
  return line.empty() || line.starts_with("@@") || is_preamble(line) ||
         std::string_view(" +-\\").find(line[0]) != std::string_view::npos;
}

bool is_diff(const Block& block) {
  return contains(kDiffInfos, block.info) ||
         ((is_code_info(block.info) || block.info == "text") && has_lines_of_diff(block.text));
}

Edits find_hunks(std::string_view reply, const std::vector<Block>& blocks, bool is_cut_off) {
  Edits found;
  for (const Block& block : blocks) {
    if (!is_diff(block) || !found.fault.is_empty()) continue;
    const auto before = reply.substr(0, block.begin);
    const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
    if (found.edits.empty()) found.begin = block.begin;
    if (!block.is_closed && is_cut_off)
      found.fault = {ReplyTrouble::CutOff, fmt::format("diff in line {}", line),
                     fmt::format("the reply was cut off inside the diff in line {}", line)};
    else
      HunkReader(block, line).run(found);
  }
  return found;
}

}  // namespace kw::propose

// Converts unrequested forms of replies into fenced code and edits, one function for each form.
// SPDX-License-Identifier: Apache-2.0
#include "propose/reply_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/text.h"
#include "propose/edits.h"
#include "propose/markdown.h"
#include "propose/unified_diff.h"

namespace kw::propose {
namespace {

constexpr int kMostOuterFences = 4;

struct Replacement {
  std::string_view what;
  std::string_view by;
};

/// Blank characters that a compiler does not accept as white space, with their replacements.
constexpr auto kBlankCharacters = std::to_array<Replacement>({
    {"\xC2\xA0", " "},      // no-break space
    {"\xE2\x80\xAF", " "},  // narrow no-break space
    {"\xE2\x80\x87", " "},  // figure space
});

/// Characters without width: byte-order mark, zero-width space, word joiner.
constexpr auto kInvisible =
    std::to_array<std::string_view>({"\xEF\xBB\xBF", "\xE2\x80\x8B", "\xE2\x81\xA0"});

constexpr auto kEntities = std::to_array<Replacement>({{"lt", "<"},
                                                       {"gt", ">"},
                                                       {"amp", "&"},
                                                       {"quot", "\""},
                                                       {"apos", "'"},
                                                       {"nbsp", " "},
                                                       {"#39", "'"},
                                                       {"#x27", "'"},
                                                       {"#34", "\""},
                                                       {"#60", "<"},
                                                       {"#62", ">"},
                                                       {"#38", "&"},
                                                       {"#160", " "}});

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find(what, at), text.size());
    out.append(text.substr(at, found - at));
    if (found < text.size()) out.append(by);
    at = found + what.size();
  }
  return out;
}

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether `name` occurs as a word that is not part of the entity &name;.
bool stands_as_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at < text.size(); at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (at > 0 && is_word_letter(text[at - 1])) continue;
    if (end < text.size() && is_word_letter(text[end])) continue;
    const bool is_entity = at > 0 && text[at - 1] == '&' && end < text.size() && text[end] == ';';
    if (!is_entity) return true;
  }
  return false;
}

std::string without_entities(std::string text, std::string_view parent) {
  if (text.find('&') == std::string::npos) return text;
  std::vector<Replacement> meant;
  for (const Replacement& entity : kEntities)
    if (entity.what.front() == '#' ||
        (!stands_as_word(text, entity.what) && !stands_as_word(parent, entity.what)))
      meant.push_back(entity);
  std::string out;
  // Each entity is replaced once, from left to right, so that "&amp;lt;" becomes "&lt;".
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const auto entity = std::ranges::find_if(meant, [&](const Replacement& one) {
      return rest.starts_with('&') && rest.substr(1).starts_with(one.what) &&
             rest.substr(1 + one.what.size()).starts_with(';');
    });
    out.append(entity == meant.end() ? rest.substr(0, 1) : entity->by);
    at += entity == meant.end() ? 1 : entity->what.size() + 2;
  }
  return out;
}

}  // namespace

std::string in_plain_characters(std::string_view reply, std::string_view parent) {
  std::string text = replaced(reply, "\r\n", "\n");
  for (const std::string_view character : kInvisible) text = replaced(text, character, "");
  for (const Replacement& blank : kBlankCharacters)
    if (parent.find(blank.what) == std::string_view::npos)
      text = replaced(text, blank.what, blank.by);
  return without_entities(std::move(text), parent);
}

namespace {

bool holds_code(std::string_view text, const IsSource& is_source) {
  return is_source(text) || !find_edits(text, false).edits.empty();
}

/// Whether `block` only wraps other fenced blocks with code.
bool is_outer(const Block& block, const IsSource& is_source) {
  const std::vector<Block> inner = find_blocks(block.text);
  if (inner.empty() || is_source(std::string_view(block.text).substr(0, inner.front().begin)))
    return false;
  return std::ranges::any_of(
      inner, [&](const Block& one) { return is_diff(one) || holds_code(one.text, is_source); });
}

/// Begin and end of the line that contains offset `at`, without its newline.
std::pair<std::size_t, std::size_t> line_around(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {begin, std::min(text.find('\n', at), text.size())};
}

constexpr std::string_view kPatchBegins = "*** Begin Patch";
constexpr int kMostPatches = 20;  // limit, because each envelope rereads the text before it

/// The fence that would close the block which is open at the end of `text`; empty: no block is
/// open.
std::string closing_marks(std::string_view text) {
  const auto blocks = find_blocks(text);
  if (blocks.empty() || blocks.back().is_closed) return {};
  std::string_view fence = text.substr(blocks.back().begin);
  fence.remove_prefix(std::min(fence.find_first_of("`~"), fence.size()));
  return std::string(fence.substr(0, fence.find_first_not_of(fence.front())));
}

/// Converts `*** Begin Patch` envelopes line by line, so that line numbers do not change.
class PatchReader {
 public:
  explicit PatchReader(std::string_view text) : text_(text) {}

  std::string run() {
    for (const std::string_view line : split_lines(text_)) {
      const std::string_view word = trim(line);
      if (!is_inside_ && word == kPatchBegins && patches_++ < kMostPatches)
        out_ += begin();
      else if (!is_inside_)
        out_ += outside(line, word);
      else
        out_ += inside(line, word);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  /// Begins an envelope. Returns the fence that closes a block around the envelope, if there is
  /// one.
  std::string begin() {
    is_inside_ = true;
    std::string marks = closing_marks(out_);
    was_fenced_ = !marks.empty();
    return marks;
  }

  std::string outside(std::string_view line, std::string_view word) {
    const bool is_fence = word.starts_with("```") || word.starts_with("~~~");
    if (is_fence && std::exchange(was_fenced_, false)) return {};
    return std::string(line);
  }

  std::string inside(std::string_view line, std::string_view word) {
    if (word == "*** End Patch") return end();
    if (word.starts_with("```") || word.starts_with("~~~")) {  // the patch was never ended
      was_fenced_ = false;
      return end();
    }
    if (word.starts_with("*** Add File:") || word.starts_with("*** Update File:")) {
      adds_file_ = word.starts_with("*** Add");
      is_open_ = true;  // a fence with a name also ends the block before
      return adds_file_ ? "```cpp " + std::string(trim(word.substr(word.find(':') + 1)))
                        : "```diff";
    }
    if (word.starts_with("*** ")) return {};  // Delete File, Move to, End of File
    if (adds_file_) return std::string(line.starts_with('+') ? line.substr(1) : line);
    // Models sometimes forget the blank that must precede a context line of a diff.
    const bool is_marked = line.empty() || std::string_view(" +-@").contains(line.front());
    return is_marked ? std::string(line) : " " + std::string(line);
  }

  std::string end() {
    is_inside_ = adds_file_ = false;
    return std::exchange(is_open_, false) ? "```" : "";
  }

  std::string_view text_;
  std::string out_;
  int patches_ = 0;
  bool is_inside_ = false;
  bool was_fenced_ = false;  ///< A closing fence of the block around is to be removed.
  bool adds_file_ = false;
  bool is_open_ = false;  ///< A fence was written for a file of the patch.
};

}  // namespace

std::string without_outer_fences(std::string text, const IsSource& is_source) {
  for (int level = 0; level < kMostOuterFences; ++level) {
    std::vector<Block> outer = find_blocks(text);
    std::erase_if(outer, [&](const Block& block) { return !is_outer(block, is_source); });
    if (outer.empty()) break;
    for (auto block = outer.rbegin(); block != outer.rend(); ++block) {
      if (block->is_closed) {
        const std::size_t last = text[block->end - 1] == '\n' ? block->end - 1 : block->end;
        const auto [begin, end] = line_around(text, last);
        text.erase(begin, end - begin);
      }
      text.erase(block->begin, line_around(text, block->begin).second - block->begin);
    }
  }
  return text;
}

std::string with_patches_as_diffs(std::string_view text) {
  return text.find(kPatchBegins) == std::string_view::npos ? std::string(text)
                                                           : PatchReader(text).run();
}

std::string with_bare_diff_fenced(std::string_view text) {
  if (!find_blocks(text).empty()) return std::string(text);
  const auto lines = split_lines(text);
  std::size_t from = 0;
  while (from < lines.size() && !begins_hunks(lines, from)) ++from;
  if (from == lines.size()) return std::string(text);
  std::size_t to = from;
  for (std::size_t i = from; i < lines.size() && is_diff_line(lines[i]); ++i)
    if (!trim(lines[i]).empty()) to = i + 1;
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == from) out += "```diff\n";
    out.append(lines[i]).append("\n");
    if (i + 1 == to) out += "```\n";
  }
  return out;
}

}  // namespace kw::propose

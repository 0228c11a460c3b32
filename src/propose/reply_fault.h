// ReplyFault: why a model's reply cannot be used, as a value and in words for its writer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace kw::propose {

enum class ReplyTrouble {
  None,             ///< The reply can be used.
  NoCode,           ///< There is no fenced block, and there are no edits.
  ForeignCode,      ///< No block holds C++; the about lists the marks of the blocks.
  CutOff,           ///< The token limit cut the reply off; the about says where.
  OnlyThinking,     ///< Nothing stands behind the thinking.
  BrokenJson,       ///< The code is inside JSON that cannot be read.
  NoParent,         ///< There are edits, and no parent to edit.
  UnwantedEdits,    ///< There are edits where a whole file was asked for.
  UnwantedFile,     ///< There is a whole file where edits were asked for.
  NothingLeft,      ///< The edits remove the whole parent.
  NoChange,         ///< The "edits" or the "file" of the about leave the parent as it is.
  UnknownNotation,  ///< An edit is written in an unknown way; the about is its line.
  UnclosedEdit,     ///< An edit lacks one of its marks; the about is the line and the mark.
  NotInParent,      ///< The about is what an edit searches for in vain.
  Ambiguous,        ///< What an edit searches for occurs more than once; the about says where.
  EmptySearch,      ///< The edit in the line of the about searches for nothing.
  Overlap,          ///< Two edits change the parent's line of the about.
  OutsideParent,    ///< An edit names lines that the parent lacks: "9-14 of 10".
  NotADiff,         ///< The line of the about belongs to no diff.
  EmptyHunk,        ///< The hunk in the line of the about changes nothing.
  NoFile,           ///< No block is named after a file.
  UnknownFile,      ///< A block has the name of the about, which is no file's.
  LongFile,         ///< The file of the about is too long.
};

/// What is wrong with a reply or its edits.
struct ReplyFault {
  ReplyTrouble trouble = ReplyTrouble::None;
  std::string about;  ///< What the trouble is about: a line, a name, a searched text.
  std::string words;  ///< A sentence for the writer of the reply.

  bool is_empty() const { return trouble == ReplyTrouble::None; }
};

}  // namespace kw::propose

template <>
struct kw::EnumNames<kw::propose::ReplyTrouble> {
  static constexpr std::array<std::string_view, 23> names{
      "none",         "no_code",          "foreign_code",   "cut_off",       "only_thinking",
      "broken_json",  "no_parent",        "unwanted_edits", "unwanted_file", "nothing_left",
      "no_change",    "unknown_notation", "unclosed_edit",  "not_in_parent", "ambiguous",
      "empty_search", "overlap",          "outside_parent", "not_a_diff",    "empty_hunk",
      "no_file",      "unknown_file",     "long_file"};
};

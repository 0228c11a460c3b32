// Reads a model's reply: a plan, then a whole source or edits of the parent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "record/proposal.h"

namespace kw::propose {

struct ReplyContext {
  std::string_view function;  ///< That the source must define; on cuda any kernel does.
  Target target = Target::Cpu;
  std::string_view parent;          ///< Source that edits refer to; empty: none.
  bool is_cut_off = false;          ///< The model had no tokens left.
  ReplyForm form = ReplyForm::Any;  ///< That alone is understood.
};

struct ParsedReply {
  std::string source;    ///< Empty where there is none to judge.
  std::string evidence;  ///< Why not, in words that help to do better.
  std::string plan;      ///< What stood before the code; at most kPlanBytes.
  /// Which part of the reply was taken, where there was a choice or the form was another than the
  /// one that is asked for: a sentence. Empty: nothing is to be said.
  std::string note{};
};

inline constexpr std::size_t kPlanBytes = 2000;

/// Total and pure: any bytes give a source or evidence, never both. Thinking is not looked at; a
/// reply that ends in it holds no candidate. Edits win over whole files unless they do not apply; a
/// unified diff counts as edits where no block is a file. Of several fenced blocks that of the
/// function is taken, the last one where more of them define it, the longest C++ one where none
/// does; what a fence calls another language is never taken. A block without its closing fence
/// counts unless the reply was cut off. Code in JSON or tags counts where there is no other.
/// docs/formats.md has the table of forms; evidence names the form where it cannot be used.
ParsedReply parse_reply(std::string_view text, const ReplyContext& context);

/// The files of a reply that writes several.
struct ParsedFiles {
  std::map<std::string, std::string> files;  ///< By name; empty where there is evidence.
  std::string evidence;
};

inline constexpr std::size_t kFileBytes = std::size_t{256} << 10;

/// Total and pure, and reads the same forms. A file is a fenced block whose fence names it (```yaml
/// task.yaml), or the line before does; the last block of a name counts. Only `names` are accepted:
/// a fence that names anything else (a folder, "..", another file) makes the reply unusable, and no
/// name ever becomes a path. Blocks without a name are passed over. Cut off inside a block, above
/// kFileBytes, or without any file: evidence.
ParsedFiles parse_files(std::string_view text, std::span<const std::string> names, bool is_cut_off);

}  // namespace kw::propose

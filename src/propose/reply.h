// Reads a model's reply: a plan, followed by a whole source or by edits of the parent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "propose/reply_fault.h"
#include "record/proposal.h"

namespace kw::propose {

struct ReplyContext {
  std::string_view function;  ///< Function that the source must define (not on cuda).
  Target target = kDefaultTarget;
  std::string_view parent;          ///< Source that edits refer to; empty: none.
  bool is_cut_off = false;          ///< Whether the token limit cut the reply off.
  ReplyForm form = ReplyForm::Any;  ///< The only form that is accepted.
};

struct ParsedReply {
  std::string source;    ///< Empty where the reply holds no usable source.
  std::string evidence;  ///< Why the reply cannot be used, for its writer.
  std::string plan;      ///< The text before the code; at most kPlanBytes.
  /// A sentence that says which part of the reply was taken, where there was a choice or the reply
  /// had another form than the one requested; else empty.
  std::string note{};
  Reason reason = Reason::None;               ///< With `evidence`: the verdict's reason.
  ReplyTrouble trouble = ReplyTrouble::None;  ///< What `evidence` says in words.
  std::string about{};                        ///< What the trouble is about.
};

inline constexpr std::size_t kPlanBytes = 2000;

/// Reads a reply. Total and pure: any bytes give either a source or evidence. Thinking is ignored;
/// a reply that ends while thinking holds no candidate. Edits are preferred to whole files unless
/// they do not apply; a unified diff counts as edits where no block is a whole file. Of several
/// fenced blocks, the last one that defines the function is taken, or else the longest one of C++;
/// a block marked as another language is never taken. A block without a closing fence counts unless
/// the reply was cut off. Code in JSON or tags counts where there is no other code. docs/formats.md
/// lists the forms; evidence names the form where it cannot be used.
ParsedReply parse_reply(std::string_view text, const ReplyContext& context);

/// The files in a reply that writes several.
struct ParsedFiles {
  std::map<std::string, std::string> files;  ///< Texts by name; empty where there is evidence.
  std::string evidence;
  ReplyTrouble trouble = ReplyTrouble::None;  ///< What `evidence` says in words.
  std::string about{};                        ///< What the trouble is about: a file.
};

inline constexpr std::size_t kFileBytes = std::size_t{256} << 10;

/// Reads a reply that writes several files; total and pure. A file is a fenced block that is named
/// by its fence (```yaml task.yaml) or by the line before it; of several blocks with one name the
/// last counts. A fence that names anything but one of `names` (a folder, "..", another file) makes
/// the reply unusable, so no name can become a path. Blocks without a name are ignored. A reply
/// that is cut off inside a block, has a file above kFileBytes, or has no file gives evidence.
ParsedFiles parse_files(std::string_view text, std::span<const std::string> names, bool is_cut_off);

}  // namespace kw::propose

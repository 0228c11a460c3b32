// PlanTrouble: an error in a launch plan, by its kind, its place, what it is about, and its words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/enum_names.h"
#include "base/result.h"
#include "record/wording.h"

namespace kw::task {

/// What is wrong with a launch plan, as a closed list. The names stand in Finding::about, before
/// what the trouble is about, so they keep their meaning; docs/formats.md lists them.
enum class PlanFlaw {
  BadExpression,  ///< An expression cannot be read or has no value; about: ExprError::about.
  BadForm,        ///< A line, or a part of one, has another form; about: the directive or the part.
  BadName,        ///< A word cannot be a name, or names nothing of this kind; about: the word.
  Missing,        ///< Something that the plan needs is not there; about: what.
  Unclosed,       ///< A bracket or a block is not closed; about: its first word or character.
  Unexpected,     ///< Something stands where nothing may; about: its first word or character.
  Unknown,        ///< A word or name is not known; about: the word, and the nearest known one.
  Repeated,       ///< Something is given or named twice; about: it.
  Misplaced,      ///< A line stands in a block, or behind lines, where it may not; about: its name.
  TooMany,        ///< The plan has more of something than a plan may have; about: of what.
  WrongKind,      ///< A name means something that cannot stand here; about: the name.
  Empty,          ///< A size or a range leaves nothing; about: whose.
  OutOfRange,     ///< A value lies outside what is allowed; about: what the value is.
  NoMultiple,     ///< A value is no multiple of what it must be; about: what the value is.
  DoesNotFit,     ///< A value does not fit into its type; about: the type.
  Unsupported,    ///< A type or a device does not have what is asked for; about: it.
  Contradiction,  ///< Two parts of a line exclude each other; about: one of them.
  Overlap,        ///< Two ranges of memory overlap; about: what they are.
  Overrun,        ///< A range of memory ends behind the memory; about: whose name.
  ReadOnly,       ///< The plan may not write there; about: the name.
  Padded,         ///< A range includes the padding between rows; about: the name.
  TypesDiffer,    ///< Two places have elements of different types; about: both names.
  Unmet,          ///< A `require` does not hold; about: its condition.
};

}  // namespace kw::task

template <>
struct kw::EnumNames<kw::task::PlanFlaw> {
  static constexpr std::array<std::string_view, 23> names{
      "bad_expression", "bad_form",      "bad_name",     "missing",     "unclosed",
      "unexpected",     "unknown",       "repeated",     "misplaced",   "too_many",
      "wrong_kind",     "empty",         "out_of_range", "no_multiple", "does_not_fit",
      "unsupported",    "contradiction", "overlap",      "overrun",     "read_only",
      "padded",         "types_differ",  "unmet"};
};

namespace kw::task {

/// An error in a launch plan. It tells no number that depends on a workload whose sizes are
/// hidden.
struct PlanTrouble {
  std::size_t at = 0;  ///< The byte of the source where the error is.
  PlanFlaw flaw = PlanFlaw::BadForm;
  std::string about;      ///< What the comment of `flaw` says; may be empty.
  Wording words;          ///< One line, and its numbers in their order.
  bool is_limit = false;  ///< Whether the plan exceeds a limit of the device or the task.

  /// "out_of_range grid y": the kind, and what the trouble is about; for Finding::about.
  std::string kind_and_about() const {
    return about.empty() ? std::string(kw::name_of(flaw))
                         : std::string(kw::name_of(flaw)) + " " + about;
  }
};

template <class T = void>
using Planned = std::expected<T, PlanTrouble>;

inline std::unexpected<PlanTrouble> trouble(std::size_t at, PlanFlaw flaw, About about,
                                            Wording words) {
  return std::unexpected(PlanTrouble{at, flaw, std::move(about.value), std::move(words), false});
}
inline std::unexpected<PlanTrouble> trouble(std::size_t at, PlanFlaw flaw, About about,
                                            std::string words) {
  return trouble(at, flaw, std::move(about), Wording{std::move(words), {}});
}

/// The same for what exceeds a limit of the device or the task.
inline std::unexpected<PlanTrouble> beyond_limit(std::size_t at, PlanFlaw flaw, About about,
                                                 Wording words) {
  return std::unexpected(PlanTrouble{at, flaw, std::move(about.value), std::move(words), true});
}

}  // namespace kw::task

// A verdict: stage, outcome, evidence; and the findings that explain it to a proposer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"

namespace kw {

/// Beginning of the evidence where the proposer gave no usable answer (a refused request, for
/// example): such a verdict says nothing about kernels or about the proposer's skill.
inline constexpr std::string_view kNoAnswer = "no usable answer: ";

struct Verdict {
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  std::string evidence;  ///< What was seen, in words; never text from a candidate's output.

  bool is_correct() const { return outcome == Outcome::Correct; }
  bool is_unanswered() const {
    return outcome == Outcome::NoCandidate && evidence.starts_with(kNoAnswer);
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("stage", s.stage), v("outcome", s.outcome), v("evidence", s.evidence);
  }
};

/// What the wrong elements of a mismatch have in common, as the referee found in the values.
enum class MismatchPattern {
  None,
  Isolated,
  Tail,
  Period,
  Border,
  Transposed,
  Shifted,
  Factor,
  NotFinite,
  Unwritten,
  Zero,
};
template <>
struct EnumNames<MismatchPattern> {
  static constexpr std::array<std::string_view, 11> names{
      "none",    "isolated", "tail",       "period",    "border", "transposed",
      "shifted", "factor",   "not_finite", "unwritten", "zero"};
};

/// One plain statement for the proposer, with a rank.
struct Finding {
  /// diagnostic | mismatch | vectorization | roofline | history | resource | machine_code | note
  std::string kind;
  int rank = 0;       ///< Smaller is more important.
  std::string text;   ///< Whole sentences.
  std::string frame;  ///< Frame of code or numbers, shown verbatim; may be empty.
  std::string place;  ///< file:line:column, workload or tensor; may be empty.
  /// Pattern of a mismatch; older records have none.
  MismatchPattern pattern = MismatchPattern::None;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("rank", s.rank), v("text", s.text), v("frame", s.frame),
        v("place", s.place), v("pattern", s.pattern);
  }
};

}  // namespace kw

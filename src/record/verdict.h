// A verdict: stage, outcome, evidence; and the findings that explain it to a proposer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"

namespace kw {

/// How the evidence begins where whoever was to write gave no usable answer (a request that was
/// turned down): it says nothing about kernels, nor about who writes.
inline constexpr std::string_view kNoAnswer = "no usable answer: ";

struct Verdict {
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  std::string evidence;  ///< What was seen, in words; never text of a candidate's output.

  bool is_correct() const { return outcome == Outcome::Correct; }
  bool is_unanswered() const {
    return outcome == Outcome::NoCandidate && evidence.starts_with(kNoAnswer);
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("stage", s.stage), v("outcome", s.outcome), v("evidence", s.evidence);
  }
};

/// What the wrong elements of a mismatch have in common; the referee sees it in the values.
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

/// One plain statement for the proposer, ranked.
struct Finding {
  std::string kind;   ///< diagnostic | mismatch | vectorization | roofline | history | resource |
                      ///< machine_code | note
  int rank = 0;       ///< Smaller is more important.
  std::string text;   ///< Whole sentences.
  std::string frame;  ///< Code or number frame, may be empty; shown verbatim.
  std::string place;  ///< file:line:column, workload or tensor; may be empty.
  MismatchPattern pattern = MismatchPattern::None;  ///< Of mismatches; older records have none.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("rank", s.rank), v("text", s.text), v("frame", s.frame),
        v("place", s.place), v("pattern", s.pattern);
  }
};

}  // namespace kw

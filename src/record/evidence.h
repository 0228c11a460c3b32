// Evidence: what was seen of a candidate, as data, and the sentence that says it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/evidence_kind.h"

namespace kw {

/// What a verdict rests on. Each kind uses the fields that its sentence in the table of
/// record/evidence.cc shows; the others are empty, except that any kind may have a place, and that
/// the subject of SpeedupUnsure and SpeedupUnknown names what cut the timing short, if anything
/// did.
struct Evidence {
  EvidenceKind kind = EvidenceKind::None;
  /// Where in the candidate's source: file:line:column, file:line or the file alone; empty: it is
  /// not known, or it is no matter of one place.
  std::string place{};
  std::string workload{};
  std::string tensor{};
  /// What it is about: a library, an option, a function, an instruction, a technique, a workspace.
  std::string subject{};
  /// Further names: of a function, of what is allowed, of a directive, of a compiler's option.
  std::vector<std::string> names{};
  std::vector<double> numbers{};  ///< Counts, times in ns, sizes in bytes, then the limit.
  std::string detail{};  ///< Foreign text, made safe to show: of a compiler, a driver, a model.
  /// At most one: what was seen of the process or the opponent that this is about.
  std::vector<Evidence> cause{};
  /// Number of the call in a process that is called many times for this; 0: it does not matter.
  std::int64_t call = 0;
  /// Number of the call among those that followed a process's checked calls; 0: it was none.
  std::int64_t more_calls = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("place", s.place), v("workload", s.workload), v("tensor", s.tensor),
        v("subject", s.subject), v("names", s.names), v("numbers", s.numbers),
        v("detail", s.detail), v("cause", s.cause), v("call", s.call),
        v("more_calls", s.more_calls);
  }
};

/// The sentence that says it, without a full stop; empty for EvidenceKind::None. Fields that the
/// kind needs and that are empty leave a gap. Deterministic, no side effects.
std::string words_of(const Evidence& evidence);

}  // namespace kw

// A verdict: stage, outcome, what was seen; and the findings that explain it to a proposer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"
#include "record/evidence.h"

namespace kw {

/// Why an attempt ended, where more depends on it than on stage and outcome.
enum class Reason {
  None,
  /// The proposer gave no usable answer (a refused request, for example), which says nothing about
  /// kernels or about the proposer's skill. Verdict::about is the trouble_key() of the error.
  NoAnswer,
  /// A reply had another form than the prompt asked for. This concerns one prompt; as advice it
  /// would be wrong where the other form is asked for.
  WrongForm,
  /// The source shows the technique Verdict::about, which a person's order forbids.
  ForbiddenTechnique,
};
template <>
struct EnumNames<Reason> {
  static constexpr std::array<std::string_view, 4> names{"none", "no_answer", "wrong_form",
                                                         "forbidden_technique"};
};

/// How a candidate ended. make_verdict() makes every verdict that has evidence.
struct Verdict {
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  /// What was seen, in words: words_of(seen). Never text from a candidate's output.
  std::string evidence;
  Reason reason = Reason::None;
  std::string about{};  ///< What the reason is about, where its comment names something.
  Evidence seen{};      ///< What was seen; of kind `none` in older records.

  bool is_correct() const { return outcome == Outcome::Correct; }
  bool is_unanswered() const {
    return outcome == Outcome::NoCandidate && reason == Reason::NoAnswer;
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("stage", s.stage), v("outcome", s.outcome), v("evidence", s.evidence), v("reason", s.reason),
        v("about", s.about), v("seen", s.seen);
  }
};

/// The verdict with what was seen and the sentence that says it.
Verdict make_verdict(Stage stage, Outcome outcome, Evidence seen, Reason reason = Reason::None,
                     std::string about = {});

/// Sets the place of what was seen, and makes the sentence anew.
void set_place(Verdict& verdict, std::string place);
/// Makes the sentence of a verdict anew after another field of `seen` was changed.
void say_again(Verdict& verdict);

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

/// What a finding is about, and where it comes from.
enum class FindingKind {
  Diagnostic,     ///< An error of a compiler, a sanitizer or a reader of sources.
  Warning,        ///< A warning of a compiler.
  Mismatch,       ///< The wrong elements of a result.
  Vectorization,  ///< A loop that the compiler did not vectorise, with its reason.
  Roofline,       ///< The speed beside the measured ceilings.
  History,        ///< The speed beside the baseline's and other attempts'.
  Resource,       ///< Registers, shared memory, occupancy and counters of a kernel.
  MachineCode,    ///< What the disassembled code shows.
  Verdict,        ///< The verdict in a sentence.
  Goal,           ///< How far a goal of the task is.
  Note,
};
template <>
struct EnumNames<FindingKind> {
  static constexpr std::array<std::string_view, 11> names{
      "diagnostic", "warning",      "mismatch", "vectorization", "roofline", "history",
      "resource",   "machine_code", "verdict",  "goal",          "note"};
};

/// One plain statement for the proposer, with a rank.
struct Finding {
  FindingKind kind = FindingKind::Note;
  int rank = 0;       ///< Smaller is more important.
  std::string text;   ///< Whole sentences.
  std::string frame;  ///< Frame of code or numbers, shown verbatim; may be empty.
  std::string place;  ///< file:line:column, workload or tensor; may be empty.
  /// Pattern of a mismatch; older records have none.
  MismatchPattern pattern = MismatchPattern::None;
  /// The name of the finding, or in short what it found: of a loop that was not vectorised what
  /// stood in its way, of a finding with the words of a verdict the kind of its evidence, of a
  /// compiler's error the unknown name and the one that was meant; may be empty. It can hold names
  /// of the source, so it tells findings apart, but is no fixed list.
  std::string about{};
  /// The numbers of the text in its order and not rounded: counts, shares, times in ns, sizes in
  /// bytes, rates per second; empty in older records and where the text has none.
  std::vector<double> numbers{};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("rank", s.rank), v("text", s.text), v("frame", s.frame),
        v("place", s.place), v("pattern", s.pattern), v("about", s.about), v("numbers", s.numbers);
  }
};

}  // namespace kw

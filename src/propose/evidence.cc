// Removes from attempts and situations what a level of feedback does not allow to be told.
// SPDX-License-Identifier: Apache-2.0
#include "propose/evidence.h"

#include <array>

#include "base/contains.h"

namespace kw::propose {
namespace {

bool is_told(const Finding& finding, FeedbackLevel level, bool is_correct) {
  if (level == FeedbackLevel::Profile) return true;
  if (level == FeedbackLevel::Findings) return finding.kind != FindingKind::Roofline;
  if (level == FeedbackLevel::None) return false;
  // A finding about resources explains a launch that failed; for a correct kernel it is about
  // speed, which this level hides.
  constexpr std::array kOfFailures{FindingKind::Resource, FindingKind::Verdict, FindingKind::Goal,
                                   FindingKind::Note};
  constexpr std::array kOfAll{FindingKind::Diagnostic, FindingKind::Warning, FindingKind::Mismatch};
  return contains(kOfAll, finding.kind) || (!is_correct && contains(kOfFailures, finding.kind));
}

}  // namespace

AttemptLine seen_at(FeedbackLevel level, AttemptLine line) {
  if (level >= FeedbackLevel::Findings) return line;
  if (line.outcome == Outcome::Correct) {
    line.words = "correct";
    line.outcome_class = OutcomeClass::NoGain;
  }
  line.speedup = line.reward = line.mean_ns = 0;
  return line;
}

Attempt seen_at(FeedbackLevel level, Attempt attempt) {
  Evaluation& e = attempt.evaluation;
  const bool is_correct = e.verdict.is_correct();
  std::erase_if(e.findings, [&](const Finding& f) { return !is_told(f, level, is_correct); });
  if (level < FeedbackLevel::Profile) {
    e.profiles.clear();
    e.roofline_fraction = 0;
  }
  if (level < FeedbackLevel::Findings) {
    e.workloads.clear();
    e.speedup = {};
    attempt.against_baseline = {};
    attempt.reward = 0;
    attempt.words.clear();
  }
  if (level == FeedbackLevel::None) {
    e.verdict.seen = {};
    say_again(e.verdict);
  }
  return attempt;
}

void limit(Situation& s) {
  if (s.feedback == FeedbackLevel::Profile) return;
  if (s.feedback == FeedbackLevel::None) {
    s.history = nullptr;
    s.cautions.clear();
    s.task_instructions.clear();
    s.remembered.clear();
  }
  if (s.feedback >= FeedbackLevel::Findings) return;
  // The best attempt and the insights follow from measured times, which this level of feedback
  // hides.
  s.best = nullptr;
  s.insights.clear();
  // Entries without an id are gains of techniques, which follow from times too. Cards of knowledge,
  // which have an id, say nothing about this run.
  std::erase_if(s.remembered, [](const memory::Remembered& one) { return one.id == 0; });
}

}  // namespace kw::propose

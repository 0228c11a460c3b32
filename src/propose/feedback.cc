// Chooses the findings that a prompt shows, and words them.
// SPDX-License-Identifier: Apache-2.0
#include "propose/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/line_diff.h"
#include "base/text.h"
#include "propose/describe.h"
#include "propose/markdown.h"

namespace kw::propose {
namespace {

constexpr std::size_t kMostForRepair = 8;
constexpr std::size_t kMostForSpeed = 12;
constexpr std::size_t kMostWarnings = 2;
constexpr std::size_t kTextBytes = 1200;
constexpr std::size_t kFrameBytes = 2000;

std::string plain(Outcome outcome) {
  std::string words(name_of(outcome));
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// Explains an outcome to a writer who does not know the referee; empty where the outcome's name
/// says enough.
std::string_view meaning(const Verdict& v, bool has_pitch) {
  switch (v.outcome) {
    case Outcome::NoCandidate:
      return "There was nothing to judge.";
    case Outcome::Rejected:
      return "It was not compiled or run: it holds what no kernel needs.";
    case Outcome::TimedOut:
      return "It was stopped: an endless loop, a deadlock of threads, or work that grows too fast.";
    case Outcome::LaunchFailed:
      return "The launch was refused: grid, block, cluster, shared memory or arguments do not fit "
             "the kernel or the device.";
    case Outcome::OutOfResources:
      return v.stage == Stage::Launch || v.stage == Stage::Screen
                 ? "The plan asks for more than the device has: threads, shared memory, registers, "
                   "or memory for workspaces."
                 : std::string_view();
    case Outcome::OutOfBounds:
      return has_pitch ? "It read or wrote outside a tensor; look at the ends of loops and at "
                         "rows with padding."
                       : "It read or wrote outside a tensor; look at the ends of loops.";
    case Outcome::ModifiedInput:
      return "Inputs are read-only.";
    case Outcome::Cheated:
      return "What it did would not hold in anybody's program; such a kernel earns nothing, "
             "however "
             "fast it looked.";
    case Outcome::Implausible:
      return "It was faster than the machine can move the bytes or do the operations: work is "
             "missing.";
    case Outcome::Unmeasurable:
      return "It is right, but its time could not be measured well enough to count.";
    default:
      return {};
  }
}

std::string sentence(std::string_view text) {
  std::string out(trim(text));
  if (!out.empty() && out.back() != '.' && out.back() != '!' && out.back() != '?') out += '.';
  return out;
}

std::string failure_sentence(const Situation& s, const Veil& veil) {
  const Attempt& parent = *s.parent;
  if (s.feedback == FeedbackLevel::None) return fmt::format("Attempt {} failed.", parent.number);
  const Verdict& v = parent.evaluation.verdict;
  std::string words = fmt::format("Attempt {} failed at the stage `{}`: {}.", parent.number,
                                  name_of(v.stage), plain(v.outcome));
  const std::string evidence = sanitise_line(veil.cover(v.evidence), kTextBytes);
  // Before the stage `run` the evidence is the output of compilers, linkers and drivers, which
  // repeats untrusted text, so it is quoted.
  if (!evidence.empty() && v.stage < Stage::Run)
    words += " Evidence, quoted: " + as_code(evidence) + ".";
  else if (!evidence.empty())
    words += " Evidence: " + sentence(evidence);
  if (const auto more = meaning(v, has_pitch(*s.task)); !more.empty())
    words += " " + std::string(more);
  return words;
}

std::string success_sentence(const Situation& s) {
  const Attempt& parent = *s.parent;
  const double speedup = parent.against_baseline.value;
  std::string words = fmt::format("Attempt {} is correct", parent.number);
  if (s.feedback < FeedbackLevel::Findings) return words + ".";
  if (speedup <= 0) return words + "; it was not timed.";
  words +=
      fmt::format(" and runs at {:.3g} times the speed of the baseline `{}`", speedup, s.baseline);
  if (s.best != nullptr && s.best->number == parent.number)
    return words + "; it is the best so far.";
  if (s.best != nullptr && s.best->against_baseline.value > 0)
    return words + fmt::format("; attempt {} is still better with {:.3g} times.", s.best->number,
                               s.best->against_baseline.value);
  return words + ".";
}

/// Whether the prompt says the same already, in the sentence about the verdict or in the list of
/// goals.
bool is_said(const Finding& f) {
  return f.kind == FindingKind::Verdict || f.kind == FindingKind::Goal;
}

bool helps_repair(const Finding& f) {
  constexpr std::array kHelpful{FindingKind::Diagnostic, FindingKind::Warning,
                                FindingKind::Mismatch, FindingKind::Resource, FindingKind::Note};
  return contains(kHelpful, f.kind);
}

std::vector<Finding> chosen(const Evaluation& e, bool hides_profile, const Veil& veil) {
  const bool is_correct = e.verdict.is_correct();
  std::vector<Finding> findings;
  std::size_t warnings = 0;
  for (const Finding& f : e.findings) {
    if (is_said(f) || ((!is_correct || hides_profile) && !helps_repair(f))) continue;
    if (f.kind == FindingKind::Warning && ++warnings > kMostWarnings) continue;
    if (findings.size() == (is_correct ? kMostForSpeed : kMostForRepair)) break;
    Finding covered = veil.cover(f);
    covered.rank = static_cast<int>(findings.size()) + 1;
    covered.text = sentence(sanitise_line(covered.text, kTextBytes));
    covered.frame = sanitise(covered.frame, kFrameBytes);
    findings.push_back(std::move(covered));
  }
  return findings;
}

std::string standing_of(const Attempt& a, FeedbackLevel level) {
  const Verdict& v = a.evaluation.verdict;
  if (level < FeedbackLevel::Findings && v.is_correct()) return "was correct";
  if (!v.is_correct()) return fmt::format("failed ({})", plain(v.outcome));
  if (a.against_baseline.value <= 0) return "was correct, not timed";
  return fmt::format("reached {:.3g}x", a.against_baseline.value);
}

/// The attempt that the parent was made from; null where its source is not known.
const Attempt* made_from(const Situation& s) {
  if (s.grandparent != nullptr && !s.grandparent->candidate.source.empty()) return s.grandparent;
  if (s.best != nullptr && s.parent->parent > 0 && s.best->number == s.parent->parent)
    return s.best;
  return nullptr;
}

}  // namespace

Feedback feedback_of(const Situation& s, const Veil& veil) {
  Feedback feedback;
  if (s.parent == nullptr) return feedback;
  const bool is_correct = s.parent->evaluation.verdict.is_correct();
  const bool hides_profile = s.view != nullptr && s.view->hides_profile;
  feedback.verdict = is_correct ? success_sentence(s) : failure_sentence(s, veil);
  feedback.findings = chosen(s.parent->evaluation, hides_profile, veil);
  const Attempt* before = made_from(s);
  if (s.feedback == FeedbackLevel::None) return feedback;
  if (before == nullptr || s.parent->candidate.source.empty()) return feedback;
  feedback.change = line_diff(before->candidate.source, s.parent->candidate.source);
  if (!feedback.change.empty())
    feedback.change_words = fmt::format("Attempt {} {}; attempt {}, made from it, {}.",
                                        before->number, standing_of(*before, s.feedback),
                                        s.parent->number, standing_of(*s.parent, s.feedback));
  return feedback;
}

}  // namespace kw::propose

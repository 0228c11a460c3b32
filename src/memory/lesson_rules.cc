// Makes each kind of lesson (caution, instruction, insight, win) by a rule.
// SPDX-License-Identifier: Apache-2.0
#include "memory/lesson_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "memory/statements.h"
#include "memory/walk.h"
#include "record/interval.h"

namespace kw::memory {
namespace {

constexpr std::size_t kEvidenceBytes = 160;
constexpr std::size_t kMostTechniques = 4;  // most techniques that a lesson names
constexpr std::size_t kMostShown = 16;      // most techniques of one source that count
constexpr std::size_t kMostOfASummary = 4;

/// Beginnings of words that name a technique in a plan.
constexpr auto kVocabulary = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"tile", "tiling"},
     {"tiling", "tiling"},
     {"block", "blocking"},
     {"unroll", "unrolling"},
     {"vectori", "vectorization"},
     {"simd", "vectorization"},
     {"thread", "threads"},
     {"openmp", "threads"},
     {"prefetch", "prefetch"},
     {"fuse", "fusion"},
     {"fusing", "fusion"},
     {"fusion", "fusion"},
     {"pack", "packing"},
     {"interchang", "loop_interchange"},
     {"reorder", "loop_interchange"}});

std::vector<std::string> named_in(std::string_view plan) {
  std::vector<std::string> found;
  for (const auto& [beginning, technique] : kVocabulary)
    if (mentions(plan, beginning) && !contains(found, technique)) found.emplace_back(technique);
  return found;
}

std::string plain(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string first_line(std::string_view text) {
  return sanitise(trim(trim(text).substr(0, trim(text).find('\n'))), kEvidenceBytes);
}

std::string techniques_text(const std::vector<std::string>& techniques) {
  std::vector<std::string> words;
  for (const std::string& technique : techniques) words.push_back(plain(technique));
  return join(words, ", ");
}

/// The techniques as a phrase, " with tiling, prefetch", or nothing.
std::string with_techniques(const SourceFacts& facts) {
  return facts.techniques.empty() ? "" : " with " + techniques_text(facts.techniques);
}

Lesson lesson_in(const LessonScope& scope, LessonKind kind, int attempt) {
  const Task& task = scope.task->task;
  Lesson lesson;
  lesson.kind = kind;
  lesson.task = task.name;
  lesson.family = task.family;
  lesson.target = scope.target;
  lesson.device = scope.device;
  lesson.seen_in = {{scope.run, attempt, ""}};
  return lesson;
}

/// A key made of the lesson's kind, its target, the scope in which it holds, and its subject.
std::string key_of(const Lesson& lesson, std::string_view where, std::string_view about) {
  return fmt::format("{}|{}|{}|{}", name_of(lesson.kind), name_of(lesson.target), where, about);
}

/// The first error of the compiler, or else the evidence of the verdict.
std::string complaint_of(const Evaluation& e) {
  for (const Finding& finding : e.findings)
    if (finding.kind == FindingKind::Diagnostic) return first_line(finding.text);
  return first_line(e.verdict.evidence);
}

/// The advice for a failure that has no message of its own.
std::string_view advice_on_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::TimedOut:
      return "Check that each loop ends and that no thread waits for another.";
    case Outcome::OutOfBounds:
      return "Check ends of loops, tails of vectors and tiles, and rows with padding.";
    case Outcome::Crashed:
      return "Check index arithmetic, its integer type, and memory on the stack.";
    case Outcome::ModifiedInput:
      return "Inputs must not be written, not even for a moment.";
    case Outcome::OutOfResources:
      return "Use less memory, and allocate once in a call.";
    case Outcome::Cheated:
      return "Do the whole work in every call, and be done when the function returns.";
    case Outcome::Implausible:
      return "Do the whole work: it was faster than the machine can be.";
    case Outcome::WrongResult:
      return "Go back to the reference, statement by statement.";
    default:
      return {};
  }
}

bool has_complaint(Outcome outcome) {
  return outcome == Outcome::CompileFailed || outcome == Outcome::Rejected ||
         outcome == Outcome::NoCandidate || outcome == Outcome::LoadFailed;
}

/// The most important reason why a correct kernel is slow: its name and its description.
std::pair<std::string, std::string> cause_of(const Attempt& attempt, const task::Definition& task) {
  const std::string axis = contiguous_axis(task);
  if (const auto variable = strided_loop(attempt.candidate.source); variable && !axis.empty())
    return {"stride",
            fmt::format("its innermost loop runs over {}, where neighbours lie a stride apart, so "
                        "contiguous access along {} is lost; keep {} innermost and contiguous",
                        *variable, axis, axis)};
  for (const Finding& finding : attempt.evaluation.findings) {
    if (finding.kind == FindingKind::Vectorization && !finding.about.empty())
      return {"scalar", "its loop stayed scalar: " + first_line(finding.about)};
  }
  for (const WorkloadResult& w : attempt.evaluation.workloads)
    if (w.group == Group::Time && w.roofline.bound != Bound::Unknown)
      return {std::string(name_of(w.roofline.bound)),
              fmt::format("{}-bound at {:.2f} of its ceiling", name_of(w.roofline.bound),
                          w.roofline.fraction)};
  return {};
}

std::string gain_in_words(const Speedup& s) {
  if (!has_interval(s)) return fmt::format("{:.3g}x `{}`", s.value, s.baseline);
  return fmt::format("{:.3g}x `{}` ({:.3g}–{:.3g} at {:.3g} %)", s.value, s.baseline, s.low, s.high,
                     100 * s.confidence);
}

}  // namespace

bool is_about_kernels(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::Correct:
    case Outcome::Unmeasurable:
    case Outcome::Unsupported:
      return false;
    case Outcome::NoCandidate:
    case Outcome::Rejected:
      return verdict.reason == Reason::None;
    default:
      return true;
  }
}

std::vector<std::string> techniques_shown(const Attempt& attempt) {
  std::vector<std::string> all;
  for (const std::string& technique : attempt.candidate.techniques)
    all.push_back(sanitise(technique, 40));
  if (all.empty()) all = named_in(attempt.plan);
  if (all.size() > kMostShown) all.resize(kMostShown);
  return all;
}

std::vector<std::string> techniques_of(const Attempt& attempt,
                                       const std::vector<std::string>& of_parent) {
  const std::vector<std::string> all = techniques_shown(attempt);
  std::vector<std::string> added;
  for (const std::string& technique : all)
    if (!contains(of_parent, technique)) added.push_back(technique);
  if (added.empty()) added = all;
  if (added.size() > kMostTechniques) added.resize(kMostTechniques);
  return added;
}

std::string failure_of(const Evaluation& e) {
  const std::string complaint = complaint_of(e);
  return plain(name_of(e.verdict.outcome)) + (complaint.empty() ? "" : ": " + complaint);
}

SourceFacts facts_of(const Attempt& attempt, const std::vector<std::string>& of_parent,
                     const task::Definition& task) {
  SourceFacts facts;
  facts.techniques = techniques_of(attempt, of_parent);
  if (!attempt.evaluation.verdict.is_correct())
    facts.pattern = pattern_of(attempt.evaluation.findings);
  else if (has_interval(attempt.evaluation.speedup) && attempt.evaluation.speedup.high < 1)
    std::tie(facts.cause, facts.cause_words) = cause_of(attempt, task);
  return facts;
}

std::optional<Lesson> caution_of(const Attempt& attempt, const SourceFacts& facts,
                                 const LessonScope& scope) {
  const Verdict& verdict = attempt.evaluation.verdict;
  if (!is_about_kernels(verdict)) return std::nullopt;
  Lesson lesson = lesson_in(scope, LessonKind::Caution, attempt.number);
  const std::string outcome(name_of(verdict.outcome));
  if (has_complaint(verdict.outcome)) {
    // The failure is about the language or the form of a reply, so all tasks of a family share the
    // lesson.
    const std::string complaint = complaint_of(attempt.evaluation);
    lesson.key =
        key_of(lesson, "family " + lesson.family, outcome + "|" + without_numbers(complaint));
    lesson.text = fmt::format("{}: {}", plain(outcome), complaint);
    return lesson;
  }
  const PatternAdvice& advice = advice_on(facts.pattern);
  lesson.key =
      key_of(lesson, "task " + lesson.task, outcome + "|" + std::string(name_of(facts.pattern)));
  lesson.text = fmt::format("{}{}{}. {}", plain(outcome), with_techniques(facts),
                            advice.seen.empty() ? "" : fmt::format(": {}", advice.seen),
                            advice.rule.empty() ? advice_on_outcome(verdict.outcome) : advice.rule);
  return lesson;
}

std::optional<Lesson> instruction_of(const Attempt& attempt, const SourceFacts& facts,
                                     const LessonScope& scope) {
  const PatternAdvice& advice = advice_on(facts.pattern);
  if (attempt.evaluation.verdict.outcome != Outcome::WrongResult || advice.rule.empty())
    return std::nullopt;
  Lesson lesson = lesson_in(scope, LessonKind::Instruction, attempt.number);
  lesson.key = key_of(lesson, "task " + lesson.task, name_of(facts.pattern));
  lesson.text = fmt::format("{} A kernel{} missed that: {}.", advice.rule, with_techniques(facts),
                            advice.seen);
  const auto said = statements_on(scope.task->task.spec, advice.keywords, facts.techniques);
  if (!said.empty()) lesson.text += " The specification says: “" + join(said, "” “") + "”";
  return lesson;
}

std::optional<Lesson> insight_of(const Attempt& attempt, const SourceFacts& facts,
                                 const LessonScope& scope) {
  const Evaluation& e = attempt.evaluation;
  if (!e.verdict.is_correct() || !has_interval(e.speedup) || e.speedup.high >= 1)
    return std::nullopt;
  if (facts.cause.empty() && facts.techniques.empty()) return std::nullopt;
  Lesson lesson = lesson_in(scope, LessonKind::Insight, attempt.number);
  lesson.key = key_of(lesson, "task " + lesson.task,
                      "slower|" + facts.cause + "|" + join(facts.techniques, "+"));
  lesson.text = fmt::format(
      "Correct but slower{}: {:.3g}x the best of its time ({:.3g}–{:.3g}), {:.3g}x the baseline "
      "`{}`{}.",
      with_techniques(facts), e.speedup.value, e.speedup.low, e.speedup.high,
      attempt.against_baseline.value, attempt.against_baseline.baseline,
      facts.cause_words.empty() ? "" : "; " + facts.cause_words);
  return lesson;
}

std::optional<Lesson> win_of(const Attempt& best, const Evaluation& confirmation,
                             const TriedSource* tried, const TriedSource* parent,
                             const LessonScope& scope) {
  if (!confirmation.verdict.is_correct() || !confirmation.speedup.is_faster) return std::nullopt;
  if (best.candidate.origin == Origin::Playbook || best.candidate.source.empty())
    return std::nullopt;
  Lesson lesson = lesson_in(scope, LessonKind::Win, best.number);
  lesson.source_sha256 = best.candidate.sha256;
  lesson.gain = confirmation.speedup;
  lesson.key = key_of(lesson, "task " + lesson.task, best.candidate.sha256);
  lesson.text = "Confirmed: " + gain_in_words(confirmation.speedup);
  if (!confirmation.machine.empty()) lesson.text += " on " + confirmation.machine;
  if (!best.candidate.techniques.empty())
    lesson.text += "; " + techniques_text(best.candidate.techniques);
  std::vector<std::string> knobs;
  for (const auto& [name, value] : best.candidate.knobs)
    knobs.push_back(fmt::format("{} = {}", name, value));
  if (!knobs.empty()) lesson.text += "; " + join(knobs, ", ");
  lesson.text += ".";
  if (parent != nullptr && parent->speedup > 0)
    lesson.text += fmt::format(" Made from a kernel that reached {:.3g}x ({}).", parent->speedup,
                               parent->label);
  if (tried != nullptr && !tried->plan.empty())
    lesson.text += " Its author's plan: “" + tried->plan + "”";
  return lesson;
}

std::optional<Lesson> summary_of(const RunSummary& run, const std::vector<TriedSource>& tried,
                                 const std::optional<Evaluation>& confirmation,
                                 const LessonScope& scope) {
  if (tried.empty()) return std::nullopt;
  std::vector<std::string> helped, slower, failed;
  for (const TriedSource& t : tried) {
    if (t.outcome != Outcome::Correct)
      failed.push_back(fmt::format("{} ({}{})", t.label, plain(name_of(t.outcome)),
                                   t.facts.pattern == MismatchPattern::None
                                       ? ""
                                       : fmt::format(": {}", advice_on(t.facts.pattern).seen)));
    else if (t.is_gain)
      helped.push_back(fmt::format("{} {:.3g}x", t.label, t.speedup));
    else
      slower.push_back(
          fmt::format("{} {:.3g}x{}", t.label, t.speedup,
                      t.facts.cause_words.empty() ? "" : " (" + t.facts.cause_words + ")"));
  }
  Lesson lesson = lesson_in(scope, LessonKind::Insight, 0);
  lesson.key = key_of(lesson, "task " + lesson.task, "run " + scope.run);
  lesson.text = fmt::format("{} kernel{} tried against `{}`.", tried.size(),
                            tried.size() == 1 ? "" : "s", run.config.baseline);
  const auto add = [&](std::string_view what, const std::vector<std::string>& items) {
    if (items.empty()) return;
    const std::vector<std::string> last(
        items.end() - static_cast<std::ptrdiff_t>(std::min(items.size(), kMostOfASummary)),
        items.end());
    lesson.text +=
        fmt::format(" {}: {}{}.", what, items.size() > last.size() ? "…, " : "", join(last, ", "));
  };
  add("Helped", helped);
  add("Did not", slower);
  add("Failed", failed);
  if (confirmation && confirmation->speedup.value > 0)
    lesson.text +=
        fmt::format(" {} {}.", confirmation->speedup.is_faster ? "Confirmed:" : "Not confirmed:",
                    gain_in_words(confirmation->speedup));
  return lesson;
}

}  // namespace kw::memory

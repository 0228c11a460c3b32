// The finding rules, one function each, and their order.
// SPDX-License-Identifier: Apache-2.0
#include "profile/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/contains.h"
#include "base/text.h"
#include "compile/remarks.h"
#include "compile/source_loops.h"
#include "profile/kernel_rules.h"
#include "profile/roofline.h"
#include "record/interval.h"
#include "record/wording.h"

namespace kw::profile {
namespace {

// Best speedup by worst speedup, above which the worst shape is named. Our choice: a smaller
// difference does not matter behind the geometric mean.
constexpr double kApart = 1.1;
// Share of the allowed error from which on an error is reported although it passes. Our choice:
// gates are set so that correct forms need a quarter of what is allowed.
constexpr double kNearGate = 0.5;

// First rank of each group of findings, far apart; what a proposer must fix first has the lowest
// rank.
enum Weight {
  kVerdict = 0,
  kFailure = 100,
  kGoal = 300,
  kSpeed = 400,
  kRoofline = 500,
  kVectorization = 600,
  kResource = 700,
  kNote = 800
};

using Findings = std::vector<Finding>;

/// `about` is the stable name of the rule, and of what it found where that differs.
void add(Findings& out, int weight, FindingKind kind, std::string about, Wording words,
         std::string place = {}, std::string frame = {}) {
  out.push_back({kind, weight, std::move(words.text), std::move(frame), std::move(place),
                 MismatchPattern::None, std::move(about), std::move(words.numbers)});
}

std::string in_words(Outcome outcome) {
  std::string words(name_of(outcome));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

void explain_verdict(const Evaluation& e, Findings& out) {
  if (e.verdict.is_correct()) return;
  add(out, kVerdict, FindingKind::Verdict, std::string(name_of(e.verdict.outcome)),
      {fmt::format("Ended at stage {}: {}{}{}.", name_of(e.verdict.stage),
                   in_words(e.verdict.outcome), e.verdict.evidence.empty() ? "" : ": ",
                   std::string(trim(e.verdict.evidence))),
       e.verdict.seen.numbers});
}

void keep_given(const Evaluation& e, Findings& out) {
  for (const Finding& given : e.findings) {
    Finding f = given;
    const bool is_failure = f.kind == FindingKind::Diagnostic || f.kind == FindingKind::Mismatch;
    const int weight = is_failure ? kFailure : f.kind == FindingKind::Resource ? kResource : kNote;
    f.rank = weight + std::clamp(f.rank, 0, 99);
    out.push_back(std::move(f));
  }
}

double shortfall(double reached, double wanted) { return wanted / reached; }

void explain_goals(const Evaluation& e, const Task& task, Findings& out) {
  const auto say = [&](double factor, const std::string& goal, const Wording& what) {
    if (factor <= 1)
      add(out, kGoal, FindingKind::Goal, goal + " reached",
          worded("The goal of {} is reached.", what));
    else
      add(out, kGoal, FindingKind::Goal, goal + " missed",
          worded("The goal of {} needs the kernel {:.3g} times faster than it is.", what, factor));
  };
  if (task.goals.speedup && e.speedup.value > 0)
    say(shortfall(e.speedup.value, *task.goals.speedup), "speedup",
        worded("{:.3g}x over {}", *task.goals.speedup, e.speedup.baseline));
  if (task.goals.roof && e.roofline_fraction > 0)
    say(shortfall(e.roofline_fraction, *task.goals.roof), "roof",
        worded("{:.2f} of the roofline", *task.goals.roof));
  if (!task.goals.time_ns) return;
  double slowest = 0;
  for (const WorkloadResult& w : e.workloads)
    if (w.group == Group::Time) slowest = std::max(slowest, w.median_ns);
  if (slowest > 0)
    say(slowest / *task.goals.time_ns, "time", worded("{}", InNs{*task.goals.time_ns}));
}

void explain_speedup(const Evaluation& e, Findings& out) {
  if (e.speedup.value > 0) {
    const std::string word = e.speedup.is_faster ? "faster than"
                             : has_interval(e.speedup) && e.speedup.high < 1.0
                                 ? "slower than"
                                 : "not distinguishable from";
    const Wording floor =
        e.speedup.noise_floor ? worded("noise floor {:.3g}", *e.speedup.noise_floor) : Wording();
    const Wording interval = has_interval(e.speedup)
                                 ? worded("{:.3g} to {:.3g} at {:.3g}", e.speedup.low,
                                          e.speedup.high, e.speedup.confidence)
                                 : Wording();
    const Wording both{in_brackets(interval.text, floor.text), (interval + floor).numbers};
    add(out, kSpeed, FindingKind::History, word,
        worded("Overall {} {}: speedup {:.3g}{}.", word, e.speedup.baseline, e.speedup.value,
               both));
  }
  const WorkloadResult* worst = nullptr;
  const WorkloadResult* best = nullptr;
  for (const WorkloadResult& w : e.workloads) {
    if (w.group != Group::Time || w.speedup.value <= 0) continue;
    if (worst == nullptr || w.speedup.value < worst->speedup.value) worst = &w;
    if (best == nullptr || w.speedup.value > best->speedup.value) best = &w;
  }
  if (worst != nullptr && best->speedup.value > kApart * worst->speedup.value)
    add(out, kSpeed + 1, FindingKind::History, "shapes differ",
        worded("Shapes differ: {:.3g}x on {}, {:.3g}x on {}.", worst->speedup.value, worst->name,
               best->speedup.value, best->name),
        worst->name);
}

void explain_rooflines(const Evaluation& e, Findings& out) {
  for (const WorkloadResult& w : e.workloads) {
    if (w.group != Group::Time || w.roofline.bound == Bound::Unknown) continue;
    const InSi rate = w.roofline.bound == Bound::Compute ? InSi{w.flops_per_s, "flop/s"}
                                                         : InSi{w.bytes_per_s, "B/s"};
    add(out, kRoofline, FindingKind::Roofline, "roofline",
        worded("{}: {} per call, {}. {}", w.name, InNs{w.median_ns}, rate, w.roofline.advice),
        w.name);
  }
}

std::string_view text_of(const BuildUnit& unit) {
  for (const SourceFile& file : unit.files)
    if (file.name == unit.main_file) return file.text;
  return {};
}

std::string line_of(const BuildUnit& unit, int line, int column) {
  const std::string_view text = text_of(unit);
  const Position at{static_cast<std::size_t>(line), static_cast<std::size_t>(std::max(column, 1))};
  return render_frame(text, offset_of(text, at), "this loop");
}

void explain_loops(const BuildUnit& unit, Findings& out) {
  if (unit.object.empty()) return;
  int vectorized = 0, widest = 0, order = 0;
  std::vector<int> told;
  for (const compile::LoopRemark& loop : compile::parse_remarks(unit.object.front().log)) {
    if (loop.vector_bytes > 0) {
      ++vectorized;
      widest = std::max(widest, loop.vector_bytes);
      continue;
    }
    // The compiler also reports loops that it made of plain statements.
    const int line = compile::loop_line(text_of(unit), loop.line);
    if (line == 0 || contains(told, line)) continue;
    told.push_back(line);
    const int column = line == loop.line ? loop.column : 1;
    const std::string why = loop.reason.empty() ? "the compiler gives no reason" : loop.reason;
    add(out, kVectorization + std::min(order++, 98), FindingKind::Vectorization, why,
        worded("The loop in line {} is not vectorised: {}.", line, why),
        fmt::format("{}:{}:{}", unit.main_file, line, column), line_of(unit, line, column));
  }
  if (vectorized > 0)
    add(out, kVectorization + 99, FindingKind::Vectorization, "",
        worded("{} loop{} vectorised, the widest with {}-byte vectors.", vectorized,
               vectorized == 1 ? " is" : "s are", widest));
}

/// Drops the compiler's findings about kernels that no timed workload launches if the candidate is
/// correct, because they bear on nothing; if the candidate failed, they come last.
void pass_over_untimed(const Evaluation& e, const Facts& facts, Findings& out) {
  const bool has_object = facts.unit != nullptr && !facts.unit->object.empty();
  if (facts.gpu == nullptr || facts.plans.empty() || !has_object) return;
  const auto timed = launched_kernels(facts.plans);
  const auto is_untimed = [&](const Finding& f) {
    return f.kind == FindingKind::Resource &&
           facts.unit->object.front().kernel(f.place) != nullptr &&
           std::ranges::find(timed, f.place, &LaunchedKernel::name) == timed.end();
  };
  if (e.verdict.is_correct()) {
    std::erase_if(out, is_untimed);
    return;
  }
  for (Finding& f : out)
    if (is_untimed(f)) f.rank += kNote;
}

void explain_kernels(const Facts& facts, Findings& out) {
  if (facts.gpu == nullptr || facts.unit == nullptr) return;
  for (Finding& f : kernel_findings(*facts.unit, facts.plans, *facts.gpu)) {
    f.rank = kResource + std::min(f.rank, 99);
    out.push_back(std::move(f));
  }
}

void explain_noise(const Evaluation& e, Findings& out) {
  for (const WorkloadResult& w : e.workloads) {
    if (w.is_nondeterministic)
      add(out, kNote, FindingKind::Note, "different bits",
          worded("{}: two calls on equal inputs gave different bits, within tolerance.", w.name),
          w.name);
    if (w.outcome == Outcome::Unmeasurable)
      add(out, kSpeed + 2, FindingKind::Note, "unmeasurable",
          worded("{} could not be measured{}{}.", w.name, w.note.empty() ? "" : ": ", w.note),
          w.name);
    if (w.accuracy.gate_fraction > kNearGate && w.accuracy.gate_fraction <= 1)
      add(out, kNote + 1, FindingKind::Note, "near the tolerance",
          worded("{}: the largest error uses {:.2f} of what the tolerance allows.", w.name,
                 w.accuracy.gate_fraction),
          w.name);
  }
}

// Notes that the device is a MIG slice. A slice has its own compute units, cache and memory, but
// shares clock and power (NVIDIA, Multi-Instance GPU User Guide).
void explain_slice(const Evaluation& e, const GpuFacts& gpu, Findings& out) {
  if (gpu.is_mig && e.verdict.stage >= Stage::Measure)
    add(out, kSpeed + 4, FindingKind::Note, "mig slice",
        worded("This GPU is a MIG slice: others compute in the slices beside it, and clock and "
               "power, which it shares with them, move these times. The driver does not tell who "
               "they are."));
}

void explain_moments(const Evaluation& e, Findings& out) {
  std::vector<std::string> foreign;
  std::vector<std::string> reasons;
  for (const GpuMoment& m : e.moments) {
    for (const std::string& name : m.foreign)
      if (!contains(foreign, name)) foreign.push_back(name);
    for (const std::string& name : m.throttled_by)
      if (!contains(reasons, name)) reasons.push_back(name);
  }
  if (!foreign.empty())
    add(out, kSpeed + 3, FindingKind::Note, "other processes",
        worded("While the kernel was timed, other processes had a context on this GPU: {}. "
               "Their work may be part of these times; measure again with the GPU to yourself.",
               join(foreign, ", ")));
  if (!reasons.empty())
    add(out, kNote + 2, FindingKind::Note, "clock held down",
        worded("The GPU's clock was held down: {}.", join(reasons, ", ")));
}

}  // namespace

std::vector<Finding> explain(const Evaluation& evaluation, const Facts& facts, std::size_t limit) {
  Findings out;
  explain_verdict(evaluation, out);
  keep_given(evaluation, out);
  pass_over_untimed(evaluation, facts, out);
  if (facts.task != nullptr) explain_goals(evaluation, *facts.task, out);
  explain_speedup(evaluation, out);
  explain_rooflines(evaluation, out);
  if (facts.unit != nullptr && evaluation.verdict.stage > Stage::Compile)
    explain_loops(*facts.unit, out);
  // Grids and occupancy are about speed, so they are reported for kernels that are right only.
  const bool is_right =
      evaluation.verdict.is_correct() || evaluation.verdict.outcome == Outcome::Unmeasurable;
  if (evaluation.verdict.stage > Stage::Compile && is_right) explain_kernels(facts, out);
  explain_noise(evaluation, out);
  explain_moments(evaluation, out);
  if (facts.gpu != nullptr) explain_slice(evaluation, *facts.gpu, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.rank < b.rank; });
  if (out.size() > limit) out.resize(limit);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = static_cast<int>(i) + 1;
  return out;
}

}  // namespace kw::profile

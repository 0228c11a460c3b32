// Records what the gates said of each mutant, and decides when no further input set is needed.
// SPDX-License-Identifier: Apache-2.0
#include "referee/mutant_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "referee/mutant_answer.h"

namespace kw::referee {
namespace {

void learn(MutantResult& result, const Judged& judged, const std::string& note) {
  ++result.sets;
  if (judged.is_right) {
    if (result.fate == MutantFate::Inapplicable) result.note = note;
    return;
  }
  result.note = note;
  if (judged.passed) {
    result.fate = MutantFate::Passed;
    result.gate_fraction = std::max(result.gate_fraction, judged.gate_fraction);
  } else {
    result.fate = MutantFate::Caught;
    result.gate_fraction = judged.gate_fraction;
  }
}

/// Whether `pattern`, in which * stands for any text, matches the whole of `text`.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*')
    return !text.empty() && pattern.front() == text.front() &&
           matches(pattern.substr(1), text.substr(1));
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped)
    if (matches(pattern.substr(1), text.substr(skipped))) return true;
  return false;
}

/// By how much an input may be off once it is rounded to 16 bits of mantissa. A task whose gate of
/// kind `field` allows this share of a field's norm accepts inputs of 16 bits by its own choice.
constexpr double kSixteenBits = 0x1p-17;

bool is_let_pass_by_field(const Task& task, std::string_view name) {
  return task.gate.kind == GateKind::Field && task.gate.l2 >= kSixteenBits &&
         matches("* rounded to 16 bits", name);
}

/// Whether the mutant must be tried again. An excused mutant that has passed must not: no further
/// input set could change its fate.
bool is_still_open(const Task& task, const MutantResult& result) {
  if (result.fate == MutantFate::Passed)
    return result.sets < kMutantSets && !excuse_of(task, result.name, result.workload);
  return result.fate == MutantFate::Inapplicable && result.sets < kSetsToApply;
}

}  // namespace

std::optional<std::string> excuse_of(const Task& task, std::string_view name,
                                     std::string_view workload) {
  if (is_let_pass_by_field(task, name))
    return "the gate 'field' allows each tensor the error that inputs of 16 bits bring";
  for (const Excuse& excuse : task.excused) {
    const bool is_here =
        excuse.on.empty() || std::ranges::find(excuse.on, workload) != excuse.on.end();
    if (is_here && matches(excuse.mutant, name)) return excuse.why;
  }
  return std::nullopt;
}

MutantTrial::MutantTrial(const Task& task, const Workload& workload, TrialOutside outside,
                         std::unique_ptr<LoopCuts> loops)
    : task_(task), workload_(workload), outside_(std::move(outside)), loops_(std::move(loops)) {
  std::vector<Mutant> mutants = mutants_of(workload);
  if (loops_) std::ranges::move(loops_->mutants(), std::back_inserter(mutants));
  for (Mutant& mutant : mutants) {
    Entry& entry = entries_.emplace_back();
    entry.plain.name = mutant.name;
    entry.plain.workload = workload.name;
    if (mutant.must_show()) entry.plain.input = workload.tensors[mutant.tensor].name;
    if (has_own_place(workload, mutant)) {
      entry.own_right = entry.plain;
      entry.own_right->name += ", its own results right";
    }
    entry.mutant = std::move(mutant);
  }
}

int MutantTrial::open() const {
  int count = 0;
  for (const Entry& entry : entries_)
    count += is_still_open(task_, entry.plain) +
             (entry.own_right && is_still_open(task_, *entry.own_right));
  return count;
}

Result<> MutantTrial::run(Subject& subject) {
  ++sets_;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const bool asks_own_right = entry.own_right && is_still_open(task_, *entry.own_right);
    const bool asks_plain = is_still_open(task_, entry.plain);
    if (!asks_own_right && !asks_plain) continue;
    if (outside_.is_spent && outside_.is_spent()) return {};
    if (outside_.tell)
      outside_.tell(fmt::format("mutant {} of {} on workload '{}', input set {}: {}", i + 1,
                                entries_.size(), workload_.name, sets_, entry.mutant.name));
    const Tried tried = entry.mutant.kind == MutantKind::Cut
                            ? KW_TRY(loops_->try_mutant(subject, entry.mutant))
                            : KW_TRY(try_mutant(subject, entry.mutant, asks_own_right));
    entry.blind += tried.is_blind;
    entry.unanswered += !tried.has_answer;
    if (asks_plain)
      learn(entry.plain, tried.has_answer ? tried.plain : Judged{.is_right = true}, tried.note);
    if (asks_own_right)
      learn(
          *entry.own_right, tried.own_right.value_or(Judged{.is_right = true}),
          tried.own_right && tried.own_right->is_right ? "nothing else depends on it" : tried.note);
  }
  return {};
}

std::vector<MutantResult> MutantTrial::results() const {
  std::vector<MutantResult> all;
  const auto add = [&](MutantResult result, bool is_blind) {
    if (is_still_open(task_, result)) return;
    if (result.fate == MutantFate::Inapplicable && is_blind) result.fate = MutantFate::Blind;
    if (const auto why = excuse_of(task_, result.name, result.workload);
        why && is_hole(result.fate)) {
      result.fate = MutantFate::Excused;
      result.note = *why;
    }
    all.push_back(std::move(result));
  };
  for (const Entry& entry : entries_) {
    add(entry.plain, 2 * entry.blind > entry.plain.sets && entry.unanswered == 0);
    if (entry.own_right) add(*entry.own_right, false);
  }
  return all;
}

}  // namespace kw::referee

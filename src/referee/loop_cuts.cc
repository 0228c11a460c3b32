// Runs a changed reference, and compares its answers and times with those of the whole one.
// SPDX-License-Identifier: Apache-2.0
#include "referee/loop_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "device/player.h"

namespace kw::referee {
namespace {

// A cut that saves less time cuts something that hardly counts, such as a loop that sets zeros.
constexpr double kMostTime = 0.75;
constexpr int kPairs = 5;
constexpr double kLongPairNs = 1e9;  // a pair that takes so long and saves nothing is the last one
// A shorter call tells nothing of what was saved.
constexpr double kLeastWholeNs = 200'000;
// Sums whose order is turned round use less of what the gates allow. Our choice: it is the share
// from which on a note says that the reference at the task's type is near the gate.
constexpr double kMostByOrder = 0.25;

std::string name_of(const ReferenceLoop& loop, LoopCut cut) {
  const std::string which = fmt::format("loop {} of line {}", loop.variable, loop.line);
  switch (cut) {
    case LoopCut::SecondHalf:
      return which + " ended after half";
    case LoopCut::BeyondForty:
      return which + " ended after 40";
    case LoopCut::Last:
      return which + " without its last pass";
    case LoopCut::First:
      return which + " without its first pass";
    case LoopCut::Backwards:
      return which + " run backwards";
  }
  return which;
}

bool is_large(LoopCut cut) { return cut == LoopCut::SecondHalf || cut == LoopCut::BeyondForty; }

LoopCut cut_of(int number) { return static_cast<LoopCut>((number - 1) % kLoopCuts); }

}  // namespace

std::unique_ptr<LoopCuts> LoopCuts::of(const EvaluationRequest& request, const TruthMaker& maker,
                                       const Workload& workload) {
  const BuildUnit* unit = request.unit(kLoopsRole);
  auto program = program_of(request, kLoopsRole);
  if (unit == nullptr || !program || request.task.signature.size() >= device::kMostArguments)
    return nullptr;
  return std::unique_ptr<LoopCuts>(
      new LoopCuts(request, maker, workload, *std::move(program), loops_of(*unit)));
}

LoopCuts::LoopCuts(const EvaluationRequest& request, const TruthMaker& maker,
                   const Workload& workload, Program program, std::vector<ReferenceLoop> loops)
    : task_(request.task),
      workload_(workload),
      program_(std::move(program)),
      loops_(std::move(loops)),
      maker_(maker) {
  task_.signature.insert(task_.signature.begin(),
                         {kLoopArgument, false, Dtype::I32, TensorRole::In});
  workload_.scalars.push_back({.name = kLoopArgument, .dtype = Dtype::I32});
  maker_.task = &task_;
  maker_.reference = &program_;
  // What a cut leaves unwritten is not zero by chance.
  maker_.poison = Seed::from_number(request.seed).child("loop cuts");
}

std::vector<Mutant> LoopCuts::mutants() const {
  std::vector<Mutant> all;
  for (std::size_t i = 0; i < loops_.size(); ++i)
    for (int cut = 0; cut < kLoopCuts; ++cut) {
      const int number = 1 + static_cast<int>(i) * kLoopCuts + cut;
      all.push_back(
          {.name = name_of(loops_[i], cut_of(number)), .kind = MutantKind::Cut, .count = number});
    }
  return all;
}

Result<std::optional<std::string>> LoopCuts::answer(Subject& subject, int number) {
  workload_.scalars.back().integer = number;
  if (!series_) {
    maker_.timeout_ns = subject.patience_ns();
    series_ = std::make_unique<TruthSeries>(maker_, workload_);
  }
  return subject.recompute_by(*series_);
}

// The changed reference with all of its loops must give the right answer.
Result<std::optional<std::string>> LoopCuts::prove_whole(Subject& subject) {
  if (auto trouble = KW_TRY(answer(subject, 0))) return trouble;
  if (!KW_TRY(subject.judge()).is_right)
    return "the reference with loops that can be cut gives another answer";
  is_proven_ = true;
  return std::nullopt;
}

// Share of the time that the reference takes with this cut: the quotient of the least times of a
// few calls of each in turn, since other programs disturb calls. Nothing where too little time is
// measured, or a call failed.
Result<std::optional<double>> LoopCuts::share_of_time(Subject& subject, int number) {
  double whole_ns = std::numeric_limits<double>::max();
  double cut_ns = whole_ns;
  for (int pair = 0; pair < kPairs; ++pair) {
    if (KW_TRY(answer(subject, 0))) return std::nullopt;
    whole_ns = std::min(whole_ns, series_->elapsed_ns());
    if (KW_TRY(answer(subject, number))) return std::nullopt;
    cut_ns = std::min(cut_ns, series_->elapsed_ns());
    if (cut_ns > kMostTime * whole_ns && whole_ns > kLongPairNs) break;
  }
  return whole_ns < kLeastWholeNs ? std::nullopt : std::optional(cut_ns / whole_ns);
}

Result<Tried> LoopCuts::try_mutant(Subject& subject, const Mutant& mutant) {
  Tried tried;
  std::optional<std::string> trouble;
  if (!is_proven_) trouble = KW_TRY(prove_whole(subject));
  if (!trouble) trouble = KW_TRY(answer(subject, mutant.count));
  if (trouble) {
    tried.has_answer = false;
    tried.note = *trouble;
    return tried;
  }
  tried.plain = KW_TRY(subject.judge());
  if (cut_of(mutant.count) == LoopCut::Backwards) {
    tried.plain.is_right |= tried.plain.passed && tried.plain.gate_fraction <= kMostByOrder;
    if (tried.plain.is_right) tried.note = "the order of the passes changes no result";
    return tried;
  }
  if (!tried.plain.is_right) return tried;
  tried.note = "the passes that are left out change no result";
  if (!is_large(cut_of(mutant.count))) return tried;
  const auto share = KW_TRY(share_of_time(subject, mutant.count));
  tried.is_blind = share && *share <= kMostTime;
  if (tried.is_blind) tried.note = fmt::format("in {:.0f} % of the time", 100 * *share);
  return tried;
}

}  // namespace kw::referee

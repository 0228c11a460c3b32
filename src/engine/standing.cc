// Computes classes, chained speedups and rewards of attempts.
// SPDX-License-Identifier: Apache-2.0
#include "engine/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "engine/traits.h"
#include "record/interval.h"
#include "record/target.h"

namespace kw::engine {

Speedup chain(const Speedup& first, const Speedup& second) {
  Speedup product = second;
  product.value = first.value * second.value;
  product.baseline = first.baseline;
  if (product.value <= 0 || first.low <= 0 || second.low <= 0) {
    product.low = product.high = 0;
    return product;
  }
  const double below =
      std::hypot(std::log(first.value / first.low), std::log(second.value / second.low));
  const double above =
      std::hypot(std::log(first.high / first.value), std::log(second.high / second.value));
  product.low = product.value * std::exp(-below);
  product.high = product.value * std::exp(above);
  return product;
}

Standing::Standing(Candidate baseline, const search::RewardPolicy& policy) : policy_(policy) {
  baseline_.against_baseline.baseline = baseline.name;
  baseline_.candidate = std::move(baseline);
  incumbent_ = baseline_;
}

OutcomeClass Standing::classify(const Attempt& attempt, const Incumbent& opponent) const {
  const Evaluation& e = attempt.evaluation;
  if (!e.verdict.is_correct()) return OutcomeClass::Failed;
  if (!e.speedup.is_faster) return OutcomeClass::NoGain;
  // A pair against an incumbent that has since been beaten proves less, so speedups are compared on
  // the common scale.
  if (opponent.attempt != incumbent_.attempt &&
      attempt.against_baseline.low <= incumbent_.against_baseline.value)
    return OutcomeClass::NoGain;
  return OutcomeClass::NewBest;
}

void Standing::advance(const Attempt& attempt) {
  const Evaluation& e = attempt.evaluation;
  ++statistics_.attempts;
  if (!e.verdict.is_unanswered()) ++statistics_.attempts_since_best;
  statistics_.spent_ns = static_cast<double>(attempt.at_ns);
  if (!e.verdict.is_correct()) return;
  if (attempt.against_baseline.value > fastest_speedup_) {
    fastest_speedup_ = attempt.against_baseline.value;
    fastest_correct_ = attempt.number;
  }
  if (attempt.recalled == 0) rank(attempt);
  if (attempt.outcome_class != OutcomeClass::NewBest) return;
  incumbent_ = {attempt.number, attempt.candidate, attempt.against_baseline};
  is_incumbent_unfit_ = false;
  statistics_.attempts_since_best = 0;
  statistics_.has_best = true;
  statistics_.best_time_ns = e.mean_time_ns();
  statistics_.best_speedup = attempt.against_baseline.low;
  statistics_.best_roof = e.roofline_fraction;
}

void Standing::count_fruitless(const Attempt& attempt, bool is_written) {
  const Verdict& verdict = attempt.evaluation.verdict;
  if (attempt.recalled == 0 && verdict.stage != Stage::Propose)
    statistics_.fruitless = 0;
  else if (is_written && !verdict.is_unanswered())
    ++statistics_.fruitless;  // a tuner's points never count
}

void Standing::rank(const Attempt& attempt) {
  const Contender contender{attempt.number, attempt.against_baseline.low};
  if (attempt.against_baseline.value <= 1) return;
  const auto place =
      std::upper_bound(contenders_.begin(), contenders_.end(), contender,
                       [](const Contender& a, const Contender& b) { return a.low > b.low; });
  contenders_.insert(place, contender);
  if (contenders_.size() > kConfirmationTries) contenders_.pop_back();
}

int Standing::best_attempt() const {
  return incumbent_.attempt != 0 ? incumbent_.attempt : fastest_correct_;
}

double Standing::best_speedup() const {
  return incumbent_.attempt != 0 ? incumbent_.against_baseline.value : fastest_speedup_;
}

std::vector<int> Standing::contenders() const {
  std::vector<int> order;
  // The incumbent won its pairs; a larger chained figure at low fidelity is often luck.
  if (best_speedup() > 1) order.push_back(best_attempt());
  for (const Contender& c : contenders_)
    if (c.attempt != best_attempt() && order.size() < kConfirmationTries)
      order.push_back(c.attempt);
  return order;
}

search::Tell Standing::absorb(Attempt& attempt, const search::Ask& ask, const Incumbent& opponent) {
  const Evaluation& e = attempt.evaluation;
  const bool has_failed = !e.opponent_fault.empty();
  if (has_failed && opponent.attempt == incumbent_.attempt) is_incumbent_unfit_ = true;
  const Incumbent& met = has_failed ? baseline_ : opponent;
  if (e.verdict.is_correct() && e.speedup.value > 0)
    attempt.against_baseline = chain(met.against_baseline, e.speedup);
  attempt.outcome_class = classify(attempt, met);
  search::Tell tell = tell_of(attempt, ask.role == search::Role::Write);
  tell.ask = ask.id;
  search::grant(policy_, tell);
  attempt.reward = tell.reward;
  attempt.words = words_for(attempt);
  advance(attempt);
  count_fruitless(attempt, ask.role == search::Role::Write);
  return tell;
}

search::Tell tell_of(const Attempt& attempt, bool is_written) {
  const Evaluation& e = attempt.evaluation;
  search::Tell tell{0, attempt.outcome_class, e.verdict.outcome, 0, attempt.against_baseline};
  tell.stage = e.verdict.stage;
  tell.is_unanswered = e.verdict.is_unanswered();
  tell.time_ns = e.mean_time_ns();
  tell.roofline_fraction = e.roofline_fraction;
  tell.chosen = attempt.chosen;
  tell.traits = traits_of(attempt, is_written);
  return tell;
}

double reward_of(const Attempt& attempt, const search::RewardPolicy& policy) {
  return policy.compute(tell_of(attempt, false));
}

std::string failure_words(const Verdict& verdict) {
  return fmt::format("failed at {}: {}{}", name_of(verdict.stage), name_of(verdict.outcome),
                     verdict.evidence.empty() ? "" : " (" + verdict.evidence + ")");
}

std::string at_path(std::string_view place, std::string_view name, std::string_view path) {
  const std::string own(name);
  std::vector<std::string> files;
  for (const Target target : all_targets())
    for (const std::string& stem : {std::string("candidate"), own})
      files.push_back(stem + std::string(source_suffix(target)));
  files.push_back(own);
  for (const std::string& file : files) {
    if (!place.starts_with(file)) continue;
    const std::string_view rest = place.substr(file.size());
    const bool is_file =
        rest.empty() ? file != own : rest.size() > 1 && rest[0] == ':' && is_digit(rest[1]);
    if (is_file) return std::string(path) + std::string(rest);
  }
  return std::string(place);
}

void move_place(Verdict& verdict, std::string_view name, std::string_view path) {
  std::string moved = at_path(verdict.seen.place, name, path);
  if (moved != verdict.seen.place) set_place(verdict, std::move(moved));
}

std::string path_in_task(const Candidate& baseline) {
  return fmt::format("baselines/{}{}", baseline.name, source_suffix(baseline.target));
}

std::string words_for(const Attempt& attempt) {
  const Evaluation& e = attempt.evaluation;
  if (attempt.recalled != 0) {
    const std::string verdict =
        e.verdict.is_correct()
            ? fmt::format("correct, {:.3f}x the best baseline", attempt.against_baseline.value)
            : failure_words(e.verdict);
    return fmt::format("the same as attempt {}, not judged again: {}", attempt.recalled, verdict);
  }
  if (!e.verdict.is_correct()) return failure_words(e.verdict);
  if (attempt.outcome_class == OutcomeClass::NewBest)
    return fmt::format("new best: {:.3f}x the best baseline, {:.3f}x the previous best",
                       attempt.against_baseline.value, e.speedup.value);
  if (e.speedup.value <= 0) return "correct, not measured";
  // An attempt that was asked for before there was a better one was timed against the baseline.
  const bool met_baseline = e.speedup.baseline == attempt.against_baseline.baseline;
  return fmt::format("correct, no gain: {:.3f}x the best {}{}", e.speedup.value,
                     met_baseline ? "baseline" : "so far", in_brackets(range_text(e.speedup)));
}

}  // namespace kw::engine

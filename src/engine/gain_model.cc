// Gathers samples from the store, computes features, fits the model of gains, and compares judges
// on held-out runs.
// SPDX-License-Identifier: Apache-2.0
#include "engine/gain_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "engine/traits.h"
#include "memory/experience.h"
#include "memory/relabel.h"
#include "record/codec_impl.h"
#include "search/reward_model.h"

namespace kw::engine {
namespace {

constexpr double kMostGain = 2;         // logarithm of the gain
constexpr std::size_t kMostNames = 60;  // only the most tried techniques have a weight of their own
constexpr std::size_t kBounds = EnumNames<Bound>::names.size();
// Number of features of a kernel, not counting those of its bottleneck.
constexpr std::size_t kPlain = 4 + search::kResources.size();
constexpr double kWorthSaying = 0.01;  // logarithm of the gain
constexpr std::size_t kFolds = 5;
constexpr std::size_t kBins = 4;
constexpr const char* kModelEvent = "gain model";

/// What must be remembered of one attempt for the attempts made from it.
struct StepState {
  int parent = 0;
  bool is_correct = false;
  KernelState state;
};

using StepStates = std::map<int, StepState>;

const StepState* made_from(const StepStates& all, int number) {
  while (number != 0) {
    const auto found = all.find(number);
    if (found == all.end() || found->second.is_correct)
      return found == all.end() ? nullptr : &found->second;
    if (found->second.parent >= number) return nullptr;
    number = found->second.parent;
  }
  return nullptr;
}

void add_samples(const std::string& run, const Attempt& attempt, StepStates& standings,
                 std::vector<GainSample>& samples) {
  if (const auto same = standings.find(attempt.recalled); same != standings.end()) {
    const StepState known = same->second;
    standings[attempt.number] = known;
    return;
  }
  const Evaluation& e = attempt.evaluation;
  StepState& here = standings[attempt.number];
  here.parent = attempt.parent;
  here.is_correct = e.verdict.is_correct() && attempt.against_baseline.value > 0;
  const StepState* from = made_from(standings, attempt.parent);
  const KernelState before = from != nullptr ? from->state : KernelState();
  if (here.is_correct) here.state = state_of(attempt);
  // A source that no model wrote shows no step; steps made from it begin there.
  if (attempt.recalled != 0 || attempt.candidate.origin != Origin::Model) return;
  if (!here.is_correct && !memory::is_about_kernels(e.verdict)) return;
  std::vector<std::string> added;
  for (const std::string& technique : memory::techniques_shown(attempt))
    if (!contains(before.techniques, technique)) added.push_back(technique);
  for (const std::string& technique : added) {
    GainSample sample{run, before, technique, e.verdict, 0};
    if (here.is_correct)
      sample.gain = std::clamp(
          std::log(here.state.speedup / before.speedup) / static_cast<double>(added.size()),
          -kMostGain, kMostGain);
    samples.push_back(std::move(sample));
  }
}

std::vector<std::string> most_tried(const std::vector<GainSample>& samples) {
  std::map<std::string, int> tried;
  for (const GainSample& sample : samples) ++tried[sample.technique];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [name, count] : tried) order.emplace_back(-count, name);
  std::ranges::sort(order);
  std::vector<std::string> names;
  for (const auto& [count, name] : order)
    if (names.size() < kMostNames) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

/// A sample that was held out, with what each judge expected of it.
struct HeldOut {
  const GainSample* sample;
  double learned = 0;
  double plain = 0;
  double rules = 0;
};

JudgeComparison::Figures standing_of(const std::vector<HeldOut>& all, double HeldOut::* score,
                                     std::size_t& compared) {
  JudgeComparison::Figures judge;
  double right = 0;
  compared = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all[i].sample->run != all[j].sample->run) continue;
      const double seen = all[i].sample->gain - all[j].sample->gain;
      if (std::abs(seen) < kWorthSaying) continue;
      const double said = all[i].*score - all[j].*score;
      right += said == 0 ? 0.5 : (said > 0) == (seen > 0) ? 1 : 0;
      ++compared;
    }
  judge.pairs = compared == 0 ? 0 : right / static_cast<double>(compared);
  std::vector<HeldOut> order = all;
  std::ranges::stable_sort(order,
                           [&](const HeldOut& a, const HeldOut& b) { return a.*score > b.*score; });
  const std::size_t third = std::max<std::size_t>(1, order.size() / 3);
  // Samples that share the lowest score that counts all count, because an order among them would be
  // luck.
  double sum = 0, count = 0;
  for (const HeldOut& one : order)
    if (one.*score >= order[third - 1].*score) sum += one.sample->gain, ++count;
  judge.top_gain = sum / count;
  return judge;
}

std::vector<JudgeComparison::Bin> calibration_of(std::vector<HeldOut> all) {
  std::ranges::stable_sort(
      all, [](const HeldOut& a, const HeldOut& b) { return a.learned < b.learned; });
  std::vector<JudgeComparison::Bin> bins(std::min(kBins, all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    JudgeComparison::Bin& bin = bins[i * bins.size() / all.size()];
    bin.expected += all[i].learned;
    bin.seen += all[i].sample->gain;
    ++bin.count;
  }
  for (JudgeComparison::Bin& bin : bins) {
    bin.expected /= static_cast<double>(bin.count);
    bin.seen /= static_cast<double>(bin.count);
  }
  return bins;
}

double mean_of(const std::vector<GainSample>& samples) {
  double sum = 0;
  for (const GainSample& sample : samples) sum += sample.gain;
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

/// Every sample with the gain predicted by a model that was not fitted to the sample's run.
std::vector<HeldOut> hold_out(const std::vector<GainSample>& samples,
                              const std::vector<search::TechniqueCard>& cards) {
  const HeldOutModels models(samples);
  const RulesJudge rules(cards);
  std::vector<HeldOut> all;
  for (const GainSample& sample : samples)
    all.push_back({&sample, models.without(sample.run).predict(sample.state, sample.technique),
                   models.mean_without(sample.run), rules.score(sample.state, sample.technique)});
  return all;
}

}  // namespace

KernelState state_of(const Attempt& attempt) {
  const search::Traits traits = traits_of(attempt, false);
  KernelState state;
  state.is_first = false;
  state.speedup = attempt.against_baseline.value > 0 ? attempt.against_baseline.value : 1;
  state.bound = traits.bound;
  state.used = traits.used;
  state.techniques = memory::techniques_shown(attempt);
  return state;
}

Result<std::vector<GainSample>> gain_samples(const store::RunStore& store, Target target) {
  std::vector<GainSample> samples;
  for (const RunSummary& run : KW_TRY(store.list())) {
    if (run.config.target != target) continue;
    StepStates standings;
    KW_TRY(store.attempts().for_each(
        run.id, store::Sources::LeaveOut,
        [&](Attempt& attempt) -> Result<> {
          add_samples(run.name, attempt, standings, samples);
          return {};
        },
        store::Samples::LeaveOut));
  }
  return samples;
}

std::vector<double> GainModel::features(const KernelState& state,
                                        const std::string& technique) const {
  const std::size_t names = names_.size();
  std::vector<double> all(kPlain + kBounds + names + names * kBounds, 0);
  all[0] = 1;
  all[1] = state.is_first ? 1 : 0;
  all[2] = std::log(std::clamp(state.speedup, 0.05, 20.0));
  all[3] = std::min<double>(8, static_cast<double>(state.techniques.size())) / 8;
  for (std::size_t r = 0; r < search::kResources.size(); ++r)
    all[4 + r] = search::share_of(state.used, search::kResources[r]);
  const auto bound = static_cast<std::size_t>(state.bound);
  all[kPlain + bound] = 1;
  const auto name = std::ranges::lower_bound(names_, technique);
  if (name == names_.end() || *name != technique) return all;
  const auto place = static_cast<std::size_t>(name - names_.begin());
  all[kPlain + kBounds + place] = 1;
  all[kPlain + kBounds + names + place * kBounds + bound] = 1;
  return all;
}

GainModel GainModel::fit(const std::vector<GainSample>& samples) {
  GainModel model;
  model.names_ = most_tried(samples);
  model.tried_.assign(model.names_.size(), 0);
  model.samples_ = static_cast<int>(samples.size());
  search::RewardModel regression(model.features({}, "").size());
  for (const GainSample& sample : samples) {
    regression.update(model.features(sample.state, sample.technique), sample.gain);
    const auto name = std::ranges::lower_bound(model.names_, sample.technique);
    if (name != model.names_.end() && *name == sample.technique)
      ++model.tried_[static_cast<std::size_t>(name - model.names_.begin())];
  }
  model.weights_ = regression.weights();
  return model;
}

double GainModel::predict(const KernelState& state, const std::string& technique) const {
  const std::vector<double> x = features(state, technique);
  if (x.size() != weights_.size()) return 0;  // the weights come from another program's store
  return std::inner_product(x.begin(), x.end(), weights_.begin(), 0.0);
}

std::optional<std::string> GainModel::best(const KernelState& state) const {
  std::optional<std::string> best;
  double most = kWorthSaying;
  for (const std::string& name : names_) {
    if (contains(state.techniques, name)) continue;
    if (const double gain = predict(state, name); gain > most) most = gain, best = name;
  }
  return best;
}

double expected_of(const GainModel& model, const Attempt* parent, const Candidate& candidate) {
  const bool has_parent = parent != nullptr && parent->evaluation.verdict.is_correct();
  const KernelState state = has_parent ? state_of(*parent) : KernelState();
  double sum = 0, count = 0;
  for (const std::string& technique : candidate.techniques)
    if (!contains(state.techniques, technique)) sum += model.predict(state, technique), ++count;
  return count > 0 ? sum / count : 0;
}

std::string instruction_of(const GainModel& model, const KernelState& state,
                           const std::vector<search::TechniqueCard>& cards) {
  const auto technique = model.best(state);
  if (!technique) return {};
  std::vector<std::string> card_names;
  for (const search::TechniqueCard& card : cards) card_names.push_back(card.name);
  memory::Relabeller names(card_names);
  const auto card = std::ranges::find(cards, names.label(*technique), &search::TechniqueCard::name);
  std::string words = state.bound == Bound::Unknown
                          ? "- What limits this kernel is not known."
                          : fmt::format("- This kernel is {}-bound.", name_of(state.bound));
  words += fmt::format("\n- Apply `{}`", *technique);
  if (card != cards.end()) words += ": " + card->what;
  words += fmt::format(
      ".\n- {} recorded steps of this workspace make {:.2f}x the expectation for it here. Change "
      "nothing else.",
      model.samples(), std::exp(model.predict(state, *technique)));
  return words;
}

HeldOutModels::HeldOutModels(const std::vector<GainSample>& samples) {
  for (const GainSample& sample : samples) folds_.try_emplace(sample.run, folds_.size() % kFolds);
  const std::size_t folds = std::min(kFolds, folds_.size());
  KW_ASSERT(folds > 1);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<GainSample> others;
    for (const GainSample& sample : samples)
      if (folds_.at(sample.run) != fold) others.push_back(sample);
    models_.push_back(GainModel::fit(others));
    means_.push_back(mean_of(others));
  }
}

const GainModel& HeldOutModels::without(const std::string& run) const {
  return models_[folds_.at(run)];
}

double HeldOutModels::mean_without(const std::string& run) const { return means_[folds_.at(run)]; }

RulesJudge::RulesJudge(const std::vector<search::TechniqueCard>& cards)
    : cards_(cards), names_([&] {
        std::vector<std::string> names;
        for (const search::TechniqueCard& card : cards) names.push_back(card.name);
        return names;
      }()) {}

double RulesJudge::score(const KernelState& state, const std::string& technique) const {
  memory::Relabeller names = names_;  // a copy: unknown names get a label of their own in it
  const auto card = std::ranges::find(cards_, names.label(technique), &search::TechniqueCard::name);
  if (card == cards_.end() || state.bound == Bound::Unknown) return 0.5;
  const bool is_late = state.bound == Bound::Launch || state.bound == Bound::Latency;
  return card->resource == (is_late ? "latency" : name_of(state.bound)) ? 1 : 0;
}

JudgeComparison compare_judges(const std::vector<GainSample>& samples,
                               const std::vector<search::TechniqueCard>& cards) {
  JudgeComparison result;
  std::set<std::string> runs;
  for (const GainSample& sample : samples) runs.insert(sample.run);
  result.samples = samples.size();
  result.runs = runs.size();
  result.mean_gain = mean_of(samples);
  if (runs.size() < 2) return result;
  const std::vector<HeldOut> all = hold_out(samples, cards);
  result.learned = standing_of(all, &HeldOut::learned, result.compared);
  result.rules = standing_of(all, &HeldOut::rules, result.compared);
  for (const HeldOut& one : all) {
    result.error += std::abs(one.learned - one.sample->gain);
    result.plain_error += std::abs(one.plain - one.sample->gain);
  }
  result.error /= static_cast<double>(all.size());
  result.plain_error /= static_cast<double>(all.size());
  result.calibration = calibration_of(all);
  return result;
}

Result<std::vector<GainSample>> samples_to_learn_from(const store::RunStore& store, Target target) {
  auto samples = KW_TRY(gain_samples(store, target));
  if (samples.size() < GainModel::kLeastSamples)
    return fail_input(
        ErrorCode::Missing, About{"recorded steps"},
        fmt::format(
            "{} steps by models are recorded for target {}, and {} are needed to learn what "
            "techniques gain: search without --judge learned and --shortlist first",
            samples.size(), name_of(target), GainModel::kLeastSamples));
  return samples;
}

Result<GainModel> model_of_run(store::RunStore& store, const RunSummary& run) {
  const auto known = KW_TRY(store.events().of(run.id, kModelEvent));
  if (!known.empty()) return decode<GainModel>(known.front().body);
  const GainModel model = GainModel::fit(KW_TRY(samples_to_learn_from(store, run.config.target)));
  KW_TRY(store.events().append(run.id, {0, kModelEvent, 0, encode(model)}));
  return model;
}

}  // namespace kw::engine

// What a next technique is expected to gain on a kernel, fitted to the steps that the store has
// recorded. Used by the learned judge, and to rank proposals before they are judged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory/relabel.h"
#include "record/attempt.h"
#include "search/technique_card.h"
#include "store/run_store.h"

namespace kw::engine {

/// A kernel before a step, as the gain model sees it: its speed, its bottleneck, its profile.
struct KernelState {
  bool is_first = true;  ///< True: there is no kernel yet.
  double speedup = 1;    ///< Speedup over the baseline.
  Bound bound = Bound::Unknown;
  std::map<std::string, double> used;   ///< The same as search::Traits::used.
  std::vector<std::string> techniques;  ///< Techniques that the kernel shows.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("is_first", s.is_first), v("speedup", s.speedup), v("bound", s.bound), v("used", s.used),
        v("techniques", s.techniques);
  }
};

KernelState state_of(const Attempt& attempt);

/// One recorded optimisation step: a technique that was applied to a kernel, and the result.
struct GainSample {
  std::string run;
  KernelState state;
  std::string technique;
  Verdict verdict;
  /// Logarithm of the gain, limited to ±2; 0 for a failure, which gained nothing.
  double gain = 0;
};

/// Samples of all recorded runs for the target, oldest run first. Techniques that came together
/// give one sample each, with an equal part of the gain.
Result<std::vector<GainSample>> gain_samples(const store::RunStore& store, Target target);

/// A model that is linear in the kernel's features (counters among them, where there were any), in
/// the technique, and in the technique on this bottleneck; fitted by least squares with a ridge.
/// Fitting takes about a second for 3,000 samples; predicting takes a microsecond.
class GainModel {
 public:
  /// Least number of samples to fit a model to: fewer teach nothing that the rules do not know.
  static constexpr std::size_t kLeastSamples = 12;

  static GainModel fit(const std::vector<GainSample>& samples);

  /// Expected logarithm of what the technique gains on the kernel.
  double predict(const KernelState& state, const std::string& technique) const;
  /// The technique that promises most, among those that the model knows and the kernel does not
  /// show; nothing if none promises a gain.
  std::optional<std::string> best(const KernelState& state) const;
  std::size_t samples() const { return static_cast<std::size_t>(samples_); }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("names", s.names_), v("tried", s.tried_), v("weights", s.weights_), v("samples", s.samples_);
  }

 private:
  std::vector<double> features(const KernelState& state, const std::string& technique) const;

  std::vector<std::string> names_;  ///< Techniques, sorted.
  std::vector<int> tried_;          ///< By technique: number of its samples.
  std::vector<double> weights_;
  int samples_ = 0;
};

/// Expected logarithm of the gain of a candidate made from `parent` (null: a first kernel): the
/// mean over the techniques that are new in the candidate; 0 if it names none.
double expected_of(const GainModel& model, const Attempt* parent, const Candidate& candidate);

/// The learned judge's text on a kernel: its bottleneck, the next technique, and how that is
/// applied (by the card of that name, if there is one). Empty: the model has nothing to say.
std::string instruction_of(const GainModel& model, const KernelState& state,
                           const std::vector<search::TechniqueCard>& cards);

/// Models, each of which was fitted to four fifths of the recorded runs.
class HeldOutModels {
 public:
  /// Precondition: the samples come from two runs or more.
  explicit HeldOutModels(const std::vector<GainSample>& samples);
  /// The model that was fitted without this run.
  const GainModel& without(const std::string& run) const;
  /// Mean gain of the samples that the model without(run) was fitted to.
  double mean_without(const std::string& run) const;

 private:
  std::map<std::string, std::size_t> folds_;  // by run
  std::vector<GainModel> models_;
  std::vector<double> means_;
};

/// Judges a technique on a kernel by rules: 1 if its card relieves the bottleneck, 0 if it relieves
/// something else, 1/2 if that is unknown.
class RulesJudge {
 public:
  /// `cards` must outlive the judge.
  explicit RulesJudge(const std::vector<search::TechniqueCard>& cards);
  double score(const KernelState& state, const std::string& technique) const;

 private:
  const std::vector<search::TechniqueCard>& cards_;
  memory::Relabeller names_;
};

/// Compares two judges on runs that they were not fitted to: each run is held out in turn, together
/// with a fifth of the others.
struct JudgeComparison {
  struct Figures {
    double pairs = 0;  ///< Share of pairs of steps of one run that the judge orders by their gain.
    /// Mean logarithm of the gain over the third of steps of which the judge expects most.
    double top_gain = 0;
  };
  struct Bin {
    double expected = 0;
    double seen = 0;
    std::size_t count = 0;
  };
  std::size_t samples = 0;
  std::size_t runs = 0;
  std::size_t compared = 0;  ///< Number of compared pairs.
  Figures learned;
  Figures rules;  ///< Prefers techniques whose card relieves the kernel's bottleneck.
  double mean_gain = 0;
  double error = 0;  ///< Mean absolute error of the learned judge.
  /// Mean absolute error of always predicting the mean gain of the other runs.
  double plain_error = 0;
  std::vector<Bin> calibration;  ///< By expected gain, ascending.
};

JudgeComparison compare_judges(const std::vector<GainSample>& samples,
                               const std::vector<search::TechniqueCard>& cards);

/// Samples that a run would be fitted to; an error if there are too few.
Result<std::vector<GainSample>> samples_to_learn_from(const store::RunStore& store, Target target);

/// The model with which a run began, as kept with the run; if there is none, a model fitted now to
/// what the store has recorded, which is then kept. Too few samples are an error that says so.
Result<GainModel> model_of_run(store::RunStore& store, const RunSummary& run);

}  // namespace kw::engine

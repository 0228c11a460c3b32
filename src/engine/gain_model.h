// GainModel: what a next technique is expected to gain on a kernel, fitted to the steps that the
// store has recorded; the learned judge, and the ranking of proposals before they are judged.
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

/// A kernel before a step, as features see it: its standing, its bottleneck, its profile.
struct KernelState {
  bool is_first = true;  ///< There is no kernel yet.
  double speedup = 1;    ///< Over the baseline.
  Bound bound = Bound::Unknown;
  std::map<std::string, double> used;   ///< As search::Traits::used.
  std::vector<std::string> techniques;  ///< That it shows.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("is_first", s.is_first), v("speedup", s.speedup), v("bound", s.bound), v("used", s.used),
        v("techniques", s.techniques);
  }
};

KernelState state_of(const Attempt& attempt);

/// One recorded step: an action on a kernel, and what became of it.
struct GainSample {
  std::string run;
  KernelState state;
  std::string technique;
  Verdict verdict;
  double gain = 0;  ///< Logarithm, within 2 of 0; 0 for a failure, which gained nothing.
};

/// Of all recorded runs for the target, oldest run first; of techniques that came together each is
/// a sample with its part of the gain.
Result<std::vector<GainSample>> gain_samples(const store::RunStore& store, Target target);

/// Linear in the kernel's features (counters among them where there were any), the technique, and
/// the technique on this bottleneck; least squares with a ridge. Fitting takes about a second for
/// 3,000 samples; predicting, a microsecond.
class GainModel {
 public:
  /// Fewer samples teach nothing that rules do not know.
  static constexpr std::size_t kLeastSamples = 12;

  static GainModel fit(const std::vector<GainSample>& samples);

  /// Expected logarithm of the gain.
  double predict(const KernelState& state, const std::string& technique) const;
  /// Of the techniques that it knows and the kernel does not show, the one that promises most;
  /// nothing: none promises anything.
  std::optional<std::string> best(const KernelState& state) const;
  std::size_t samples() const { return static_cast<std::size_t>(samples_); }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("names", s.names_), v("tried", s.tried_), v("weights", s.weights_), v("samples", s.samples_);
  }

 private:
  std::vector<double> features(const KernelState& state, const std::string& technique) const;

  std::vector<std::string> names_;  ///< Techniques, sorted.
  std::vector<int> tried_;          ///< Samples of each.
  std::vector<double> weights_;
  int samples_ = 0;
};

/// The same of a candidate made from `parent` (null: a first kernel): the mean over the techniques
/// that are new in it; 0 where it names none.
double expected_of(const GainModel& model, const Attempt* parent, const Candidate& candidate);

/// The judge's words on a kernel: its bottleneck, the next technique, and how it is applied (by the
/// card of that name, if there is one). Empty: the model has nothing to say.
std::string instruction_of(const GainModel& model, const KernelState& state,
                           const std::vector<search::TechniqueCard>& cards);

/// Models that were each fitted to four fifths of the recorded runs.
class HeldOutModels {
 public:
  /// Precondition: samples of two runs or more.
  explicit HeldOutModels(const std::vector<GainSample>& samples);
  /// The one that saw nothing of this run.
  const GainModel& without(const std::string& run) const;
  /// Mean gain of the samples that this model saw.
  double mean_without(const std::string& run) const;

 private:
  std::map<std::string, std::size_t> folds_;  // by run
  std::vector<GainModel> models_;
  std::vector<double> means_;
};

/// What rules say of a technique on a kernel: 1, its card relieves the bottleneck; 0, another;
/// 1/2: unknown.
class RulesJudge {
 public:
  /// `cards` outlive this.
  explicit RulesJudge(const std::vector<search::TechniqueCard>& cards);
  double score(const KernelState& state, const std::string& technique) const;

 private:
  const std::vector<search::TechniqueCard>& cards_;
  memory::Relabeller names_;
};

/// How two judges stand on runs that they were not fitted to: each run is held out in turn with a
/// fifth of the others.
struct JudgeComparison {
  struct Judge {
    double pairs = 0;     ///< Share of pairs of steps of one run that it orders as they gained.
    double top_gain = 0;  ///< Mean logarithm of the gain over the third that it expects most of.
  };
  struct Bin {
    double expected = 0;
    double seen = 0;
    std::size_t count = 0;
  };
  std::size_t samples = 0;
  std::size_t runs = 0;
  std::size_t compared = 0;  ///< Pairs.
  Judge learned;
  Judge rules;  ///< A technique is right whose card relieves the kernel's bottleneck.
  double mean_gain = 0;
  double error = 0;              ///< Mean absolute, of the learned judge.
  double plain_error = 0;        ///< Of the mean gain of the other runs, which knows nothing.
  std::vector<Bin> calibration;  ///< By what was expected, ascending.
};

JudgeComparison compare_judges(const std::vector<GainSample>& samples,
                               const std::vector<search::TechniqueCard>& cards);

/// What a run would be fitted to; an error where that is too little.
Result<std::vector<GainSample>> samples_to_learn_from(const store::RunStore& store, Target target);

/// The model with which a run began, kept with it, or fitted now to what the store has recorded and
/// kept. Too few samples are an error that says so.
Result<GainModel> model_of_run(store::RunStore& store, const RunSummary& run);

}  // namespace kw::engine

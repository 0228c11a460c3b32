// RecordedLandscape: what a stored run evaluated, as something that other strategies search,
// without model and device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/landscape.h"
#include "search/reward.h"

namespace kw::search {

/// An attempt of a run, in the order of the run.
struct RecordedStep {
  int attempt = 0;
  int parent = 0;          ///< Attempt that it derives from; 0: none.
  Role role = Role::Idea;  ///< Of its ask.
  int place = kUnwritten;  ///< Of its idea in the run's list; kUnwritten: it was written.
  double fidelity = 1;     ///< Of its ask.
  std::string source;      ///< Equal for equal sources; empty: there was none.
  std::string name;        ///< Of the candidate.
  bool is_expert = false;  ///< Made by hand for the task.
  std::vector<std::string> techniques;  ///< That the source shows, and the one that was chosen.
  KnobPoint knobs;
  Tell tell;  ///< But for its ask, its class and its place.
};

/// How an ask was answered from the record.
enum class Recorded {
  Same,   ///< What was asked for is in the record: that point, or a reply from the same parent.
  Alike,  ///< A reply to a like request: a first kernel, a repair, or an improvement.
  None,   ///< Nobody knows what would have come of it.
};

/// Ideas are the sources of the run, the given ones in their order, then the written ones. Only
/// points that were evaluated exist; neighbouring values of a knob may lie far apart. Where the run
/// evaluated a point at several fidelities, the nearest answers; the highest is the truth.
class RecordedLandscape final : public Surface {
 public:
  /// Some step has a source that was measured as correct.
  static bool is_searchable(const std::vector<RecordedStep>& steps);
  /// Steps of one run, which is_searchable().
  explicit RecordedLandscape(std::vector<RecordedStep> steps);
  RecordedLandscape(const RecordedLandscape&) = delete;
  RecordedLandscape& operator=(const RecordedLandscape&) = delete;

  const std::vector<Idea>& ideas() const override { return ideas_; }
  LandscapePoint truth(int idea, const KnobPoint& knobs) const override;
  /// As it was measured: every repetition shows the same.
  LandscapePoint measure(int idea, const KnobPoint& knobs, double fidelity,
                         std::uint64_t repeat) const override;
  double best() const override { return best_; }

  const std::vector<RecordedStep>& steps() const { return steps_; }
  /// Index of the step that evaluated this point at the nearest fidelity, the earliest of equals.
  std::optional<std::size_t> step_at(int idea, const KnobPoint& knobs, double fidelity) const;
  /// Of a step's source; kUnwritten: it has none.
  int idea_of(const RecordedStep& step) const;
  /// Techniques that occur in the record, for methods that choose among them.
  std::vector<TechniqueCard> cards() const;

 private:
  using Points = std::map<KnobPoint, std::map<double, std::size_t>>;  // then by fidelity
  void add_idea(const std::vector<std::size_t>& steps);

  std::vector<RecordedStep> steps_;
  std::vector<Idea> ideas_;
  std::vector<Points> points_;         // by idea
  std::map<std::string, int> places_;  // by source
  double best_ = 0;
};

/// One search on a record.
struct RecordedPlay {
  Play play;
  std::vector<Recorded> answers;  ///< By ask.
};

/// Runs a strategy on a record; rewards by `policy`. A point is looked up. A source to be written
/// is a reply that the run got and this search has not: one from the same parent, else one to a
/// like request, by lot among equals; it shows the technique that the ask names, where it names
/// one. What is not in the record is answered as a reply without a kernel, (propose, no_candidate).
/// Precondition: a strategy that asks for ideas was given the landscape's.
RecordedPlay play(Strategy& strategy, const RecordedLandscape& landscape,
                  const PlayOptions& options, const RewardPolicy& policy, std::uint64_t seed = 1);

}  // namespace kw::search

// Turns what a stored run evaluated into a landscape that other strategies can search without a
// model or device.
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

/// One attempt of a run; steps are in the order of the run.
struct RecordedStep {
  int attempt = 0;
  int parent = 0;          ///< The attempt that this one derives from; 0: none.
  Role role = Role::Idea;  ///< Role of the attempt's ask.
  /// Index of the attempt's idea in the run's list of ideas; kUnwritten: a writer wrote the source.
  int place = kUnwritten;
  double fidelity = 1;     ///< Fidelity of the attempt's ask.
  std::string source;      ///< Equal for equal sources; empty: there was no source.
  std::string name;        ///< Name of the candidate.
  bool is_expert = false;  ///< True if the kernel was made by hand for the task.
  /// Techniques that the source shows, and the technique that the ask or the counsel chose.
  std::vector<std::string> techniques;
  KnobPoint knobs;
  Tell tell;  ///< Complete except for its ask, its class and its idea.
};

/// How an ask was answered from the record.
enum class Recorded {
  /// The record has exactly what was asked for: the same point, or a reply made from the same
  /// parent.
  Same,
  /// The record has a reply to a similar request: a first kernel, a repair, or an improvement.
  Alike,
  None,  ///< The record has no answer to the ask.
};

/// The landscape of a record. Its ideas are the sources of the run: the given ones in their order,
/// then the written ones. Only points that were evaluated exist; neighbouring values of a knob may
/// lie far apart. If the run evaluated a point at several fidelities, the nearest fidelity answers
/// an ask; the highest is the truth.
class RecordedLandscape final : public Surface {
 public:
  /// Whether at least one step has a source that was measured as correct.
  static bool is_searchable(const std::vector<RecordedStep>& steps);
  /// Precondition: the steps are of one run and is_searchable().
  explicit RecordedLandscape(std::vector<RecordedStep> steps);
  RecordedLandscape(const RecordedLandscape&) = delete;
  RecordedLandscape& operator=(const RecordedLandscape&) = delete;

  const std::vector<Idea>& ideas() const override { return ideas_; }
  LandscapePoint truth(int idea, const KnobPoint& knobs) const override;
  /// The result as it was measured; every repetition gives the same.
  LandscapePoint measure(int idea, const KnobPoint& knobs, double fidelity,
                         std::uint64_t repeat) const override;
  double best() const override { return best_; }

  const std::vector<RecordedStep>& steps() const { return steps_; }
  /// Index of the step that evaluated this point at the nearest fidelity; the earliest of several
  /// equal ones.
  std::optional<std::size_t> step_at(int idea, const KnobPoint& knobs, double fidelity) const;
  /// Idea of a step's source; kUnwritten: the step has no source.
  int idea_of(const RecordedStep& step) const;
  /// Techniques that occur in the record, for methods that choose among them.
  std::vector<TechniqueCard> cards() const;

 private:
  // Indices of the steps by knobs and fidelity.
  using Points = std::map<KnobPoint, std::map<double, std::size_t>>;
  void add_idea(const std::vector<std::size_t>& steps);

  std::vector<RecordedStep> steps_;
  std::vector<Idea> ideas_;
  std::vector<Points> points_;         // by idea
  std::map<std::string, int> places_;  // idea by source
  double best_ = 0;
};

/// Record of one search on a recorded landscape.
struct RecordedPlay {
  Play play;
  std::vector<Recorded> answers;  ///< By ask: how it was answered.
};

/// Runs a strategy on a record; rewards are computed by `policy`. A point is looked up. An ask for
/// a source is answered with a reply from the run that this search has not used yet: a reply made
/// from the same parent, or else a reply to a similar request, drawn at random among equals. If the
/// ask names a technique, the reply shows it. If the record has no answer, the answer is a reply
/// without a kernel, (propose, no_candidate). Precondition: a strategy that asks for ideas was
/// given the landscape's ideas.
RecordedPlay play(Strategy& strategy, const RecordedLandscape& landscape,
                  const PlayOptions& options, const RewardPolicy& policy, std::uint64_t seed = 1);

}  // namespace kw::search

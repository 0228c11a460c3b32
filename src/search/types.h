// The vocabulary of strategies: ideas with their knobs, asks, tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"
#include "record/enums.h"
#include "record/evaluation.h"
#include "record/proposal.h"
#include "search/knob_space.h"
#include "search/sketch.h"

namespace kw::search {

/// One source that could be tried: a task's candidate, a playbook entry, a generic variant.
/// Strategies know an idea by its index in the list, which goes from simple to best.
struct Idea {
  std::string name;
  KnobSpace space;
  std::vector<std::string> techniques{};  ///< Techniques that the source shows.
  bool is_expert = false;                 ///< Made by hand for this very task: worth starting from.
  bool is_cute = false;                   ///< cuda: written with CuTe.
};

/// What an ask is for.
enum class Role {
  Idea,   ///< To try an idea of the list.
  Tune,   ///< To try another point of an idea that was told correct.
  Write,  ///< To write a source that nobody has written yet.
};

/// Ask::idea of an ask whose source is still to be written.
inline constexpr int kUnwritten = -1;

/// A proposal: idea `idea` at knobs `knobs`, or a new source.
struct Ask {
  int id = 0;      ///< Number of the ask, counted from 1.
  int idea = 0;    ///< Index into the list of ideas followed by those written since; or kUnwritten.
  int parent = 0;  ///< The ask that this one derives from; 0: none.
  Role role = Role::Idea;
  KnobPoint knobs;  ///< A value for every knob of the idea; empty for a source yet to be written.
  double fidelity = 1;            ///< 0–1: share of the usual sampling budget.
  std::string why;                ///< The strategy's explanation, one line.
  Errand errand = Errand::Write;  ///< Only for Role::Write: kind of source that is wanted.
  /// Only for Role::Write: who is asked, by which prompt, and what each is shown.
  Manner manner{};
  /// Only for Role::Write: the first ask for the same source, which nobody answered; 0: there was
  /// none.
  int repeats = 0;
  /// Only where an Ensemble chose: number of the model, from 1; `why` says so too.
  int writer = 0;

  bool operator==(const Ask&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("idea", s.idea), v("parent", s.parent), v("role", s.role), v("knobs", s.knobs),
        v("fidelity", s.fidelity), v("why", s.why);
  }
};

/// What was seen of a source when it was judged, for methods that sort by it; fields are 0 or
/// Unknown where the source was not judged.
struct Traits {
  std::int64_t source_bytes = 0;
  Sketch sketch{};           ///< Sketch of the source.
  std::string object;        ///< Hash of the compiled code; equal for equal code.
  bool is_repeated = false;  ///< True if the run had judged this source before.
  /// Bottleneck of the timed workload that is farthest from its ceiling.
  Bound bound = Bound::Unknown;
  /// By resource: the share that is used, 0–1. The last three of kResources are known only with
  /// counters.
  std::map<std::string, double> used{};
};

inline constexpr std::array<const char*, 5> kResources{"memory", "compute", "registers", "shared",
                                                       "occupancy"};

/// Share of a resource that is used; 0: unknown.
inline double share_of(const std::map<std::string, double>& used, const std::string& resource) {
  const auto found = used.find(resource);
  return found == used.end() ? 0 : found->second;
}

/// What became of an ask.
struct Tell {
  int ask = 0;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  Outcome outcome = Outcome::NoCandidate;
  double reward = 0;  ///< The reward by the run's policy.
  /// Speedup over the run's baseline, chained through the incumbents that the pairs were timed
  /// against, so that all tells of a run share one scale. Its value is 0 if nothing was measured.
  Speedup speedup;
  /// The reward on a scale where ratios compare, as those of speedups do. Methods without a reward
  /// of their own rank by it. 0 if nothing was measured.
  double merit = 0;
  Stage stage = Stage::Propose;  ///< Stage of the verdict.
  double time_ns = 0;            ///< Geometric mean of the timed workloads; 0: not timed.
  double roofline_fraction = 0;  ///< Geometric mean over the timed workloads; 0: unknown.
  /// Role::Write: index of the idea that the source became; a source that was written before keeps
  /// its index. kUnwritten: there was no source, or none that can be read.
  int idea = kUnwritten;
  std::optional<Idea> written{};
  Traits traits{};
  std::string chosen{};  ///< The technique that counsel picked, if the ask left the choice open.
  /// Role::Write: the techniques that the source or its plan names, with the graph's names.
  /// Nothing: nobody looked, and the source counts as what was asked for.
  std::optional<std::vector<std::string>> shown{};
  bool is_unanswered = false;  ///< Role::Write: whoever was asked gave no usable answer.

  bool is_correct() const { return outcome == Outcome::Correct; }
};

/// Orders that a person has given to a search while it runs.
struct Steering {
  int pinned = 0;  ///< The ask that everything must derive from; 0: the strategy chooses.
  /// Asks from which nothing may derive any more, directly or indirectly.
  std::vector<int> stopped;
  std::set<int> closed;  ///< Ideas that must not be asked for.
};

/// The ask as one line of JSON, for Attempt::ask; equal asks give equal bytes.
std::string encode_ask(const Ask& ask);

}  // namespace kw::search

template <>
struct kw::EnumNames<kw::search::Role> {
  static constexpr std::array<std::string_view, 3> names{"idea", "tune", "write"};
};

// The vocabulary of strategies: ideas with their knobs, asks, and tells.
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

/// A source that can be tried: a task's candidate, a kernel of the playbook, a generic variant.
/// Strategies identify an idea by its index in the list, which goes from simple to best.
struct Idea {
  std::string name;
  KnobSpace space;
  std::vector<std::string> techniques{};  ///< Techniques that the source shows.
  bool is_expert = false;                 ///< Whether the kernel was made by hand for this task.
  bool begins_chains = true;              ///< Its dialect may begin a chain (DialectRow).
};

/// The purpose of an ask.
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
  /// Only for Role::Write: which models are asked, with which prompt, and what each is shown.
  Manner manner{};
  /// Only for Role::Write: the first ask for the same source, if nobody answered it; 0: there was
  /// none.
  int repeats = 0;
  /// Only where an Ensemble chose the model: its number, from 1; `why` gives the reasons.
  int writer = 0;

  bool operator==(const Ask&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("idea", s.idea), v("parent", s.parent), v("role", s.role), v("knobs", s.knobs),
        v("fidelity", s.fidelity), v("why", s.why);
  }
};

/// Properties of a source that were seen when it was judged, for methods that compare kernels;
/// fields are 0 or Unknown where the source was not judged.
struct Traits {
  std::int64_t source_bytes = 0;
  Sketch sketch{};           ///< Sketch of the source.
  std::string object;        ///< Hash of the compiled code; equal for equal code.
  bool is_repeated = false;  ///< True if the run had judged this source before.
  /// Bottleneck of the timed workload that is farthest from its ceiling.
  Bound bound = Bound::Unknown;
  /// By resource: the share that the kernel uses, 0–1. The last three of kResources are known only
  /// where performance counters were read.
  std::map<std::string, double> used{};
};

inline constexpr std::array<const char*, 5> kResources{"memory", "compute", "registers", "shared",
                                                       "occupancy"};

/// The share of a resource that a kernel uses; 0: unknown.
inline double share_of(const std::map<std::string, double>& used, const std::string& resource) {
  const auto found = used.find(resource);
  return found == used.end() ? 0 : found->second;
}

/// The outcome of an ask.
struct Tell {
  int ask = 0;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  Outcome outcome = Outcome::NoCandidate;
  double reward = 0;  ///< The reward by the run's policy.
  /// Speedup over the run's baseline, chained through the incumbents that the pairs were timed
  /// against, so that all tells of a run share one scale. Its value is 0 if nothing was measured.
  Speedup speedup;
  /// The reward converted to a scale where ratios compare like ratios of speedups. Methods that
  /// define no reward rank by it. 0 if nothing was measured.
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
  /// Nothing: they were not determined, and the source counts as having what was asked for.
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

// What strategies speak: ideas with their knobs, asks, tells.
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
/// Strategies know it by its place in the list, which goes from simple to best.
struct Idea {
  std::string name;
  KnobSpace space;
  std::vector<std::string> techniques{};  ///< That it shows.
  bool is_expert = false;                 ///< Made by hand for the very task: worth starting from.
  bool is_cute = false;                   ///< cuda: written in the terms of CuTe.
};

/// What an ask is for.
enum class Role {
  Idea,   ///< An idea of the list.
  Tune,   ///< Another point of an idea that was told correct.
  Write,  ///< A source that nobody has written yet.
};

/// The idea of an ask whose source is still to be written.
inline constexpr int kUnwritten = -1;

/// A proposal to make: idea `idea` at knobs `knobs`, or a new source.
struct Ask {
  int id = 0;      ///< From 1, in ask order.
  int idea = 0;    ///< Index into the list of ideas, then those written since; or kUnwritten.
  int parent = 0;  ///< Ask it derives from; 0: none.
  Role role = Role::Idea;
  KnobPoint knobs;      ///< A value for every knob of the idea; none for one yet to be written.
  double fidelity = 1;  ///< 0–1: share of the usual sampling budget.
  std::string why;      ///< The strategy's explanation, one line.
  Errand errand = Errand::Write;  ///< Of Role::Write.
  Manner manner{};                ///< Likewise.
  int repeats = 0;  ///< Likewise: the first ask for the same, which nobody answered; 0: none was.
  int writer = 0;   ///< Likewise, where an Ensemble chose: the model, from 1; `why` says so too.

  bool operator==(const Ask&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("idea", s.idea), v("parent", s.parent), v("role", s.role), v("knobs", s.knobs),
        v("fidelity", s.fidelity), v("why", s.why);
  }
};

/// What was seen of a source when it was judged, for methods that sort by it; 0 and Unknown where
/// it was not.
struct Traits {
  std::int64_t source_bytes = 0;
  Sketch sketch{};               ///< Of the source.
  std::string object;            ///< Equal for equal compiled code.
  bool is_repeated = false;      ///< The run had judged this before.
  Bound bound = Bound::Unknown;  ///< Of the timed workload that is farthest from its ceiling.
  /// By resource: the share of it that is used, 0–1; of the last three only with counters.
  std::map<std::string, double> used{};
};

inline constexpr std::array<const char*, 5> kResources{"memory", "compute", "registers", "shared",
                                                       "occupancy"};

/// 0: unknown.
inline double share_of(const std::map<std::string, double>& used, const std::string& resource) {
  const auto found = used.find(resource);
  return found == used.end() ? 0 : found->second;
}

/// What became of an ask.
struct Tell {
  int ask = 0;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  Outcome outcome = Outcome::NoCandidate;
  double reward = 0;  ///< By the run's policy.
  /// Against the run's baseline, chained through the incumbents that the pairs were timed against,
  /// so that all tells of a run share one scale. Value 0 where nothing was measured.
  Speedup speedup;
  /// The reward on a scale where ratios compare, as those of speedups do: what is ranked by where
  /// a method has no reward of its own. 0 where nothing was measured.
  double merit = 0;
  Stage stage = Stage::Propose;  ///< Of the verdict.
  double time_ns = 0;            ///< Geometric mean of the timed workloads; 0: not timed.
  double roofline_fraction = 0;  ///< Likewise; 0: unknown.
  /// Of Role::Write: what the source became, and its place in the list. A source that was written
  /// before keeps its place. kUnwritten: there was none, or none that can be read.
  int idea = kUnwritten;
  std::optional<Idea> written{};
  Traits traits{};
  std::string chosen{};  ///< Technique that counsel picked, where the ask wanted any.
  /// Of Role::Write: the techniques that the source or its plan names, as the graph calls them.
  /// Nothing: nobody looked, and the source is taken for what was asked for.
  std::optional<std::vector<std::string>> shown{};
  bool is_unanswered = false;  ///< Of Role::Write: whoever was asked gave no usable answer.

  bool is_correct() const { return outcome == Outcome::Correct; }
};

/// What a person has decided about a search while it goes on.
struct Steering {
  int pinned = 0;            ///< Ask that everything is to derive from; 0: the strategy's choice.
  std::vector<int> stopped;  ///< Asks that nothing derives from any more, directly or not.
  std::set<int> closed;      ///< Ideas that are not asked for.
};

/// One line of JSON, for Attempt::ask; equal asks give equal bytes.
std::string encode_ask(const Ask& ask);

}  // namespace kw::search

template <>
struct kw::EnumNames<kw::search::Role> {
  static constexpr std::array<std::string_view, 3> names{"idea", "tune", "write"};
};

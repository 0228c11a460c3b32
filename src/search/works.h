// The sources of a run as a tree, and the results of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/types.h"

namespace kw::search {

/// Index of a work in the list of all works.
using WorkId = std::size_t;

/// A source, together with the points of its knobs that a tuner tried.
struct Work {
  int ask = 0;  ///< The ask that showed the source first.
  /// The ask of the point with the most merit; sources made from this work name this ask as their
  /// parent.
  int point = 0;
  std::optional<WorkId> parent;
  std::vector<WorkId> children;
  Outcome outcome = Outcome::NoCandidate;
  Stage stage = Stage::Propose;
  double merit = 0;          ///< Merit of the best point; 0 unless correct.
  double speedup = 0;        ///< Speedup of the best point; 0 unless correct.
  double first_speedup = 0;  ///< Speedup of the source as it was written.
  double time_ns = 0;        ///< Time of the best point; 0: not timed.
  int failures = 0;       ///< Number of works that failed in a row, up to and including this one.
  std::string technique;  ///< The technique that the ask wanted.
  std::vector<std::string> techniques;  ///< The techniques that the source shows.
  Traits traits;                        ///< Traits of the source as it was written.

  bool is_correct() const { return outcome == Outcome::Correct; }
};

class Works {
 public:
  /// To be called after every tell. A written or expert source becomes a work, which is returned; a
  /// point of a tuner may raise the merit of its work.
  std::optional<WorkId> observe(const Ask& ask, const Tell& tell);

  const Work& at(WorkId id) const { return all_.at(id); }
  std::size_t size() const { return all_.size(); }
  const std::vector<Work>& all() const { return all_; }
  /// The work that an ask belongs to; nothing if the ask was not told.
  std::optional<WorkId> of(int ask) const;

 private:
  std::vector<Work> all_;
  std::vector<std::optional<WorkId>> by_ask_;  // at index i: the work of ask i + 1
};

/// Correct works, ordered by merit, largest first.
class Ranking {
 public:
  /// To be called when a work was added, its merit has changed, or it is to be left out.
  void set(WorkId id, double merit, bool is_in);
  std::optional<WorkId> first() const;
  /// The `count` best works at most, without the work `but`.
  std::vector<WorkId> leaders(std::size_t count, WorkId but) const;

 private:
  // Works by negative merit, so that the best come first; among equals the older work comes first.
  std::set<std::pair<double, WorkId>> all_;
  std::vector<double> keys_;  // by work; 0: not in the ranking
};

/// A work in words: "attempt 7 (2.4x)", or "attempt 7 (wrong_result)".
std::string words_of(const Work& work);

}  // namespace kw::search

// Works: the sources of a run as a tree, with what became of each.
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

/// Place of a work in its list.
using WorkId = std::size_t;

/// One source. The points of its knobs that a tuner tried belong to it.
struct Work {
  int ask = 0;    ///< That showed it first.
  int point = 0;  ///< The ask of most merit at it: what a source is made from names this.
  std::optional<WorkId> parent;
  std::vector<WorkId> children;
  Outcome outcome = Outcome::NoCandidate;
  Stage stage = Stage::Propose;
  double merit = 0;                     ///< Of the best point; 0 unless correct.
  double speedup = 0;                   ///< Likewise.
  double first_speedup = 0;             ///< As it was written.
  double time_ns = 0;                   ///< Of the best point; 0: not timed.
  int failures = 0;                     ///< Works that failed in a row, up to this one.
  std::string technique;                ///< That the ask wanted.
  std::vector<std::string> techniques;  ///< That the source shows.
  Traits traits;                        ///< As it was written.

  bool is_correct() const { return outcome == Outcome::Correct; }
};

class Works {
 public:
  /// After every tell. A written or an expert's source becomes a work, which is returned; a point
  /// of a tuner may make its work better.
  std::optional<WorkId> observe(const Ask& ask, const Tell& tell);

  const Work& at(WorkId id) const { return all_.at(id); }
  std::size_t size() const { return all_.size(); }
  const std::vector<Work>& all() const { return all_; }
  /// The work that an ask belongs to; nothing: it was not told.
  std::optional<WorkId> of(int ask) const;

 private:
  std::vector<Work> all_;
  std::vector<std::optional<WorkId>> by_ask_;  // of ask i + 1
};

/// Correct works, those of most merit first.
class Ranking {
 public:
  /// After the work was added, made better, or is to be left out.
  void set(WorkId id, double merit, bool is_in);
  std::optional<WorkId> first() const;
  /// At most `count`, but for `but`.
  std::vector<WorkId> leaders(std::size_t count, WorkId but) const;

 private:
  std::set<std::pair<double, WorkId>> all_;  // by minus merit: of equals the older first
  std::vector<double> keys_;                 // by work; 0: not in
};

/// "attempt 7 (2.4x)", or "attempt 7 (wrong_result)".
std::string words_of(const Work& work);

}  // namespace kw::search

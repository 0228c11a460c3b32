// The attempts of a page: which of them are shown, and how much of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/page_parts.h"

namespace kw::report {

/// The verdict in words: "wrong result at check: 3 of 9 elements differ".
std::string verdict_words(const Verdict& verdict);

/// Items for the template finding.html; of many findings the most important dozen.
PageList finding_items(const std::vector<Finding>& findings);

/// The lines of a run's attempts, at most `most` of them: every new best, then the latest others.
class AttemptList {
 public:
  explicit AttemptList(std::size_t most) : most_(most) {}
  void add(const AttemptLine& line);
  int listed() const { return static_cast<int>(bests_.size() + others_.size()); }
  std::int64_t left_out() const { return left_out_; }
  /// The listed attempts in the order of their numbers.
  std::vector<AttemptLine> lines() const;
  /// Numbers of the listed attempts, new bests first, in each group the latest first: where not all
  /// details fit on the page, the later ones of this list go without.
  std::vector<int> by_worth() const;

 private:
  std::size_t most_;
  std::deque<AttemptLine> bests_;
  std::deque<AttemptLine> others_;
  std::int64_t left_out_ = 0;
};

struct AttemptItems {
  PageList items;
  int detailed = 0;  ///< Attempts with details.
};

/// The items of the template's `attempts`: details as far as `limits` allow. Reads the attempts
/// with details, and their parents, from the store.
Result<AttemptItems> attempt_items(const store::RunStore& store, const RunData& data,
                                   const AttemptList& list, const PageLimits& limits);

}  // namespace kw::report

// Chooses which attempts of a run a page shows, and how much of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/page_parts.h"

namespace kw::report {

/// The verdict for people: "wrong result at check: 3 of 9 elements differ".
std::string verdict_words(const Verdict& verdict);

/// Items for the template finding.html: the findings, but at most the dozen most important ones.
PageList finding_items(const std::vector<Finding>& findings);

/// Collects at most `most` attempts of a run: every new best, then the latest others.
class AttemptList {
 public:
  explicit AttemptList(std::size_t most) : most_(most) {}
  void add(const AttemptLine& line);
  int listed() const { return static_cast<int>(bests_.size() + others_.size()); }
  std::int64_t left_out() const { return left_out_; }
  /// The collected attempts in the order of their numbers.
  std::vector<AttemptLine> lines() const;
  /// Numbers of the collected attempts in the order in which they get details on the page, which
  /// may not have room for all: new bests first, then the others; the latest first in each group.
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

/// The items of the template variable `attempts`, with as many details as `limits` allow. Reads the
/// attempts with details, and their parents, from the store.
Result<AttemptItems> attempt_items(const store::RunStore& store, const RunData& data,
                                   const AttemptList& list, const PageLimits& limits);

}  // namespace kw::report

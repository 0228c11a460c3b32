// The attempts of a page: which of them are shown, and how much of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "memory/template.h"
#include "report/page.h"

namespace kw::report {

using PageFields = memory::Fields;
using PageList = std::vector<PageFields>;

/// Zero or one item with the variable `text`: how templates say "where there is any".
PageList optional_text(std::string text);

/// The verdict in words a person would use.
std::string verdict_words(const Verdict& verdict);

PageList finding_items(const std::vector<Finding>& findings);

/// Collects the lines of a run's attempts within the limits.
class AttemptList {
 public:
  explicit AttemptList(std::size_t most) : most_(most) {}
  void add(const AttemptLine& line);
  int listed() const { return static_cast<int>(bests_.size() + others_.size()); }
  std::int64_t left_out() const { return left_out_; }
  /// All that is listed, by number.
  std::vector<AttemptLine> lines() const;
  /// Numbers in the order in which details are worth their place.
  std::vector<int> by_worth() const;

 private:
  std::size_t most_;
  std::deque<AttemptLine> bests_;
  std::deque<AttemptLine> others_;
  std::int64_t left_out_ = 0;
};

struct AttemptItems {
  PageList items;
  int detailed = 0;
};

/// The items of the template's `attempts`.
Result<AttemptItems> attempt_items(const store::RunStore& store, const RunData& data,
                                   const AttemptList& list, const PageLimits& limits);

}  // namespace kw::report

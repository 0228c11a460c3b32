// The numbers of a run that tables and plots start from, gathered line by line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/attempt.h"

namespace kw::report {

/// Ideas that are shown at most: where a model writes, every attempt is one.
inline constexpr std::size_t kMostIdeas = 30;

/// Grows with improvements, not with attempts.
struct Digest {
  struct Best {
    int attempt = 0;
    double speedup = 0;  ///< Over the baseline.
  };

  int attempts = 0;
  int failed = 0;
  std::vector<Best> bests;  ///< Every new best, in order.
  double slowest = 1;       ///< Range of the speedups, the baseline's 1 included.
  double fastest = 1;
  std::set<std::string> devices;

  void add(const AttemptLine& line);
  /// The best attempt of each idea, fastest first; of the kMostIdeas fastest.
  std::vector<AttemptLine> ideas() const;
  /// Whether there were more.
  bool has_more_ideas() const { return has_more_ideas_; }
  /// Speedup over the baseline after each attempt; 1 at first.
  std::vector<double> best_so_far() const;

 private:
  std::map<std::string, AttemptLine> best_of_idea_;
  bool has_more_ideas_ = false;
};

}  // namespace kw::report

// The numbers of a run that tables and plots start from, gathered line by line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/attempt.h"

namespace kw::report {

/// Grows with ideas and improvements, not with attempts.
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
  /// The best attempt of each idea, fastest first.
  std::vector<AttemptLine> ideas() const;
  /// Speedup over the baseline after each attempt; 1 at first.
  std::vector<double> best_so_far() const;

 private:
  std::map<std::string, AttemptLine> best_of_idea_;
};

}  // namespace kw::report

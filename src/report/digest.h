// The summary of a run's attempts from which tables and plots are made, updated attempt by attempt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/attempt.h"

namespace kw::report {

/// The largest number of ideas shown (an idea is a kernel with variable knobs). A limit is needed
/// because every kernel that a model writes is an idea of its own.
inline constexpr std::size_t kMostIdeas = 30;

/// A summary of a run's attempts. Its memory grows with the number of improvements, not with that
/// of attempts.
struct Digest {
  struct Best {
    int attempt = 0;
    double speedup = 0;  ///< Speedup over the baseline.
  };

  int attempts = 0;
  int failed = 0;
  std::vector<Best> bests;  ///< Every new best, in the order of attempts.
  double slowest = 1;       ///< Least speedup, at most the baseline's 1.
  double fastest = 1;       ///< Greatest speedup, at least 1.
  std::set<std::string> devices;

  void add(const AttemptLine& line);
  /// The best attempt of each of the kMostIdeas fastest kernels (attempts that differ only in knobs
  /// count as one), fastest first.
  std::vector<AttemptLine> ideas() const;
  /// Whether the run had more kernels than ideas() returns.
  bool has_more_ideas() const { return has_more_ideas_; }
  /// The best speedup over the baseline after each attempt; 1 before the first new best.
  std::vector<double> best_so_far() const;

 private:
  std::map<std::string, AttemptLine> best_of_idea_;
  bool has_more_ideas_ = false;
};

}  // namespace kw::report

// From which processor a player is called.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/rng.h"

namespace kw::device {

/// A process that is woken by a thread on its own processor starts earlier than one on another: by
/// 28 µs on a virtual machine, which has to interrupt the other one
/// (bench/results/epyc-2026-11-26-by-hand.txt). Where the system lets caller and player come to lie
/// depends on which of two players was started first, and stays for their lives. So each player is
/// called from each processor equally often, in an order drawn anew for each round.
class Vantage {
 public:
  /// The processors that the calling thread may use.
  Vantage();

  /// Keeps the thread that makes it on one processor for as long as it lives. Some 10 µs.
  class Stay {
   public:
    explicit Stay(Vantage& vantage);
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    ~Stay();

   private:
    const std::vector<int>& all_;
  };

  /// Of the next call. The vantage must outlive it.
  Stay stay() { return Stay(*this); }

 private:
  int next();

  std::vector<int> all_;
  std::vector<int> left_;  ///< Of this round.
  Rng rng_;
};

}  // namespace kw::device

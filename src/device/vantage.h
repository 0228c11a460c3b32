// Vantage: chooses the processor from which a player is called.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/rng.h"

namespace kw::device {

/// Chooses the processor of the calling thread for each call. A player that is woken by a thread on
/// its own processor starts earlier than one on another: by 28 µs on a virtual machine, which has
/// to interrupt the other processor (bench/results/epyc-2026-11-26-by-hand.txt). Where the system
/// places caller and player depends on which of two players was started first, and stays so for
/// their lives. So each player is called from each processor equally often, in an order drawn anew
/// for each round.
class Vantage {
 public:
  /// Uses the processors that the calling thread may use.
  Vantage();

  /// Keeps the thread that creates it on one processor as long as it lives. Takes some 10 µs.
  class Stay {
   public:
    explicit Stay(Vantage& vantage);
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    ~Stay();

   private:
    const std::vector<int>& all_;
  };

  /// Binds the calling thread for the next call. The vantage must outlive the result.
  Stay stay() { return Stay(*this); }

 private:
  int next();

  std::vector<int> all_;
  std::vector<int> left_;  ///< Processors not yet used in this round.
  Rng rng_;
};

}  // namespace kw::device

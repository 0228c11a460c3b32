// Models of machines whose clocks wander (drift, modes, bursts, placement), for the tests in
// src/measure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "measure/estimate.h"

namespace kw::measure {

/// Noise of one machine: the base time of each call is multiplied by all of these effects.
struct Machine {
  const char* name;
  double jitter;        ///< sd of white noise
  double wander;        ///< sd of an AR(1) process whose correlation from call to call is 0.97
  double slow_mode;     ///< relative cost of the slow mode
  double enter, leave;  ///< probabilities per call of entering and of leaving the slow mode
  double burst;         ///< probability that another process makes a call 1.2 to 3 times longer
  double swing;         ///< amplitude of an oscillation with a period of 500 calls
  double placement;     ///< sd of a bias that lasts for one comparison
  double first_leg;     ///< extra cost of the first call of a pair
};

inline constexpr Machine kMachines[] = {
    {"quiet", .004, 0, 0, 0, 0, 0, 0, 0, 0},
    {"jittery", .03, 0, 0, 0, 0, .02, 0, .001, 0},
    {"drifting", .01, .03, 0, 0, 0, .01, .10, .001, 0},
    {"bimodal", .01, .01, .12, .05, .15, .01, .02, .001, 0},
    {"coin-like modes", .005, 0, .08, .5, .5, 0, 0, 0, 0},
    {"shared host", .02, .02, .15, .02, .04, .05, .05, .001, .01},
};

/// Draws the times of one comparison of a candidate with its opponent on a noisy machine.
class Noise {
 public:
  Noise(const Machine& machine, Seed seed) : m_(machine), rng_(seed) {
    phase_ = rng_.uniform(0, 2 * std::numbers::pi);
    placement_ = m_.placement * rng_.normal();
  }

  PairedSample pair(double base_ns, double speedup, bool candidate_first) {
    const double candidate_ns = base_ns * std::exp(placement_) / speedup;
    const double first = leg() * (1 + m_.first_leg);
    const double second = leg();
    return candidate_first ? PairedSample{candidate_ns * first, base_ns * second}
                           : PairedSample{candidate_ns * second, base_ns * first};
  }

  /// Factor by which noise changes the time of one call.
  double leg() {
    constexpr double kCorrelation = .97;
    static const double fresh = std::sqrt(1 - kCorrelation * kCorrelation);
    wander_ = kCorrelation * wander_ + fresh * m_.wander * rng_.normal();
    if (m_.slow_mode > 0 && rng_.uniform() < (slow_ ? m_.leave : m_.enter)) slow_ = !slow_;
    phase_ += 2 * std::numbers::pi / 500;
    double factor = std::exp(wander_ + m_.jitter * rng_.normal());
    if (m_.swing > 0) factor *= 1 + m_.swing * std::sin(phase_);
    if (slow_) factor *= 1 + m_.slow_mode;
    if (m_.burst > 0 && rng_.uniform() < m_.burst) factor *= rng_.uniform(1.2, 3);
    return factor;
  }

 private:
  const Machine& m_;
  Rng rng_;
  double phase_ = 0;
  double placement_ = 0;
  double wander_ = 0;
  bool slow_ = false;
};

}  // namespace kw::measure

// Error rates of the whole comparison, stopping rule included, on machines that misbehave.
// SPDX-License-Identifier: Apache-2.0
#include "measure/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numbers>
#include <numeric>
#include <random>

namespace kw::measure {
namespace {

// A machine whose clock wanders: every leg takes its base time times drift, mode, bursts and
// jitter.
struct Machine {
  const char* name;
  double jitter;        // sd of white noise
  double wander;        // sd of an AR(1) with correlation 0.97 from leg to leg
  double slow_mode;     // relative cost of the slow mode
  double enter, leave;  // probabilities per leg of switching modes
  double burst;         // probability of a leg hit by another process, 1.2 to 3 times longer
  double swing;         // amplitude of a slow thermal oscillation
  double placement;     // sd of a bias that lasts for one comparison
  double first_leg;     // extra cost of the first leg of a pair
};

constexpr Machine kMachines[] = {
    {"quiet", .004, 0, 0, 0, 0, 0, 0, 0, 0},
    {"jittery", .03, 0, 0, 0, 0, .02, 0, .001, 0},
    {"drifting", .01, .03, 0, 0, 0, .01, .10, .001, 0},
    {"bimodal", .01, .01, .12, .05, .15, .01, .02, .001, 0},
    {"coin-like modes", .005, 0, .08, .5, .5, 0, 0, 0, 0},
    {"shared host", .02, .02, .15, .02, .04, .05, .05, .001, .01},
};

class Noise {
 public:
  Noise(const Machine& machine, std::uint64_t seed) : m_(machine), rng_(seed) {
    phase_ = uniform() * 2 * std::numbers::pi;
    placement_ = m_.placement * normal();
  }

  PairedSample pair(double base_ns, double speedup, bool candidate_first) {
    const double candidate = base_ns * std::exp(placement_) / speedup;
    PairedSample s;
    if (candidate_first) s.candidate_ns = candidate * leg() * (1 + m_.first_leg);
    s.opponent_ns = base_ns * leg() * (candidate_first ? 1 : 1 + m_.first_leg);
    if (!candidate_first) s.candidate_ns = candidate * leg();
    return s;
  }

 private:
  double uniform() { return static_cast<double>(rng_() >> 11) * 0x1p-53; }
  // Sum of four uniforms: near enough to normal, and fast under sanitizers.
  double normal() {
    const std::uint64_t bits = rng_();
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>((bits >> (16 * i)) & 0xffff) * 0x1p-16;
    return (sum - 2) * std::numbers::sqrt3;
  }
  double leg() {
    constexpr double kCorrelation = .97;
    wander_ =
        kCorrelation * wander_ + std::sqrt(1 - kCorrelation * kCorrelation) * m_.wander * normal();
    if (m_.slow_mode > 0 && uniform() < (slow_ ? m_.leave : m_.enter)) slow_ = !slow_;
    phase_ += 2 * std::numbers::pi / 500;
    double factor = std::exp(wander_ + m_.jitter * normal()) * (1 + m_.swing * std::sin(phase_));
    if (slow_) factor *= 1 + m_.slow_mode;
    if (m_.burst > 0 && uniform() < m_.burst) factor *= 1.2 + 1.8 * uniform();
    return factor;
  }

  const Machine& m_;
  std::mt19937_64 rng_;
  double phase_ = 0;
  double placement_ = 0;
  double wander_ = 0;
  bool slow_ = false;
};

struct Rates {
  int faster = 0, not_faster = 0, unmeasurable = 0,
      missed = 0;  // missed: interval without the truth
  double pairs = 0;
};

double floor_of(const Machine& machine, std::uint64_t seed) {
  std::vector<std::vector<PairedSample>> series(4);
  for (std::size_t s = 0; s < series.size(); ++s) {
    Noise noise(machine, seed * 1000 + s);
    std::mt19937_64 coin(seed + s);
    for (int i = 0; i < 40; ++i) series[s].push_back(noise.pair(5e6, 1, (coin() & 1) != 0));
  }
  return noise_floor(series);
}

Rates simulate(const Machine& machine, double speedup, int comparisons,
               std::vector<double> base_ns = {5e6}, bool fair = true) {
  Rates rates;
  Limits limits;
  for (int c = 0; c < comparisons; ++c) {
    const auto seed = static_cast<std::uint64_t>(c);
    if (c % 50 == 0) limits.noise_floor = floor_of(machine, seed);  // once per run
    Noise noise(machine, seed + 77);
    PairPlan plan(limits, seed + 1, base_ns.size());
    while (plan.wants_more()) {
      const Turn turn = plan.next();
      plan.add(noise.pair(base_ns[turn.workload], speedup, fair && turn.candidate_first));
    }
    const Decision d = plan.decision();
    rates.faster += d == Decision::Faster;
    rates.not_faster += d == Decision::NotFaster;
    rates.unmeasurable += d == Decision::Unmeasurable;
    const Estimate& e = plan.estimate();
    rates.missed += e.low > speedup || e.high < speedup;
    rates.pairs += static_cast<double>(plan.samples(0).size()) / comparisons;
  }
  std::cout << "  " << machine.name << ", true speedup " << speedup << ", " << base_ns.size()
            << " workload(s): of " << comparisons << " faster " << rates.faster << ", not faster "
            << rates.not_faster << ", unmeasurable " << rates.unmeasurable << ", interval missed "
            << rates.missed << ", mean pairs " << rates.pairs << '\n';
  return rates;
}

TEST(PairPlanRates, IdenticalLegsAreAlmostNeverFaster) {
  for (const Machine& m : kMachines) EXPECT_LE(simulate(m, 1.0, 400).faster, 2) << m.name;
}

TEST(PairPlanRates, ThreePercentAreFound) {
  for (const Machine& m : kMachines) EXPECT_GE(simulate(m, 1.03, 200).faster, 190) << m.name;
}

}  // namespace
}  // namespace kw::measure

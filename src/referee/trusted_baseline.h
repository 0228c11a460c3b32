// The trusted baseline at one workload: the task's reference at the task's own type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "referee/bench_site.h"
#include "referee/known.h"
#include "referee/leg.h"
#include "referee/slots.h"

namespace kw::referee {

/// Measures the errors and the time of the trusted baseline, which runs in the slots. Where it is
/// too slow to be run, its errors are assumed to be as on other workloads.
class TrustedBaseline {
 public:
  /// Both are borrowed.
  TrustedBaseline(BenchSite& site, Slots& slots) : site_(site), slots_(slots) {}

  /// Measures the errors of the baseline, which the second gate needs, and its time, and enters the
  /// errors in `known`. The process serves later input sets. Preconditions: the task has a second
  /// gate; slot 0 holds the input set of `known`.
  Result<> learn(Known& known);
  /// Calls learn() for several baselines of one run with one process for all of them.
  static Result<> learn_together(std::span<TrustedBaseline* const> baselines,
                                 std::span<Known> known);

  /// Sets the relative errors to expect where the baseline is not run.
  void expect(RelativeErrors errors) { expected_ = std::move(errors); }
  const RelativeErrors& expected() const { return expected_; }
  /// Enters the expected errors in `known`.
  void assume(Known& known) const;

  /// Time of the baseline's call in ns, the least that was seen; 0: unknown.
  double ns() const { return ns_; }
  /// Takes the time of a baseline that ran on another device.
  void take_ns(double ns) { ns_ = ns; }

 private:
  device::PlayerSpec player_spec() const {
    return slots_.player_spec("reference", site_.trusted.maker.jail, false);
  }
  Result<std::unique_ptr<Leg>> start(device::PlayerSpec spec,
                                     const std::vector<Stand>& stands) const;
  Result<> learn(Leg& leg, Known& known);

  BenchSite& site_;
  Slots& slots_;
  double ns_ = 0;
  RelativeErrors expected_;
};

}  // namespace kw::referee

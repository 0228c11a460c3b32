// Everything the referee keeps about one workload: buffers, input sets, truths, the trusted
// baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/evaluation.h"
#include "referee/bench_site.h"
#include "referee/fast_reference.h"
#include "referee/inputs.h"
#include "referee/known.h"
#include "referee/known_truths.h"
#include "referee/slots.h"
#include "referee/trusted_baseline.h"

namespace kw::referee {

/// One workload on one device, with the parts that serve it. Holds references to `task` and
/// `workload`, which must outlive it.
///
/// Where references run on another device (the host of a GPU), a bench has a *twin* there, whose
/// truths KnownTruths uses. A workload that would take the host too long gets its truth from the
/// task's fast reference, on the device.
class Bench {
 public:
  Bench(device::Device& device, const Task& task, const Workload& workload, Seed seed,
        const Trusted& trusted);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Another bench of the same task and device with the same source of truths, for a workload of
  /// the same shape. The new bench borrows `workload`.
  std::unique_ptr<Bench> sibling(const Workload& workload, Seed seed) const;

  device::Device& device() { return site_.device; }
  const Task& task() const { return site_.task; }
  const Workload& workload() const { return site_.workload; }
  Seed seed() const { return site_.seed; }
  InputPool& pool() { return site_.pool; }
  /// The referee's own buffer of a tensor's size, for snapshots; its content is undefined.
  Result<device::Buffer*> scratch(std::size_t tensor) { return site_.scratch.buffer(tensor); }
  bool runs_plans() const { return site_.runs_plans(); }
  /// Whether this bench's truths come from the fast reference, which must then be verified before
  /// they are prepared.
  bool is_fast() const { return site_.is_fast; }

  /// Bytes for one more input set with its truth.
  std::int64_t bytes_per_set() const;
  /// Bytes for the least that a timed workload needs: one slot, three sets, and one truth that is
  /// being computed.
  std::int64_t bytes_to_begin() const;
  /// Whether bytes_to_begin() are free on the device, and on the host too where a truth is computed
  /// there.
  bool fits() const;
  /// Whether this device could hold the workload if nothing else used its memory; costs nothing.
  bool could_fit() const;

 private:
  static std::unique_ptr<Bench> twin_of(const BenchSite& site);

  BenchSite site_;
  std::unique_ptr<Bench> twin_;  ///< The bench on the host; null where this device runs references.

 public:
  // The parts, each of which uses those before it.

  Slots slots;
  TrustedBaseline baseline;
  FastReference fast;
  KnownTruths truths;

  /// Measured once a win depends on it, and kept for later evaluations of the same run against the
  /// same opponent. Only the code that measures sets it.
  std::optional<NoiseFloor> noise_floor;
};

/// The truths of several benches, for what is done for all of them at once.
std::vector<KnownTruths*> truths_of(std::span<Bench* const> benches);

/// Largest relative errors over several benches, by tensor and region: what to expect of a workload
/// on which the trusted baseline cannot be run. Precondition: the input set is prepared.
RelativeErrors worst_errors(std::span<Bench* const> benches, int set);

}  // namespace kw::referee

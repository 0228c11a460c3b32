// Writes the advice for each bound of a roofline.
// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline_advice.h"

#include <fmt/core.h>

#include "base/text.h"

namespace kw::profile {
namespace {

// Calls on a processor that take less are mostly the start and the join of OpenMP threads, which
// cost 5 to 20 µs. Our choice, by timing an empty parallel region.
constexpr double kThreadsNs = 20'000;
// Launches that take less are too short to fill a GPU. Our choice: an empty launch takes 2.7 µs.
constexpr double kShortLaunchNs = 10'000;
// A call whose empty launches alone would take a larger share of its time is launch-bound. Our
// choice: the call then launches more than it computes.
constexpr double kLaunchShare = 0.5;

// Names the tensor that most bytes can come from: "reads and writes of u (201 MB)".
std::string largest_access(const Workload& workload) {
  const Tensor* largest = nullptr;
  for (const Tensor& t : workload.tensors)
    if (largest == nullptr || t.bytes() > largest->bytes()) largest = &t;
  if (largest == nullptr) return "the tensors";
  const char* what = largest->role == TensorRole::In    ? "reads of "
                     : largest->role == TensorRole::Out ? "writes of "
                                                        : "reads and writes of ";
  return what + largest->name + " (" + format_bytes(static_cast<std::uint64_t>(largest->bytes())) +
         ")";
}

std::string above(const RooflinePosition& p) {
  return fmt::format(
      "Above the ceiling ({}): either the kernel moves fewer bytes than the nominal count, by "
      "reuse across steps, or the ceiling was measured while the machine was busy.",
      p.ceiling);
}

std::string reached(const RooflinePosition& p) {
  return fmt::format("{:.2f} of the ceiling", p.fraction);
}

}  // namespace

int launches_of(const Plan* plan) {
  return plan == nullptr || plan->steps.empty() ? 1 : static_cast<int>(plan->steps.size());
}

void limit_on_cpu(RooflinePosition& p, double median_ns) {
  if (p.fraction < kFarFromRoof) p.bound = median_ns < kThreadsNs ? Bound::Launch : Bound::Latency;
}

void limit_on_gpu(RooflinePosition& p, double median_ns, int launches) {
  if (p.fraction >= kNearRoof) return;
  const bool is_short = median_ns / launches < kShortLaunchNs && p.fraction < kFarFromRoof;
  if (is_short || launches * kEmptyLaunchNs > kLaunchShare * median_ns)
    p.bound = Bound::Launch;
  else if (p.fraction < kFarFromRoof)
    p.bound = Bound::Latency;
}

std::string cpu_advice(const RooflinePosition& p, const Workload& workload, bool is_memory) {
  if (p.fraction > kAboveRoof) return above(p);
  if (p.bound == Bound::Launch)
    return "The call is so short that starting threads and the first cache misses are what is "
           "measured: use fewer threads and fewer parallel regions.";
  const std::string access = largest_access(workload);
  if (p.bound == Bound::Latency)
    return fmt::format(
        "At {} ({}) neither memory nor arithmetic is near its limit: look for loops that are not "
        "vectorised, idle threads, dependent chains and scattered accesses; {} dominate.",
        reached(p), p.ceiling, access);
  const bool is_near = p.fraction >= kNearRoof;
  if (is_memory)
    return fmt::format("Memory-bound at {} ({}): {} dominate; {}", reached(p), p.ceiling, access,
                       is_near ? "only moving fewer bytes can help now."
                               : "make them contiguous, touch each byte once, block so that reuse "
                                 "stays in cache, and share the work among all threads.");
  return fmt::format("Compute-bound at {} ({}): {}", reached(p), p.ceiling,
                     is_near ? "the FMA units are nearly full; only fewer operations help."
                             : "keep ten or more independent FMA chains in registers, block for "
                               "the nearest cache, and use the widest vectors.");
}

namespace {

constexpr const char* kFeedMatrixUnits =
    "feed the matrix units: larger tiles per block, copies into shared memory that run ahead by "
    "several stages (cp.async, TMA), layouts without bank conflicts, and on sm_90a wgmma instead "
    "of mma.sync.";

// Advice for products of f32 that are faster than the FMA units can be.
std::string beyond_fma(const RooflinePosition& p, const GpuCall& call) {
  return fmt::format("Above the FMA units' ceiling by matrix units: {:.2f} of {}, {:.2f} of {}: {}",
                     p.fraction, p.ceiling, p.matrix_fraction, call.matrix_units,
                     p.matrix_fraction >= kNearRoof
                         ? "these are nearly full; only fewer operations help."
                         : kFeedMatrixUnits);
}

// A last sentence of the advice: what matrix units could reach above the FMA units' ceiling.
std::string matrix_hint(const RooflinePosition& p, const GpuCall& call) {
  if (call.matrix_units.empty()) return "";
  return fmt::format(
      " Matrix units would reach {:.1f} times this ceiling ({}): split each operand into a high "
      "and a low part of tf32 and add three products, which passes f32's gates.",
      p.fraction / p.matrix_fraction, call.matrix_units);
}

}  // namespace

std::string gpu_advice(const RooflinePosition& p, const Workload& workload, const GpuCall& call) {
  if (p.fraction > kAboveRoof && p.matrix_fraction > 0 && p.matrix_fraction <= kAboveRoof)
    return beyond_fma(p, call);
  if (p.fraction > kAboveRoof) return above(p);
  if (p.bound == Bound::Launch && call.launches > 1)
    return fmt::format(
        "Launch-bound at {} ({}): {} launches take {} each, and one that does nothing takes about "
        "{}: fuse steps, do several time steps in one kernel, or let one resident kernel do all.",
        reached(p), p.ceiling, call.launches, format_ns(call.median_ns / call.launches),
        format_ns(kEmptyLaunchNs));
  if (p.bound == Bound::Launch)
    return fmt::format(
        "Launch-bound at {} ({}): of {}, a launch that does nothing takes about {}; only one wave "
        "of short blocks and few instructions before the first load help.",
        reached(p), p.ceiling, format_ns(call.median_ns), format_ns(kEmptyLaunchNs));
  const std::string access = largest_access(workload);
  if (p.bound == Bound::Latency)
    return fmt::format(
        "At {} ({}) neither memory nor arithmetic is near its limit: too little is in flight. Look "
        "for few or half-empty blocks, one load at a time per thread, lanes that read far apart, "
        "barriers, atomics on few addresses and dependent chains; {} dominate.",
        reached(p), p.ceiling, access);
  const bool is_near = p.fraction >= kNearRoof;
  if (call.is_memory)
    return fmt::format(
        "Memory-bound at {} ({}): {} dominate; {}", reached(p), p.ceiling, access,
        is_near ? "only moving fewer bytes can help now."
                : "let neighbouring lanes read neighbouring 16 bytes, keep four such loads in "
                  "flight per thread, stage what is read more than once in shared memory, and "
                  "touch each byte once.");
  if (call.is_matrix_unit)
    return fmt::format("Compute-bound at {} ({}): {}", reached(p), p.ceiling,
                       is_near ? "the matrix units are nearly full; only fewer operations help."
                               : kFeedMatrixUnits);
  return fmt::format(
      "Compute-bound at {} ({}): {}{}", reached(p), p.ceiling,
      is_near ? "the FMA units are nearly full; only fewer operations help."
              : "hold a tile of results in registers, so that each value read from shared memory "
                "feeds eight or more FMAs, and keep other instructions out of the inner loop.",
      matrix_hint(p, call));
}

}  // namespace kw::profile

// Decides whose truths a bench believes, and allocates the referee's own buffers.
// SPDX-License-Identifier: Apache-2.0
#include "referee/bench_site.h"

namespace kw::referee {
namespace {

// Operations and bytes that one core of a host is assumed to process in a nanosecond: references
// are plain loops.
constexpr double kHostPerNs = 1;
constexpr double kMostHostNs = 1e9;

// Whether the host's reference is quick enough for this workload.
bool is_for_host(const Workload& workload) {
  const WorkPerCall& work = workload.work;
  const auto amount = static_cast<double>(work.flops) + static_cast<double>(work.read_bytes) +
                      static_cast<double>(work.write_bytes);
  return amount / kHostPerNs <= kMostHostNs;
}

}  // namespace

BenchSite::BenchSite(device::Device& device, const Task& task, const Workload& workload, Seed seed,
                     const Trusted& trusted)
    : device(device),
      task(task),
      workload(workload),
      seed(seed),
      trusted(trusted),
      is_fast(trusted.fast.reference != nullptr && !is_for_host(workload)),
      coded(this->trusted.maker, trusted.coded, workload),
      pool(device, workload, seed.child("inputs"), coded),
      scratch(device, workload) {}

Result<device::Buffer*> Scratch::buffer(std::size_t tensor) {
  auto& buffer = buffers_[tensor];
  if (!buffer)
    buffer = KW_TRY(device_.allocate({.name = "scratch." + workload_.tensors[tensor].name,
                                      .bytes = workload_.tensors[tensor].bytes(),
                                      .alignment = workload_.tensors[tensor].alignment,
                                      .shared = false}));
  return buffer.get();
}

}  // namespace kw::referee

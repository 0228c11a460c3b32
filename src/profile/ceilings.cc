// Measures the ceilings of a processor: points, slices of time, samples, and a second try for
// implausible figures.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ceilings.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>

#include "measure/statistics.h"
#include "profile/crew.h"
#include "profile/cuda_ceilings.h"
#include "profile/kernels.h"

namespace kw::profile {
namespace {

using Clock = std::chrono::steady_clock;

double elapsed_ns(Clock::time_point since) {
  return static_cast<double>(std::chrono::nanoseconds(Clock::now() - since).count());
}

// Bytes between two arrays, so that these do not fall into the same cache sets: an odd number of
// cache lines.
constexpr std::size_t kSkewBytes = std::size_t{17} * 64;
constexpr std::size_t kAlign = 4096;
constexpr std::size_t kFewest = 3;  // Samples; fewer are refused as implausible.

// The memory that all points are measured in: one mapping, first written by the threads that use
// it.
class Arena {
 public:
  static Result<std::unique_ptr<Arena>> create(std::size_t bytes) {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
      return fail(ErrorCode::NoMemory, About{"host"},
                  "there is too little memory to measure this machine's bandwidths");
    (void)::madvise(at, bytes, MADV_HUGEPAGE);  // A wish: fewer page faults and TLB misses.
    return std::unique_ptr<Arena>(new Arena(static_cast<char*>(at), bytes));
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { ::munmap(base_, bytes_); }

  // The part of the memory that belongs to thread `thread` of `threads`.
  std::span<char> slice(int thread, int threads) const {
    const std::size_t each = bytes_ / static_cast<std::size_t>(threads) / kAlign * kAlign;
    return {base_ + static_cast<std::size_t>(thread) * each, each};
  }

  // The arrays of thread `thread` when `threads` threads together touch `footprint` bytes.
  Streams streams(int thread, int threads, std::size_t footprint, int arrays) const {
    const std::size_t each = footprint / static_cast<std::size_t>(threads * arrays);
    const std::size_t floats =
        std::max(each / sizeof(float) / kBlockFloats, std::size_t{1}) * kBlockFloats;
    const std::size_t step = floats * sizeof(float) + kSkewBytes;
    const std::span<char> mine = slice(thread, threads);
    KW_ASSERT(step * static_cast<std::size_t>(arrays) <= mine.size());
    const auto array = [&](int k) { return reinterpret_cast<float*>(mine.data() + step * k); };
    // The written array lies first in memory. A kernel with a single array finds it there as well.
    return {array(1 % arrays), array(2 % arrays), array(3 % arrays), array(0), floats};
  }

 private:
  Arena(char* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  char* base_;
  std::size_t bytes_;
};

struct Sampling {
  double budget_ns = 0;  ///< Time for all points together.
  double sample_ns = 0;  ///< Shortest sample.
  int samples = 0;       ///< Most samples per kernel.
  double hard_ns = 0;    ///< No sample starts after this time, however few there are.
};

Sampling sampling_of(Effort effort) {
  if (effort == Effort::Quick) return {0.35e9, 0.1e6, 9, 4e9};
  return {8e9, 1e6, 31, 25e9};
}

class CpuSampler {
 public:
  // No sample starts later than `hard_ns` after the memory was first written, however few samples
  // there are.
  CpuSampler(const DeviceFacts& facts, const Arena& arena, double hard_ns)
      : facts_(facts), arena_(arena) {
    // Each thread writes its own part first: pages that nobody wrote would all read as one cached
    // page of zeroes, and the first write decides on which memory node a page lies.
    crew(std::max(facts.cores, 1)).run([&](int t) {
      const std::span<char> mine = arena_.slice(t, std::max(facts_.cores, 1));
      std::memset(mine.data(), 0x3f, mine.size());
    });
    // The deadline counts from here, because a virtual machine may first have had to get these
    // pages back from its host, which takes seconds.
    deadline_ = Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(hard_ns));
  }

  // Measures a point with every kernel that serves it, for `slice_ns`, and returns the figures of
  // the best kernel.
  Ceiling measure(const CeilingPoint& point, const Sampling& sampling, double slice_ns) {
    Ceiling best{point.kind, point.level, point.isa, point.threads, 0, 0, 0, 0};
    if (point.level == "core") {
      for (const FmaKernel& kernel : fma_)
        if (kernel.kind == point.kind && kernel.isa == point.isa)
          keep_best(best, run_fma(kernel, point, sampling, slice_ns));
      return best;
    }
    std::vector<const MemoryKernel*> kernels;
    for (const MemoryKernel& kernel : memory_)
      if (kernel.kind == point.kind) kernels.push_back(&kernel);
    for (const MemoryKernel* kernel : kernels) {
      best.reads = kernel->reads();
      keep_best(best, run_memory(*kernel, point, sampling,
                                 slice_ns / static_cast<double>(kernels.size())));
    }
    return best;
  }

 private:
  struct Rates {
    std::vector<double> per_second;
  };

  static void keep_best(Ceiling& best, const Rates& rates) {
    if (rates.per_second.empty()) return;
    const double median = measure::quantile(rates.per_second, 0.5);
    if (median <= best.per_second) return;
    best.per_second = median;
    best.samples = static_cast<int>(rates.per_second.size());
    best.spread =
        (measure::quantile(rates.per_second, 0.9) - measure::quantile(rates.per_second, 0.1)) / 2 /
        median;
  }

  Crew& crew(int threads) {
    if (!crew_ || crew_->size() != threads) {
      crew_.reset();
      crew_ = std::make_unique<Crew>(threads);
    }
    return *crew_;
  }

  // Doubles the work until a sample is long enough, then takes samples until the slice is spent.
  template <class Run>
  Rates sample(const Sampling& sampling, double slice_ns, double amount_each, Run&& run) {
    const auto start = Clock::now();
    long repeats = 1;
    for (double ns = run(repeats); ns < sampling.sample_ns && elapsed_ns(start) < slice_ns / 3;
         ns = run(repeats)) {
      if (Clock::now() >= deadline_) return {};
      const double factor = std::clamp(1.3 * sampling.sample_ns / std::max(ns, 1.0), 2.0, 1000.0);
      repeats = static_cast<long>(static_cast<double>(repeats) * factor);
    }
    Rates rates;
    while (static_cast<int>(rates.per_second.size()) < sampling.samples &&
           (rates.per_second.size() < kFewest || elapsed_ns(start) < slice_ns) &&
           Clock::now() < deadline_)
      rates.per_second.push_back(amount_each * static_cast<double>(repeats) * 1e9 / run(repeats));
    return rates;
  }

  Rates run_memory(const MemoryKernel& kernel, const CeilingPoint& point, const Sampling& sampling,
                   double slice_ns) {
    const std::size_t footprint =
        static_cast<std::size_t>(footprint_for(facts_, point.level, point.threads));
    std::vector<Streams> streams;
    double bytes = 0;
    for (int t = 0; t < point.threads; ++t) {
      streams.push_back(arena_.streams(t, point.threads, footprint, kernel.arrays()));
      bytes += static_cast<double>(streams.back().floats * sizeof(float)) * kernel.arrays();
    }
    return sample(sampling, slice_ns, bytes, [&](long passes) {
      return crew(point.threads).run([&](int t) {
        kernel.run(streams[static_cast<std::size_t>(t)], static_cast<std::size_t>(passes));
      });
    });
  }

  Rates run_fma(const FmaKernel& kernel, const CeilingPoint& point, const Sampling& sampling,
                double slice_ns) {
    constexpr long kSteps = 1000;
    const double flops = static_cast<double>(kernel.flops_per_step) * kSteps * point.threads;
    return sample(sampling, slice_ns, flops, [&](long repeats) {
      return crew(point.threads).run([&](int) { kernel.run(kSteps * repeats); });
    });
  }

  const DeviceFacts& facts_;
  const Arena& arena_;
  Clock::time_point deadline_;
  std::vector<MemoryKernel> memory_ = memory_kernels();
  std::vector<FmaKernel> fma_ = fma_kernels();
  std::unique_ptr<Crew> crew_;
};

// Weight of a point when the time is divided: a pass over DRAM takes milliseconds, where one over a
// cache takes microseconds.
double weight_of(const CeilingPoint& point) {
  return point.level == "DRAM" ? 8 : point.level == "L3" ? 2 : 1;
}

std::size_t arena_bytes(const DeviceFacts& facts) {
  // Beside the footprint, memory is needed for the skew between arrays, and because each thread
  // gets whole blocks and pages.
  const std::size_t slack = 16 * kAlign * static_cast<std::size_t>(std::max(facts.cores, 1));
  return static_cast<std::size_t>(footprint_for(facts, "DRAM", facts.cores)) + slack;
}

void measure_points(CpuSampler& sampler, const std::vector<CeilingPoint>& points,
                    const std::vector<std::size_t>& which, const Sampling& sampling,
                    double budget_ns, std::vector<Ceiling>& into) {
  double weight = 0;
  for (const std::size_t i : which) weight += weight_of(points[i]);
  for (const std::size_t i : which) {
    Ceiling found = sampler.measure(points[i], sampling, budget_ns * weight_of(points[i]) / weight);
    if (found.samples > 0) into[i] = std::move(found);  // Past the deadline the first try stands.
  }
}

}  // namespace

std::vector<CeilingPoint> points_of(const DeviceFacts& facts, Effort effort) {
  std::vector<int> threads{std::max(facts.cores, 1)};
  if (effort == Effort::Full && threads[0] > 1) threads.push_back(1);
  std::vector<CeilingPoint> points;
  const std::vector<FmaKernel> fma = fma_kernels();
  // The points that a roofline needs most come first, in case the deadline cuts the rest.
  for (const int n : threads) {
    for (const FmaKernel& kernel : fma) {
      if (effort == Effort::Quick && kernel.isa != fma.back().isa) continue;
      points.push_back({std::string(kernel.kind), "core", std::string(kernel.isa), n});
    }
    for (const char* level : {"DRAM", "L3", "L2", "L1"}) {
      if (footprint_for(facts, level, n) == 0) continue;
      for (const char* kind : {"copy", "mix_3r1w", "triad", "read", "write"})
        points.push_back({kind, level, "", n});
    }
  }
  return points;
}

std::int64_t footprint_for(const DeviceFacts& facts, const std::string& level, int threads) {
  std::int64_t last = 0, wanted = 0;
  int last_level = 0;
  for (const Cache& cache : facts.caches) {
    const int shared = std::max(cache.shared_by, 1);
    const std::int64_t reach = cache.bytes * ((std::max(threads, 1) + shared - 1) / shared);
    if (cache.level > last_level) last_level = cache.level, last = reach;
    if (level == fmt::format("L{}", cache.level)) wanted = reach / 2;
  }
  if (level != "DRAM") return wanted;
  // Four times the last cache, so that less than a quarter can be hits; not less than 64 MiB where
  // the caches are unknown or small, and never more than a sixteenth of memory.
  const std::int64_t bytes = std::max<std::int64_t>(4 * last, std::int64_t{64} << 20);
  return facts.memory_bytes > 0 ? std::min(bytes, facts.memory_bytes / 16) : bytes;
}

ByTarget<CeilingMeter>& ceiling_meters() {
  static ByTarget<CeilingMeter> all{
      {Target::Cpu, [](device::Device& device,
                       Effort effort) { return measure_ceilings(device.facts(), effort); }},
      {Target::Cuda, measure_cuda_ceilings},
  };
  return all;
}

Result<CeilingReport> measure_ceilings(device::Device& device, Effort effort) {
  return ceiling_meters()[device.facts().target](device, effort);
}

Result<CeilingReport> measure_ceilings(const DeviceFacts& facts, Effort effort) {
  const auto start = Clock::now();
  const Sampling sampling = sampling_of(effort);
  const std::unique_ptr<Arena> arena = KW_TRY(Arena::create(arena_bytes(facts)));
  CpuSampler sampler(facts, *arena, sampling.hard_ns);
  const std::vector<CeilingPoint> points = points_of(facts, effort);
  std::vector<Ceiling> found(points.size());
  std::vector<std::size_t> which(points.size());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
  measure_points(sampler, points, which, sampling, sampling.budget_ns, found);

  which = to_measure_again(found, nullptr);
  const double again_ns = sampling.budget_ns * (effort == Effort::Quick ? 0.15 : 0.5);
  if (!which.empty()) measure_points(sampler, points, which, sampling, again_ns, found);

  const std::size_t missing = static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](const Ceiling& c) { return c.samples == 0; }));
  const std::size_t planned = found.size();
  CeilingReport report = report_of(std::move(found), nullptr);
  if (missing > 0)
    report.refused.insert(report.refused.begin(),
                          fmt::format("The machine is so busy that {} of {} bandwidths and peak "
                                      "rates could not be measured in {:.0f} s.",
                                      missing, planned, sampling.hard_ns * 1e-9));
  report.elapsed_ns = elapsed_ns(start);
  return report;
}

}  // namespace kw::profile

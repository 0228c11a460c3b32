// Chooses the points and launches for the ceilings of a GPU, and takes the samples.
// SPDX-License-Identifier: Apache-2.0
#include "profile/cuda_ceilings.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "device/multiprocessor.h"
#include "measure/statistics.h"
#include "profile/embedded.h"

namespace kw::profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kStreams[] = "trusted_ceilings";
constexpr char kWgmma[] = "trusted_wgmma";

// Threads of a block, and bytes that a thread takes of one array in one step, as in ceilings.cu.
constexpr int kThreads = 256;
constexpr std::int64_t kPiece = std::int64_t{4} * kThreads * 16;
// Resident blocks: four of 256 threads fit every multiprocessor since sm_75, whatever these kernels
// need.
constexpr int kResident = 4;
constexpr double kWarps = kThreads / 32.0;

constexpr std::int64_t kLeastDram = std::int64_t{256} << 20;

// Least time of the warm-up: long enough for the clocks of an idle GPU to rise.
constexpr double kWarmUpNs = 60e6;
constexpr double kMostWarmUpNs = 1e9;

CudaPoint stream_point(const char* kind, const char* level, const char* cached, int reads,
                       int writes) {
  CudaPoint p{kind, level, kStreams, std::string(kind) + cached};
  p.arrays_read = reads, p.arrays_written = writes;
  p.reads = static_cast<double>(reads) / (reads + writes);
  p.per_block_step = static_cast<double>(kPiece) * (reads + writes);
  p.blocks_per_multiprocessor = kResident;
  return p;
}

struct Mix {
  const char* kind;
  int reads;
  int writes;
};
constexpr Mix kMixes[] = {
    {"copy", 1, 1}, {"mix_3r1w", 3, 1}, {"triad", 2, 1}, {"read", 1, 0}, {"write", 0, 1}};

// Bytes or operations of one step: shared kernels make four accesses of 16 bytes per thread and
// direction, FMA kernels 16 rounds of 8 chains.
constexpr double kSharedStep = 4 * 16 * kThreads;
constexpr double kFmaStep = 16 * 8 * 2 * kThreads;
// In one step mma kernels make 4 rounds of 4 products per warp, wgmma kernels 4 products of each of
// two warpgroups. A product of m, n, k is 2 m n k flops.
constexpr double mma_step(int m, int n, int k) { return 4 * 4 * kWarps * 2.0 * m * n * k; }
constexpr double wgmma_step(int k) { return 2 * 4 * 2.0 * 64 * 256 * k; }

CudaPoint core_point(const char* kind, const char* unit, const char* kernel, double flops,
                     int resident) {
  CudaPoint p{kind, "core", unit, kernel};
  p.per_block_step = flops;
  p.blocks_per_multiprocessor = resident;
  return p;
}

void add_matrix_points(const std::string& arch, std::vector<CudaPoint>& points) {
  const int capability = device::capability_of(arch);
  if (arch == "sm_90a") {
    points.push_back(core_point("mma_tf32", kWgmma, "wgmma_tf32", wgmma_step(8), 1));
    points.push_back(core_point("mma_bf16", kWgmma, "wgmma_bf16", wgmma_step(16), 1));
    points.push_back(core_point("mma_f16", kWgmma, "wgmma_f16", wgmma_step(16), 1));
    points.push_back(core_point("mma_f8", kWgmma, "wgmma_f8", wgmma_step(32), 1));
    return;
  }
  if (capability < 80) {
    points.push_back(core_point("mma_f16", kStreams, "mma_f16", mma_step(16, 8, 8), kResident));
    return;
  }
  points.push_back(core_point("mma_tf32", kStreams, "mma_tf32", mma_step(16, 8, 8), kResident));
  points.push_back(core_point("mma_bf16", kStreams, "mma_bf16", mma_step(16, 8, 16), kResident));
  points.push_back(core_point("mma_f16", kStreams, "mma_f16", mma_step(16, 8, 16), kResident));
  if (capability >= 89)
    points.push_back(core_point("mma_f8", kStreams, "mma_f8", mma_step(16, 8, 32), kResident));
}

PlanArgument scalar(int parameter, int bytes, std::uint64_t image) {
  PlanArgument a;
  a.parameter = parameter, a.bytes = bytes, a.image = image;
  return a;
}

PlanArgument address(int parameter, std::int64_t offset) {
  PlanArgument a;
  a.parameter = parameter, a.kind = ArgumentKind::Address, a.bytes = 8;
  a.place.offset = offset;
  return a;
}

// Adds a factor and a term with which x * factor + term stays finite and keeps changing its bits.
void add_fma_operands(const std::string& kind, std::vector<PlanArgument>& arguments) {
  if (kind == "fma_f32") {
    arguments.push_back(scalar(2, 4, std::bit_cast<std::uint32_t>(0.999f)));
    arguments.push_back(scalar(3, 4, std::bit_cast<std::uint32_t>(0.5f)));
  } else if (kind == "fma_f64") {
    arguments.push_back(scalar(2, 8, std::bit_cast<std::uint64_t>(0.999)));
    arguments.push_back(scalar(3, 8, std::bit_cast<std::uint64_t>(0.5)));
  } else if (kind == "fma_f16x2") {
    arguments.push_back(scalar(2, 4, 0x3bf83bf8));  // 0.996, twice
    arguments.push_back(scalar(3, 4, 0x38003800));  // 0.5, twice
  }
}

struct Budget {
  double sample_ns = 0;  ///< Shortest sample.
  int samples = 0;
};

Budget budget_of(Effort effort) {
  return effort == Effort::Quick ? Budget{1e6, 9} : Budget{4e6, 31};
}

class CudaSampler {
 public:
  CudaSampler(device::Device& device, device::Buffer& arena)
      : device_(device), arena_(arena), facts_(device.facts()) {}

  // Runs the point until the clock has risen: for a least time, and until two runs in a row agree.
  Result<> warm_up(const CudaPoint& point) {
    double spent = 0, before = 0;
    int steps = 64;
    while (spent < kMostWarmUpNs) {
      const double ns = KW_TRY(run(point, steps, 1));
      spent += ns;
      const bool is_steady = std::abs(ns - before) < 0.01 * ns;
      if (spent > kWarmUpNs && is_steady) break;
      before = ns;
      if (ns < 5e6) steps *= 2, before = 0;
    }
    return {};
  }

  // Measures the point with its kernel; `best` keeps the better of its old figure and the new one.
  Result<> measure(const CudaPoint& point, const Budget& budget, Ceiling& best) {
    // Runs grow until one is as long as a sample should be; the first runs warm up.
    int steps = 16, repeats = 1;
    for (int tries = 0; tries < 24; ++tries) {
      const double ns = KW_TRY(run(point, steps, repeats));
      if (ns >= budget.sample_ns) break;
      const double factor = std::clamp(1.3 * budget.sample_ns / std::max(ns, 1.0), 2.0, 64.0);
      int& grows = point.level == "DRAM" ? repeats : steps;
      grows = static_cast<int>(std::min(grows * factor, 1e7));
    }
    const double amount =
        launch_of(point, facts_, arena_.bytes(), steps).amount * static_cast<double>(repeats);
    std::vector<double> rates;
    for (int i = 0; i < budget.samples; ++i) {
      const double ns = KW_TRY(run(point, steps, repeats));
      if (!(ns > 0))
        return fail(ErrorCode::DeviceFailed, About{"0 ns"},
                    "one of the referee's own kernels was timed at 0 ns", point.kernel,
                    Advice::Retry);
      rates.push_back(amount * 1e9 / ns);
    }
    const double median = measure::quantile(rates, 0.5);
    if (median <= best.per_second) return {};
    best.per_second = median;
    best.samples = static_cast<int>(rates.size());
    best.spread = (measure::quantile(rates, 0.9) - measure::quantile(rates, 0.1)) / 2 / median;
    return {};
  }

 private:
  Result<double> run(const CudaPoint& point, int steps, int repeats) {
    const CudaLaunch launch = launch_of(point, facts_, arena_.bytes(), steps);
    return device_.run_trusted(
        {.unit = point.unit, .plan = &launch.plan, .buffers = {&arena_}, .repeats = repeats});
  }

  device::Device& device_;
  device::Buffer& arena_;
  const DeviceFacts& facts_;
};

bool serves(const CudaPoint& point, const Ceiling& ceiling) {
  return point.kind == ceiling.kind && point.level == ceiling.level;
}

// One entry for each kind and level, still without samples.
std::vector<Ceiling> empty_ceilings(const std::vector<CudaPoint>& points, const std::string& arch) {
  std::vector<Ceiling> out;
  for (const CudaPoint& p : points)
    if (std::none_of(out.begin(), out.end(), [&](const Ceiling& c) { return serves(p, c); }))
      out.push_back({p.kind, p.level, arch, 1, 0, 0, 0, p.reads});
  return out;
}

}  // namespace

std::vector<BuildUnit> ceiling_units(const std::string& arch) {
  const auto unit = [&](const char* role, const char* file) {
    BuildUnit u;
    u.role = role, u.target = Target::Cuda, u.arch = arch, u.main_file = file;
    u.files = {{file, std::string(embedded_text(file))}};
    return u;
  };
  std::vector<BuildUnit> units{unit(kStreams, "ceilings.cu")};
  if (arch == "sm_90a") units.push_back(unit(kWgmma, "wgmma.cu"));
  return units;
}

std::vector<CudaPoint> cuda_points(const std::string& arch) {
  std::vector<CudaPoint> points;
  for (const Mix& mix : kMixes)
    for (const char* cached : {"_cg", "_cs"})
      points.push_back(stream_point(mix.kind, "DRAM", cached, mix.reads, mix.writes));
  points.push_back(core_point("fma_f32", kStreams, "fma_f32", kFmaStep, kResident));
  points.push_back(core_point("fma_f64", kStreams, "fma_f64", kFmaStep, kResident));
  points.push_back(core_point("fma_f16x2", kStreams, "fma_f16x2", 2 * kFmaStep, kResident));
  add_matrix_points(arch, points);
  for (const Mix& mix : kMixes)
    points.push_back(stream_point(mix.kind, "L2", "_cg", mix.reads, mix.writes));
  for (const Mix& mix : {Mix{"copy", 1, 1}, Mix{"read", 1, 0}, Mix{"write", 0, 1}}) {
    CudaPoint p = stream_point(mix.kind, "shared", "", mix.reads, mix.writes);
    p.kernel = "shared_" + p.kind;
    p.per_block_step = kSharedStep * (mix.reads + mix.writes);
    points.push_back(std::move(p));
  }
  return points;
}

std::int64_t cuda_footprint(const DeviceFacts& facts, const std::string& level) {
  const std::int64_t l2 = facts.gpu.empty() ? 0 : facts.gpu.front().l2_bytes;
  if (level == "L2") return l2 / 4;
  const std::int64_t bytes = std::max(64 * l2, kLeastDram);
  return facts.memory_bytes > 0 ? std::min(bytes, facts.memory_bytes / 16) : bytes;
}

CudaLaunch launch_of(const CudaPoint& point, const DeviceFacts& facts, std::int64_t bytes,
                     int steps) {
  KW_ASSERT(!facts.gpu.empty());
  CudaLaunch out;
  PlanStep step;
  step.kernel = point.kernel;
  step.block = {kThreads, 1, 1};
  std::int64_t grid = std::int64_t{point.blocks_per_multiprocessor} *
                      std::max(facts.gpu.front().multiprocessors, 1);
  if (point.level == "DRAM" || point.level == "L2") {
    const std::int64_t all =
        point.level == "DRAM" ? bytes : std::min(bytes, cuda_footprint(facts, "L2"));
    const std::int64_t pieces =
        std::max<std::int64_t>(all / (point.arrays_read + point.arrays_written) / kPiece, 1);
    if (point.level == "DRAM") grid = pieces, steps = 1;
    // The written array lies behind the read ones; a kernel that only reads does not write at `to`.
    const std::int64_t to = point.arrays_written > 0 ? point.arrays_read * pieces * kPiece : 0;
    step.arguments = {address(0, 0), address(1, to),
                      scalar(2, 4, static_cast<std::uint64_t>(pieces)),
                      scalar(3, 4, static_cast<std::uint64_t>(steps))};
  } else {
    step.arguments = {address(0, 0), scalar(1, 4, static_cast<std::uint64_t>(steps))};
    add_fma_operands(point.kind, step.arguments);
  }
  step.grid = {grid, 1, 1};
  out.amount = point.per_block_step * static_cast<double>(grid) * steps;
  out.plan.steps.push_back(std::move(step));
  return out;
}

Result<CeilingReport> measure_cuda_ceilings(device::Device& device, Effort effort) {
  const auto start = Clock::now();
  const DeviceFacts& facts = device.facts();
  if (facts.gpu.size() != 1)
    return fail(ErrorCode::NoDevice, About{"facts"}, "the facts of this device describe no GPU",
                facts.id);
  const GpuFacts& gpu = facts.gpu.front();
  const std::int64_t bytes =
      std::min(cuda_footprint(facts, "DRAM"), device.free_bytes() / 2) / kPiece * kPiece;
  if (bytes < 8 * kPiece)
    return fail(ErrorCode::NoMemory, About{"device"},
                "the GPU has too little free memory to measure its bandwidths", facts.id,
                Advice::Retry);
  const auto arena = KW_TRY(
      device.allocate({.name = "ceilings", .bytes = bytes, .alignment = 256, .shared = false}));
  KW_TRY(device.ops().poison(*arena, 1));  // Bits that toggle as those of real data do.

  const std::vector<CudaPoint> points = cuda_points(gpu.arch);
  CudaSampler sampler(device, *arena);
  const auto fma = std::find_if(points.begin(), points.end(),
                                [](const CudaPoint& p) { return p.kind == "fma_f32"; });
  KW_TRY(sampler.warm_up(*fma));
  const Budget budget = budget_of(effort);
  std::vector<Ceiling> found = empty_ceilings(points, gpu.arch);
  const auto measure_into = [&](Ceiling& ceiling) -> Result<> {
    for (const CudaPoint& p : points)
      if (serves(p, ceiling)) KW_TRY(sampler.measure(p, budget, ceiling));
    return {};
  };
  for (Ceiling& ceiling : found) KW_TRY(measure_into(ceiling));
  for (const std::size_t i : to_measure_again(found, &gpu)) {
    Ceiling again = found[i];
    again.per_second = 0, again.samples = 0;
    KW_TRY(measure_into(again));
    found[i] = std::move(again);
  }
  CeilingReport report = report_of(std::move(found), &gpu);
  report.elapsed_ns = static_cast<double>(std::chrono::nanoseconds(Clock::now() - start).count());
  return report;
}

}  // namespace kw::profile

// What a machine is, and the rates that were measured on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/enums.h"

namespace kw {

struct Cache {
  int level = 1;
  std::int64_t bytes = 0;
  int shared_by = 1;  ///< Logical cores that share one instance.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("level", s.level), v("bytes", s.bytes), v("shared_by", s.shared_by);
  }
};

/// One ceiling of the roofline: the highest rate that was measured for one kind of operation.
struct Ceiling {
  /// Kind of operation: copy | triad | read | write | mix_3r1w | fma_f32 | fma_f64; cuda also has
  /// fma_f16x2, mma_tf32, mma_bf16, mma_f16, mma_f8, all dense.
  std::string kind;
  std::string level;  ///< L1 | L2 | L3 | DRAM | core; cuda: DRAM | L2 | shared | core.
  /// Instruction set in which arithmetic was measured. cpu: scalar | sse | avx2 | avx512, empty for
  /// memory; cuda: the architecture.
  std::string isa;
  int threads = 1;
  double per_second = 0;  ///< Bytes or floating-point operations per second.
  double spread = 0;      ///< Half-width of the samples' central 80 %, as a ratio.
  int samples = 0;
  double reads = 0;  ///< Share of reads in the traffic, 0–1; memory kinds only.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("level", s.level), v("isa", s.isa), v("threads", s.threads),
        v("per_second", s.per_second), v("spread", s.spread), v("samples", s.samples),
        v("reads", s.reads);
  }
};

/// Whether the ceiling's rate counts operations (kinds fma_* of plain units, mma_* of matrix units)
/// instead of bytes.
inline bool is_flops(const Ceiling& c) {
  return c.kind.starts_with("fma_") || c.kind.starts_with("mma_");
}

/// Rates that the maker of a GPU states, dense and at the boost clock; 0: not stated.
struct DatasheetRates {
  double memory = 0;      ///< Bytes per second; the other rates are operations per second.
  double f64 = 0;         ///< Rate of f64 without matrix units.
  double f64_matrix = 0;  ///< Rate of f64 on matrix units; 0: they do not take f64.
  double f32 = 0;
  double tf32 = 0;
  double f16 = 0;  ///< Rate of f16 and bf16 on matrix units.
  double f8 = 0;
  std::string source;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("memory", s.memory), v("f64", s.f64), v("f64_matrix", s.f64_matrix), v("f32", s.f32),
        v("tf32", s.tf32), v("f16", s.f16), v("f8", s.f8), v("source", s.source);
  }
};

/// Facts that only a GPU has.
struct GpuFacts {
  std::string arch;  ///< "sm_90a": what candidates are compiled for.
  /// Versions of the driver and of the CUDA that it supports: "580.159 (CUDA 13.0)".
  std::string driver;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_per_block = 0;  ///< Largest shared memory of one block, after opt-in.
  std::int64_t shared_per_multiprocessor = 0;
  int registers_per_block = 0;
  int threads_per_multiprocessor = 0;
  double clock_hz = 0;         ///< Highest clock of the multiprocessors.
  double memory_clock_hz = 0;  ///< Highest clock of the memory.
  int memory_bus_bits = 0;
  double timer_tick_ns = 0;  ///< Measured resolution of %globaltimer.
  bool is_mig = false;
  /// At most one entry; none where device/known_devices does not list this GPU.
  std::vector<DatasheetRates> datasheet;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("arch", s.arch), v("driver", s.driver), v("multiprocessors", s.multiprocessors),
        v("l2_bytes", s.l2_bytes), v("shared_per_block", s.shared_per_block),
        v("shared_per_multiprocessor", s.shared_per_multiprocessor),
        v("registers_per_block", s.registers_per_block),
        v("threads_per_multiprocessor", s.threads_per_multiprocessor), v("clock_hz", s.clock_hz),
        v("memory_clock_hz", s.memory_clock_hz), v("memory_bus_bits", s.memory_bus_bits),
        v("timer_tick_ns", s.timer_tick_ns), v("is_mig", s.is_mig), v("datasheet", s.datasheet);
  }
};

/// State of a GPU at one moment, as its driver reported it; 0 and empty: not reported.
struct GpuMoment {
  double sm_clock_hz = 0;
  double power_w = 0;
  double temperature_c = 0;
  std::vector<std::string> throttled_by;  ///< What held the clock down: "power cap".
  /// Other processes with a context on the GPU: "python3 (4711)".
  std::vector<std::string> foreign;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("sm_clock_hz", s.sm_clock_hz), v("power_w", s.power_w), v("temperature_c", s.temperature_c),
        v("throttled_by", s.throttled_by), v("foreign", s.foreign);
  }
};

struct DeviceFacts {
  /// Stable name of this device on this machine; keys the lease and stored ceilings.
  std::string id;
  Target target = kDefaultTarget;
  std::string model;
  /// Maker, family and model number of a processor, which name its generation where the model's
  /// name does not: "AuthenticAMD, family 26, model 2". Empty: not known.
  std::string generation = {};
  int cores = 0;                   ///< Logical cores of the host; the GPU's own are in `gpu`.
  std::vector<GpuFacts> gpu = {};  ///< Exactly one where the target is cuda.
  std::vector<std::string> isa;
  std::vector<Cache> caches;
  std::int64_t memory_bytes = 0;
  std::string compiler;  ///< Version line of the compiler that builds candidates.
  std::string kernel;    ///< Operating system kernel.
  std::vector<Ceiling> ceilings;
  std::string measured_at;  ///< UTC, ISO 8601; empty before the first measurement.

  /// Size of the largest cache in bytes, summed over the instances that `cores` can reach.
  std::int64_t last_level_cache() const {
    std::int64_t best = 0;
    for (const Cache& c : caches) {
      const int shared = c.shared_by < 1 ? 1 : c.shared_by;
      const std::int64_t total = c.bytes * ((cores + shared - 1) / shared);
      if (total > best) best = total;
    }
    return best;
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("target", s.target), v("model", s.model), v("generation", s.generation),
        v("cores", s.cores), v("gpu", s.gpu), v("isa", s.isa), v("caches", s.caches),
        v("memory_bytes", s.memory_bytes), v("compiler", s.compiler), v("kernel", s.kernel),
        v("ceilings", s.ceilings), v("measured_at", s.measured_at);
  }
};

/// Where one workload stands under the device's ceilings.
struct RooflinePosition {
  /// Measured rate ÷ the ceiling that binds, usually 0–1; docs/measurement.md says when it is above
  /// 1.
  double fraction = 0;
  Bound bound = Bound::Unknown;
  double ceiling_per_second = 0;  ///< Bytes or operations per second, whichever binds.
  /// The ceiling that binds, in words: "DRAM read:write 3:1, 2 threads".
  std::string ceiling;
  std::string advice;
  /// cuda, matrix products of f32: fraction of the rate that matrix units reach by 3xTF32, where
  /// this rate is above the FMA units' ceiling; else 0.
  double matrix_fraction = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("fraction", s.fraction), v("bound", s.bound), v("ceiling_per_second", s.ceiling_per_second),
        v("ceiling", s.ceiling), v("advice", s.advice), v("matrix_fraction", s.matrix_fraction);
  }
};

/// "0.83", or "1.60 (0.80 of 3xTF32)" where matrix units reach further than the ceiling.
std::string fraction_text(const RooflinePosition& position);

}  // namespace kw

// Table of what one multiprocessor of each GPU generation holds and does per clock.
// SPDX-License-Identifier: Apache-2.0
#include "device/multiprocessor.h"

#include <array>

#include "base/arch.h"

namespace kw::device {
namespace {

constexpr std::int64_t kKiB = 1024;

constexpr std::array<Multiprocessor, 7> kTable{{
    {.capability = 75,
     .warps = 32,
     .blocks = 16,
     .shared_bytes = 64 * kKiB,
     .shared_unit = 256,
     .shared_reserved = 0,
     .fma_f32 = 64,
     .fma_f64 = 2,
     .fma_f16x2 = 128,
     .mma_f16 = 512,
     .shared_bytes_per_clock = 128},
    {.capability = 80,
     .warps = 64,
     .blocks = 32,
     .shared_bytes = 164 * kKiB,
     .fma_f32 = 64,
     .fma_f64 = 32,
     .fma_f16x2 = 256,
     .mma_tf32 = 512,
     .mma_f16 = 1024},
    {.capability = 86,
     .warps = 48,
     .blocks = 16,
     .shared_bytes = 100 * kKiB,
     .fma_f32 = 128,
     .fma_f64 = 2,
     .fma_f16x2 = 128,
     .mma_tf32 = 256,
     .mma_f16 = 512},
    {.capability = 89,
     .warps = 48,
     .blocks = 24,
     .shared_bytes = 100 * kKiB,
     .fma_f32 = 128,
     .fma_f64 = 2,
     .fma_f16x2 = 128,
     .mma_tf32 = 256,
     .mma_f16 = 512,
     .mma_f8 = 1024},
    {.capability = 90,
     .warps = 64,
     .blocks = 32,
     .shared_bytes = 228 * kKiB,
     .fma_f32 = 128,
     .fma_f64 = 64,
     .fma_f16x2 = 256,
     .mma_tf32 = 1024,
     .mma_f16 = 2048,
     .mma_f8 = 4096},
    // Rates of matrix units are left open where we have no document with them.
    {.capability = 100,
     .warps = 64,
     .blocks = 32,
     .shared_bytes = 228 * kKiB,
     .fma_f32 = 128,
     .fma_f64 = 64,
     .fma_f16x2 = 256},
    {.capability = 120, .warps = 48, .blocks = 24, .shared_bytes = 100 * kKiB, .fma_f32 = 128},
}};

}  // namespace

int capability_of(std::string_view arch) { return parse_arch(arch).capability; }

std::optional<Multiprocessor> multiprocessor_of(std::string_view arch) {
  const int capability = capability_of(arch);
  for (const Multiprocessor& m : kTable)
    if (m.capability == capability) return m;
  return std::nullopt;
}

double datasheet_rate(const GpuFacts& gpu, std::string_view kind, std::string_view level) {
  if (level == "DRAM") return gpu.memory_clock_hz * 2 * gpu.memory_bus_bits / 8;
  const auto m = multiprocessor_of(gpu.arch);
  if (!m) return 0;
  const double clocks = gpu.clock_hz * gpu.multiprocessors;
  if (level != "core") return clocks * m->shared_bytes_per_clock;
  const int fma = kind == "fma_f32"                         ? m->fma_f32
                  : kind == "fma_f64"                       ? m->fma_f64
                  : kind == "fma_f16x2"                     ? m->fma_f16x2
                  : kind == "mma_tf32"                      ? m->mma_tf32
                  : kind == "mma_f16" || kind == "mma_bf16" ? m->mma_f16
                  : kind == "mma_f8"                        ? m->mma_f8
                                                            : 0;
  return clocks * 2 * fma;
}

}  // namespace kw::device

// Table of GPUs with figures from data sheets and the CUDA programming guide.
// SPDX-License-Identifier: Apache-2.0
#include "device/known_devices.h"

#include <algorithm>
#include <array>

#include "base/result.h"

namespace kw::device {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr std::int64_t kMib = 1 << 20;

/// Rates of f64 in TFLOP/s.
struct F64 {
  double plain = 0;
  double matrix = 0;  ///< On matrix units; 0: they do not take f64.
};

/// Rates in the units of data sheets: GB/s, then TFLOP/s.
DatasheetRates rates(double memory, F64 f64, double f32, double tf32, double f16, double f8,
                     const char* source) {
  return {memory * kGiga, f64.plain * kTera, f64.matrix * kTera, f32 * kTera,
          tf32 * kTera,   f16 * kTera,       f8 * kTera,         source};
}

const std::vector<KnownDevice>& table() {
  static const std::vector<KnownDevice> devices = {
      {"Tesla T4", "sm_75", 40, 4 * kMib, 16,
       rates(320, {0.25}, 8.1, 0, 65, 0, "NVIDIA T4 datasheet, 2019; Turing whitepaper")},
      {"NVIDIA A30", "sm_80", 56, 24 * kMib, 24,
       rates(933, {5.2, 10.3}, 10.3, 82, 165, 0, "NVIDIA A30 datasheet, 2022")},
      {"NVIDIA A100-PCIE-40GB", "sm_80", 108, 40 * kMib, 40,
       rates(1555, {9.7, 19.5}, 19.5, 156, 312, 0, "NVIDIA A100 datasheet, 2020")},
      {"NVIDIA A100-SXM4-40GB", "sm_80", 108, 40 * kMib, 40,
       rates(1555, {9.7, 19.5}, 19.5, 156, 312, 0, "NVIDIA A100 datasheet, 2020")},
      {"NVIDIA A100 80GB PCIe", "sm_80", 108, 40 * kMib, 80,
       rates(1935, {9.7, 19.5}, 19.5, 156, 312, 0, "NVIDIA A100 datasheet, 2021")},
      {"NVIDIA A100-SXM4-80GB", "sm_80", 108, 40 * kMib, 80,
       rates(2039, {9.7, 19.5}, 19.5, 156, 312, 0, "NVIDIA A100 datasheet, 2021")},
      {"NVIDIA A10", "sm_86", 72, 6 * kMib, 24,
       rates(600, {0.98}, 31.2, 62.5, 125, 0, "NVIDIA A10 datasheet, 2021")},
      {"NVIDIA GeForce RTX 3090", "sm_86", 82, 6 * kMib, 24,
       rates(936, {0.56}, 35.6, 35.6, 142, 0, "NVIDIA Ampere GA102 whitepaper, 2021")},
      {"NVIDIA RTX A6000", "sm_86", 84, 6 * kMib, 48,
       rates(768, {0.6}, 38.7, 77.4, 154.8, 0, "NVIDIA Ampere GA102 whitepaper, 2021")},
      {"NVIDIA L4", "sm_89", 58, 48 * kMib, 24,
       rates(300, {0.49}, 30.3, 60, 121, 242.5, "NVIDIA L4 datasheet, 2023")},
      {"NVIDIA L40S", "sm_89", 142, 96 * kMib, 48,
       rates(864, {1.4}, 91.6, 183, 362, 733, "NVIDIA L40S datasheet, 2023")},
      {"NVIDIA GeForce RTX 4090", "sm_89", 128, 72 * kMib, 24,
       rates(1008, {1.3}, 82.6, 82.6, 330.3, 660.6, "NVIDIA Ada whitepaper, 2023")},
      {"NVIDIA H100 PCIe", "sm_90a", 114, 50 * kMib, 80,
       rates(2000, {26, 51}, 51, 378, 756, 1513, "NVIDIA H100 datasheet, 2023")},
      {"NVIDIA H100 NVL", "sm_90a", 132, 50 * kMib, 94,
       rates(3900, {30, 60}, 60, 417.5, 835.5, 1671, "NVIDIA H100 datasheet, 2024")},
      {"NVIDIA H100 80GB HBM3", "sm_90a", 132, 50 * kMib, 80,
       rates(3350, {34, 67}, 67, 494.5, 989.5, 1979, "NVIDIA H100 datasheet, 2023")},
      // A GH100 has 5 MiB of L2 beside each memory controller (Hopper whitepaper: 60 MiB and 12 in
      // all, of which an H100 of 80 GB uses 10). The 6144 bits of an H200 are all 12.
      {"NVIDIA H200", "sm_90a", 132, 60 * kMib, 141,
       rates(4800, {34, 67}, 67, 494.5, 989.5, 1979, "NVIDIA H200 datasheet, 2024")},
      {"NVIDIA H200 NVL", "sm_90a", 132, 60 * kMib, 141,
       rates(4800, {30, 60}, 60, 417.5, 835.5, 1671, "NVIDIA H200 datasheet, 2024")},
      {"NVIDIA GeForce RTX 5090", "sm_120a", 170, 96 * kMib, 32,
       rates(1792, {1.6}, 104.8, 104.8, 419, 838, "NVIDIA RTX Blackwell whitepaper, 2025")},
  };
  return devices;
}

struct ArchLimits {
  std::string_view arch;
  int shared_kib;  ///< Largest shared memory of one block.
  int shared_per_multiprocessor_kib;
  int threads_per_multiprocessor;
};

constexpr std::array<ArchLimits, 11> kArchs{{
    {"sm_75", 64, 64, 1024},
    {"sm_80", 163, 164, 2048},
    {"sm_86", 99, 100, 1536},
    {"sm_87", 163, 164, 1536},
    {"sm_89", 99, 100, 1536},
    {"sm_90", 227, 228, 2048},
    {"sm_90a", 227, 228, 2048},
    {"sm_100", 227, 228, 2048},
    {"sm_100a", 227, 228, 2048},
    {"sm_120", 99, 100, 1536},
    {"sm_120a", 99, 100, 1536},
}};

/// "sm_90" for "sm_90a": both name the same hardware.
std::string_view without_feature(std::string_view arch) {
  return arch.ends_with('a') ? arch.substr(0, arch.size() - 1) : arch;
}

}  // namespace

std::span<const KnownDevice> known_devices() { return table(); }

const KnownDevice* find_known_device(std::string_view model) {
  const auto found = std::ranges::find(table(), model, &KnownDevice::model);
  return found == table().end() ? nullptr : &*found;
}

const std::vector<std::string>& known_archs() {
  static const std::vector<std::string> archs = [] {
    std::vector<std::string> names;
    for (const ArchLimits& limits : kArchs) names.emplace_back(limits.arch);
    return names;
  }();
  return archs;
}

bool runs_on(std::string_view arch, std::string_view device) {
  if (arch == device) return true;
  if (arch.ends_with('a')) return false;
  const std::string_view have = without_feature(device);
  // In "sm_" major minor, the last digit is the minor version.
  return arch.size() == have.size() &&
         arch.substr(0, arch.size() - 1) == have.substr(0, have.size() - 1) &&
         arch.back() <= have.back();
}

GpuFacts least_facts(std::string_view arch) {
  const auto limits = std::ranges::find(kArchs, arch, &ArchLimits::arch);
  KW_ASSERT(limits != kArchs.end());
  GpuFacts facts;
  facts.arch = arch;
  facts.shared_per_block = std::int64_t{limits->shared_kib} << 10;
  facts.shared_per_multiprocessor = std::int64_t{limits->shared_per_multiprocessor_kib} << 10;
  facts.registers_per_block = 65536;
  facts.threads_per_multiprocessor = limits->threads_per_multiprocessor;
  for (const KnownDevice* known : devices_of(arch)) {
    const bool is_first = facts.multiprocessors == 0;
    if (is_first || known->multiprocessors < facts.multiprocessors)
      facts.multiprocessors = known->multiprocessors;
    if (is_first || known->l2_bytes < facts.l2_bytes) facts.l2_bytes = known->l2_bytes;
  }
  // An architecture without a device in the table gets figures that any of its devices exceeds.
  if (facts.multiprocessors == 0) facts.multiprocessors = 16, facts.l2_bytes = 2 * kMib;
  return facts;
}

std::int64_t least_memory(std::string_view arch) {
  constexpr std::int64_t kGigabyte = 1'000'000'000;
  std::int64_t least = 0;
  for (const KnownDevice* known : devices_of(arch)) {
    const std::int64_t bytes = known->memory_gb * kGigabyte;
    if (least == 0 || bytes < least) least = bytes;
  }
  return least == 0 ? 16 * kGigabyte : least;
}

std::vector<const KnownDevice*> devices_of(std::string_view arch) {
  std::vector<const KnownDevice*> devices;
  for (const KnownDevice& known : table())
    if (without_feature(known.arch) == without_feature(arch)) devices.push_back(&known);
  return devices;
}

}  // namespace kw::device

// Tables of the instructions and limits of each GPU architecture.
// SPDX-License-Identifier: Apache-2.0
#include "propose/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "task/device_names.h"

namespace kw::propose {
namespace {

struct Resident {
  std::string_view arch;
  int warps;
  int blocks;
};

/// The most warps and blocks that can be resident on a multiprocessor at once, by architecture.
constexpr std::array<Resident, 8> kResident{{{"sm_75", 32, 16},
                                             {"sm_80", 64, 32},
                                             {"sm_86", 48, 16},
                                             {"sm_87", 48, 16},
                                             {"sm_89", 48, 24},
                                             {"sm_90", 64, 32},
                                             {"sm_100", 64, 32},
                                             {"sm_120", 48, 24}}};

const std::vector<ArchAbility>& table() {
  static const std::vector<ArchAbility> abilities = {
      {"mma.f16", "mma.sync and wmma on f16 (m16n8k8), int8; ldmatrix", "sm_75"},
      {"mma.m16n8k16", "mma.sync m16n8k16 on f16 and bf16", "sm_80"},
      {"mma.tf32", "mma.sync on tf32 and f64", "sm_80"},
      {"bf16", "bf16 arithmetic (fma.rn.bf16x2)", "sm_80"},
      {"cp.async", "cp.async, which copies to shared memory without registers", "sm_80"},
      {"mbarrier", "mbarrier", "sm_80"},
      {"redux", "redux.sync (__reduce_add_sync)", "sm_80"},
      {"fp8", "fp8: conversions and mma.sync on e4m3 and e5m2", "sm_89"},
      {"cluster", "thread block clusters and distributed shared memory", "sm_90"},
      {"tma", "TMA: cp.async.bulk and tensor maps", "sm_90"},
      {"pdl", "programmatic dependent launch (griddepcontrol)", "sm_90"},
      {"wgmma", "wgmma", "", {"sm_90a"}},
      {"setmaxnreg", "setmaxnreg", "", {"sm_90a", "sm_100a", "sm_120a"}},
      {"tcgen05", "tcgen05 and tensor memory", "", {"sm_100a"}}};
  return abilities;
}

}  // namespace

std::span<const ArchAbility> arch_abilities() { return table(); }

bool has_ability(std::string_view arch, const ArchAbility& ability) {
  if (ability.since.empty()) return contains(ability.only, arch);
  return task::arch_number(arch) >= task::arch_number(ability.since);
}

bool has_hopper_launches(std::string_view arch) {
  return task::arch_number(arch) >= task::arch_number("sm_90");
}

std::vector<std::string> describe_architecture(std::string_view arch) {
  const auto resident = std::ranges::find_if(kResident, [&](const Resident& one) {
    return task::arch_number(one.arch) / 10 == task::arch_number(arch) / 10;
  });
  if (resident == kResident.end()) return {};
  std::vector<std::string> lines = {fmt::format(
      "{}: at most 1024 threads a block, 255 registers a thread, 48 KiB of static shared memory a "
      "block; {} warps of 32 threads and {} blocks at once on a multiprocessor",
      arch, resident->warps, resident->blocks)};
  std::vector<std::string> has, lacks;
  for (const ArchAbility& ability : table())
    (has_ability(arch, ability) ? has : lacks).emplace_back(ability.words);
  lines.push_back(fmt::format("Instructions that {} has: {}", arch, join(has, "; ")));
  if (!lacks.empty())
    lines.push_back(fmt::format("Not on {}, where a source that uses them does not compile: {}",
                                arch, join(lacks, "; ")));
  return lines;
}

}  // namespace kw::propose

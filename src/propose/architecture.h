// Facts about a GPU architecture that hold for all its devices: limits, and which instructions
// exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

/// An instruction, or a group of them, that only some GPU architectures have.
struct ArchAbility {
  std::string_view name;   ///< Name of the instruction, "cp.async".
  std::string_view words;  ///< Description in a prompt.
  /// The first architecture that has the instruction; empty where only those in `only` have it.
  std::string_view since;
  std::vector<std::string_view> only = {};
};

/// All entries of the table, from the oldest architecture to the newest. Source: PTX ISA 9.0,
/// "Target ISA Notes" of each instruction. A test compiles every instruction for every
/// architecture.
std::span<const ArchAbility> arch_abilities();

bool has_ability(std::string_view arch, const ArchAbility& ability);

/// Whether the architecture supports tensor maps, clusters and programmatic dependent launches.
bool has_hopper_launches(std::string_view arch);

/// Lines of a prompt about an architecture: limits that all its devices share (CUDA C++ Programming
/// Guide 13.0, "Technical Specifications per Compute Capability"), the instructions that it has,
/// and the instructions that do not compile for it. Empty for an unknown architecture.
std::vector<std::string> describe_architecture(std::string_view arch);

}  // namespace kw::propose

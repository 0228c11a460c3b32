// What is known of a GPU's architecture without having one: its limits, and which instructions it
// has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw::propose {

/// Instructions that not every architecture has.
struct ArchAbility {
  std::string_view name;   ///< "cp.async".
  std::string_view words;  ///< What a prompt calls them.
  /// Architectures that have them: from `since` on, or, where it is empty, those of `only` alone.
  std::string_view since;
  std::vector<std::string_view> only = {};
};

/// All of them, from the oldest to the newest. Source: PTX ISA 9.0, "Target ISA Notes" of each
/// instruction; a test has the compiler try every one on every architecture.
std::span<const ArchAbility> arch_abilities();

bool has_ability(std::string_view arch, const ArchAbility& ability);

/// Whether tensor maps, clusters and programmatic dependent launches are of any use.
bool has_hopper_launches(std::string_view arch);

/// Lines of a prompt: limits that all devices of the arch share (CUDA C++ Programming Guide 13.0,
/// "Technical Specifications per Compute Capability"), the instructions it has and those that do
/// not compile for it. None for an unknown name.
std::vector<std::string> describe_architecture(std::string_view arch);

}  // namespace kw::propose

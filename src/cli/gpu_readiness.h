// Whether cuda kernels can be judged on this machine, what is missing, and one command that helps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kw::cli {

/// Facts about the machine that decide whether cuda kernels can be judged.
/// look_at_gpu_surroundings() finds them, unless a test sets them.
struct GpuSurroundings {
  bool has_card = false;      ///< A PCI device of NVIDIA is present.
  bool has_driver = false;    ///< The kernel has loaded NVIDIA's module.
  bool answers = false;       ///< A worker has found the GPU.
  std::string why_no_answer;  ///< Why a worker did not find the GPU.
  bool has_nvrtc = false;
  bool has_compiler = false;  ///< g++ is present, which compiles the references.
  bool has_jail = false;
  bool is_root = false;
  bool is_in_container = false;
  bool has_wheels = false;  ///< uv or pip is present, which the installers of wheels need.
  /// Path of the script install-nvrtc; empty: the script does not lie beside the program.
  std::string nvrtc_installer;
  std::string system = "debian";  ///< The ID in /etc/os-release.
};

struct GpuReadiness {
  bool can_judge = false;
  /// Names of the missing parts, in the order in which they are needed.
  std::vector<std::string> missing;
  /// A command that installs what is missing, or shows what is possible without it; empty: nothing
  /// is missing.
  std::string command;
};

GpuReadiness gpu_readiness(const GpuSurroundings& around);

/// Three lines that begin with "GPU: ": whether kernels can be judged on the GPU, what is missing,
/// and which command helps.
std::string three_lines(const GpuReadiness& readiness);

/// Reads /sys, /proc and PATH, and fills the facts of `around` that no earlier check has filled.
void look_at_gpu_surroundings(GpuSurroundings& around);

}  // namespace kw::cli

// Whether cuda kernels can be judged on this machine, what is missing for it, and the one command
// that mends that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kw::cli {

/// What decides; looked up by look_at_gpu_surroundings() unless a test gives it.
struct GpuSurroundings {
  bool has_card = false;      ///< A PCI device of NVIDIA's is there.
  bool has_driver = false;    ///< The kernel has NVIDIA's module.
  bool answers = false;       ///< A worker saw the GPU.
  std::string why_no_answer;  ///< In the worker's words.
  bool has_nvrtc = false;
  bool has_compiler = false;  ///< g++, which builds the references that truths come from.
  bool has_jail = false;
  bool is_root = false;
  bool is_in_container = false;
  bool has_wheels = false;        ///< uv or pip is there, which installers of wheels want.
  std::string nvrtc_installer;    ///< The script install-nvrtc; empty: not beside the program.
  std::string system = "debian";  ///< ID of /etc/os-release.
};

struct GpuReadiness {
  bool can_judge = false;
  std::vector<std::string> missing;  ///< In words, in the order in which they are needed.
  std::string command;  ///< Mends it, or does what can be done here; empty: nothing to do.
};

GpuReadiness gpu_readiness(const GpuSurroundings& around);

/// "GPU: ..." in three lines: whether, what is missing, what to run.
std::string three_lines(const GpuReadiness& readiness);

/// Reads /sys, /proc and PATH. `around` holds already what other checks have found.
void look_at_gpu_surroundings(GpuSurroundings& around);

}  // namespace kw::cli

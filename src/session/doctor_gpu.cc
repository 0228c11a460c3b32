// Checks whether this machine can judge kernels for GPUs (target cuda).
// SPDX-License-Identifier: Apache-2.0
#include "session/doctor_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "compile/cuda_toolkit.h"
#include "profile/ncu.h"
#include "profile/sanitizer.h"

namespace kw::session {
namespace {

namespace fs = std::filesystem;

CheckUp found(std::string what, std::string words) {
  return {std::move(what), Health::Good, std::move(words), "", ""};
}

CheckUp missing(std::string what, std::string words, std::string cost, std::string fix) {
  return {std::move(what), Health::NotNeeded, std::move(words), std::move(cost), std::move(fix)};
}

std::string first_line(const platform::Path& path) {
  const auto text = platform::read_file(path);
  if (!text) return {};
  const auto lines = split_lines(*text);
  return lines.empty() ? std::string() : sanitise(trim(lines.front()), 120);
}

CheckUp check_driver() {
  // The kernel module provides this file even where a container lacks the driver's library.
  const std::string words = first_line("/proc/driver/nvidia/version");
  if (!words.empty()) return found("GPU driver", words);
  return missing("GPU driver", "the NVIDIA driver is not loaded",
                 "cuda kernels can be compiled, but not judged; target cpu needs no GPU",
                 "install the NVIDIA driver, or judge on another machine");
}

CheckUp check_gpu() {
  const auto facts = evaluate::PipeCarrier::look(Target::Cuda);
  if (!facts)
    return missing(std::string(kGpuLine), sanitise(facts.error().what, 300),
                   "cuda kernels can be compiled, but not judged; target cpu needs no GPU", "");
  const GpuFacts& gpu = facts->gpu.front();
  return found(std::string(kGpuLine),
               fmt::format("{}, {}, {}, driver {}{}", facts->model, gpu.arch,
                           format_bytes(static_cast<std::uint64_t>(facts->memory_bytes)),
                           gpu.driver, gpu.is_mig ? ", a MIG slice" : ""));
}

CheckUp check_programs() {
  const auto folder = platform::executable_dir();
  std::error_code ignored;
  for (const char* name : {"kw-player-cuda", "kw-nvrtc", "kw-specimen"})
    if (!folder || !fs::exists(*folder / name, ignored))
      return missing("cuda programs", fmt::format("{} is missing beside kw", name),
                     "no cuda kernel can be judged", "build again");
  return found("cuda programs", folder->string());
}

std::vector<CheckUp> check_toolkit() {
  const auto facts = compile::cuda_toolkit_facts(compile::find_cuda_toolkit());
  std::vector<CheckUp> checks;
  for (const compile::ToolkitFact& fact : facts)
    checks.push_back(fact.is_found ? found(fact.part, fact.words)
                                   : missing(fact.part, fact.words, "", ""));
  return checks;
}

CheckUp check_ncu() {
  const char* const cost = "no hardware counters in findings of cuda kernels (--profile)";
  const auto path = profile::find_ncu();
  if (!path) return missing("ncu", "not found", cost, "install Nsight Compute, or set KW_NCU");
  const profile::NcuPermission permission = profile::ncu_permission();
  const std::string words = path->string() + "; " + permission.why;
  if (permission.is_known && !permission.is_allowed)
    return missing("ncu", words, cost, "modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0");
  return found("ncu", words);
}

CheckUp check_sanitizer() {
  if (const auto path = profile::find_sanitizer())
    return found(
        "compute-sanitizer",
        path->string() + "; each --sanitize first tests by a known defect whether it works here");
  return missing("compute-sanitizer", "not found",
                 "--sanitize, which looks for races and bad accesses on cuda",
                 "install the CUDA toolkit, or set KW_SANITIZER");
}

}  // namespace

std::vector<CheckUp> examine_gpu() {
  std::vector<CheckUp> checks{check_driver(), check_gpu(), check_programs()};
  for (CheckUp& check : check_toolkit()) checks.push_back(std::move(check));
  checks.push_back(check_ncu());
  checks.push_back(check_sanitizer());
  return checks;
}

}  // namespace kw::session

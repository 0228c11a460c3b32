// Examination of this machine for target cuda.
// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/session.h"
#include "compile/cuda_toolkit.h"

namespace kw::cli {
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
  // Loaded with the kernel's module, whether or not a container brought the library in.
  const std::string words = first_line("/proc/driver/nvidia/version");
  if (!words.empty()) return found("GPU driver", words);
  return missing("GPU driver", "no NVIDIA driver in this kernel",
                 "target cuda can be compiled for, not judged; not needed for cpu",
                 "install the NVIDIA driver, or judge on another machine");
}

CheckUp check_gpu() {
  const auto facts = evaluate::PipeCarrier::look(Target::Cuda);
  if (!facts)
    return missing(std::string(kGpuLine), sanitise(facts.error().what, 300),
                   "target cuda can be compiled for, not judged; not needed for cpu", "");
  const GpuFacts& gpu = facts->gpu.front();
  return found(std::string(kGpuLine),
               fmt::format("{}, {}, {}, driver {}{}", facts->model, gpu.arch,
                           format_bytes(static_cast<std::uint64_t>(facts->memory_bytes)),
                           gpu.driver, gpu.is_mig ? ", a MIG slice" : ""));
}

CheckUp check_programs() {
  const auto folder = platform::executable_dir();
  std::error_code ignored;
  for (const char* name : {"kw-player-cuda", "kw-nvrtc"})
    if (!folder || !fs::exists(*folder / name, ignored))
      return missing("cuda programs", fmt::format("{} is missing beside kw", name), "target cuda",
                     "build again");
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

/// On PATH, or where CUDA's installers put it.
std::string find_tool(const std::string& name) {
  if (const auto path = platform::find_program(name)) return path->string();
  std::error_code ignored;
  std::string newest;
  for (const fs::path folder : {"/usr/local/cuda/bin", "/opt/nvidia/nsight-compute"}) {
    if (fs::exists(folder / name, ignored)) return (folder / name).string();
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
      if (fs::exists(entry->path() / name, ignored))
        newest = std::max(newest, (entry->path() / name).string());
  }
  return newest;
}

/// Whether the driver lets ordinary users read counters.
bool are_counters_restricted() {
  const auto text = platform::read_file("/proc/driver/nvidia/params");
  return text && text->find("RmProfilingAdminOnly: 1") != std::string::npos;
}

CheckUp check_ncu() {
  const std::string path = find_tool("ncu");
  if (path.empty())
    return missing("ncu", "not found", "no hardware counters in findings of cuda kernels",
                   "install Nsight Compute");
  if (are_counters_restricted() && ::geteuid() != 0)
    return missing("ncu", path + "; the driver lets only root read counters",
                   "no hardware counters in findings of cuda kernels",
                   "modprobe nvidia NVreg_RestrictProfilingToAdminUsers=0");
  return found("ncu", path);
}

CheckUp check_sanitizer() {
  const std::string path = find_tool("compute-sanitizer");
  if (!path.empty()) return found("compute-sanitizer", path);
  return missing("compute-sanitizer", "not found", "--sanitize, which looks for races on cuda",
                 "install the CUDA toolkit");
}

}  // namespace

std::vector<CheckUp> examine_gpu() {
  std::vector<CheckUp> checks{check_driver(), check_gpu(), check_programs()};
  for (CheckUp& check : check_toolkit()) checks.push_back(std::move(check));
  checks.push_back(check_ncu());
  checks.push_back(check_sanitizer());
  return checks;
}

}  // namespace kw::cli

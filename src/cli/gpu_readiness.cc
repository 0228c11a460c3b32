// Finds what is missing for target cuda, in the order of need, and one command that helps.
// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_readiness.h"

#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "platform/files.h"
#include "platform/jail.h"

namespace kw::cli {
namespace {

using platform::Path;

bool lies_there(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool has_program(const char* name) { return platform::find_program(name).has_value(); }

bool has_card_of_nvidia() {
  const Path devices = "/sys/bus/pci/devices";
  for (const std::string& device : platform::list_dir(devices).value_or(std::vector<std::string>()))
    if (trim(platform::read_file(devices / device / "vendor").value_or(std::string())) == "0x10de")
      return true;
  return false;
}

std::string id_of_system() {
  const std::string text = platform::read_file("/etc/os-release").value_or(std::string());
  for (const std::string_view line : split_lines(text))
    if (line.starts_with("ID=")) return std::string(trim(line.substr(3)));
  return {};
}

/// Path of the script install-nvrtc, which lies beside a packaged kw or in the source tree from
/// which kw was built.
std::string find_nvrtc_installer() {
  const auto folder = platform::executable_dir();
  if (!folder) return {};
  for (const Path& path : {*folder / "install-nvrtc", *folder / "../../../scripts/install-nvrtc"})
    if (lies_there(path)) return path.lexically_normal().string();
  return {};
}

}  // namespace

GpuReadiness gpu_readiness(const GpuSurroundings& around) {
  GpuReadiness ready;
  std::vector<std::string> packages;
  std::string command;  // what helps where packages alone do not suffice
  if (!around.has_card && !around.has_driver) {
    ready.missing.emplace_back("an NVIDIA GPU");
  } else if (!around.has_driver) {
    ready.missing.emplace_back("the NVIDIA driver");
    packages.emplace_back("nvidia-driver");
  } else if (!around.answers) {
    ready.missing.push_back("a GPU that answers (" + around.why_no_answer + ")");
  }
  if (!around.has_compiler) {
    ready.missing.emplace_back("g++, which builds the references that compute the right results");
    packages.emplace_back("g++");
  }
  if (!around.has_jail) ready.missing.emplace_back("a jail (see above)");
  if (!around.has_nvrtc) {
    ready.missing.emplace_back("NVRTC, which compiles device code");
    if (!around.has_wheels) packages.emplace_back("python3-pip");
    command =
        around.nvrtc_installer.empty() ? "pip install nvidia-cuda-nvrtc" : around.nvrtc_installer;
  }
  ready.can_judge = ready.missing.empty();
  if (ready.can_judge) return ready;

  // No package can add a GPU, so the command shows what works without one.
  if (!around.has_card && !around.has_driver) {
    if (around.has_compiler && around.has_nvrtc && around.has_jail) {
      ready.command =
          "kw optimize softmax --target cuda --arch sm_90a --carrier bundle   (compiles here, to "
          "be judged on a machine with a GPU)";
      return ready;
    }
  } else if (around.is_in_container && (!around.has_driver || !around.answers)) {
    ready.command = "docker run --gpus all …   (start the container again with the GPU)";
    return ready;
  } else if (!around.has_driver && around.system == "ubuntu") {
    ready.command = std::string(around.is_root ? "" : "sudo ") + "ubuntu-drivers install";
    return ready;
  }
  if (!packages.empty())
    ready.command =
        std::string(around.is_root ? "" : "sudo ") + "apt-get install " + join(packages, " ");
  if (!command.empty()) ready.command += (ready.command.empty() ? "" : " && ") + command;
  if (ready.command.empty() && !around.has_jail)
    ready.command = std::string(platform::how_to_mend(JailLevel::Namespace));
  if (ready.command.empty()) ready.command = "nvidia-smi   (shows what is wrong with the driver)";
  return ready;
}

std::string three_lines(const GpuReadiness& ready) {
  return std::string("GPU: ") + (ready.can_judge ? "can judge now\n" : "cannot judge now\n") +
         "GPU: missing: " + (ready.missing.empty() ? "nothing" : join(ready.missing, "; ")) + "\n" +
         "GPU: run: " +
         (ready.can_judge ? std::string("kw optimize softmax --target cuda") : ready.command) +
         "\n";
}

void look_at_gpu_surroundings(GpuSurroundings& around) {
  around.has_card = has_card_of_nvidia();
  around.has_driver = lies_there("/proc/driver/nvidia/version");
  around.is_root = ::geteuid() == 0;
  around.is_in_container = lies_there("/.dockerenv") || lies_there("/run/.containerenv");
  around.has_wheels = has_program("uv") || has_program("pip3") || has_program("pip");
  around.nvrtc_installer = find_nvrtc_installer();
  around.system = id_of_system();
}

}  // namespace kw::cli

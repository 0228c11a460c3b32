// Finds the device nodes of one GPU through its PCI address.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.h"
#include "platform/subprocess.h"

namespace kw::device {
namespace {

bool is_there(const platform::Path& path) {
  std::error_code trouble;
  return std::filesystem::exists(path, trouble);
}

/// The nodes /dev/nvidia0, /dev/nvidia1, … that exist here.
std::vector<platform::Path> gpu_nodes() {
  std::vector<platform::Path> nodes;
  const auto names = platform::list_dir("/dev");
  if (!names.has_value()) return nodes;
  for (const std::string& name : *names) {
    constexpr std::string_view kPrefix = "nvidia";
    if (name.size() > kPrefix.size() && name.starts_with(kPrefix) &&
        std::all_of(name.begin() + kPrefix.size(), name.end(),
                    [](unsigned char c) { return std::isdigit(c) != 0; }))
      nodes.push_back("/dev/" + name);
  }
  return nodes;
}

Result<platform::Path> node_of(const CudaContext& context) {
  char bus[64] = {};
  KW_TRY(context.check(context.api().cuDeviceGetPCIBusId(bus, sizeof bus - 1, context.device()),
                       "read the GPU's PCI address"));
  std::string folder = bus;
  std::ranges::transform(folder, folder.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto information =
      platform::read_file("/proc/driver/nvidia/gpus/" + folder + "/information");
  const int minor = information.has_value() ? parse_device_minor(*information) : -1;
  if (minor >= 0) {
    const platform::Path node = fmt::format("/dev/nvidia{}", minor);
    if (is_there(node)) return node;
  }
  // A container shows only its GPU's node, which need not have the number of the GPU's place on the
  // bus.
  const auto nodes = gpu_nodes();
  if (nodes.size() == 1) return nodes.front();
  return fail(ErrorCode::NoDevice, About{bus},
              fmt::format("it cannot be told which of the {1} files /dev/nvidia* belongs to the "
                          "GPU at PCI address {0}",
                          bus, nodes.size()),
              "/dev", Advice::Stop);
}

}  // namespace

std::vector<std::string> CudaSurroundings::host_environment(
    const std::vector<platform::Path>& folders) const {
  constexpr std::string_view kLoading = "CUDA_MODULE_LOADING=";
  constexpr std::string_view kPath = "LD_LIBRARY_PATH=";
  std::vector<std::string> result{std::string(kLoading) + "LAZY"};
  std::string path;
  for (const platform::Path& folder : folders) path += ":" + folder.string();
  bool has_path = false;
  for (std::string entry : environment) {
    if (entry.starts_with(kLoading)) continue;
    if (entry.starts_with(kPath)) entry += path, has_path = true;
    result.push_back(std::move(entry));
  }
  if (!has_path && !path.empty()) result.push_back(std::string(kPath) + path.substr(1));
  return result;
}

int parse_device_minor(std::string_view information) {
  constexpr std::string_view kKey = "Device Minor:";
  for (const std::string_view line : split_lines(information)) {
    if (!line.starts_with(kKey)) continue;
    const std::string_view digits = trim(line.substr(kKey.size()));
    int minor = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
    return error == std::errc{} && end == digits.data() + digits.size() ? minor : -1;
  }
  return -1;
}

Result<CudaSurroundings> cuda_surroundings(const CudaContext& context) {
  CudaSurroundings s;
  s.uuid = hex_of(context.uuid());
  s.driver = context.api().path;
  // Every player gets the same environment: kernels are loaded with their module, never in a timed
  // call, and nothing is compiled or stored on disk.
  s.environment = {"CUDA_MODULE_LOADING=EAGER", "CUDA_CACHE_DISABLE=1"};
  // The driver opens further libraries beside its own; jails show what is under /usr anyway.
  std::error_code trouble;
  const platform::Path folder =
      std::filesystem::canonical(platform::Path(context.api().path).parent_path(), trouble);
  if (!trouble) {
    if (!folder.string().starts_with("/usr/")) s.readable.push_back(folder);
    s.environment.push_back("LD_LIBRARY_PATH=" + folder.string());
  }
  // A driver that is not NVIDIA's, as in tests, has no nodes.
  if (!is_there("/dev/nvidiactl")) return s;
  s.nodes = {"/dev/nvidiactl"};
  for (const char* node : {"/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"})
    if (is_there(node)) s.nodes.emplace_back(node);
  s.nodes.push_back(KW_TRY(node_of(context)));
  if (context.facts().gpu.front().is_mig) {
    const auto caps = platform::list_dir("/dev/nvidia-caps");
    if (caps.has_value())
      for (const std::string& name : *caps) s.nodes.push_back("/dev/nvidia-caps/" + name);
    // Of several MIG instances a process sees the one that CUDA_VISIBLE_DEVICES names.
    if (const auto visible = platform::env_of_ours("CUDA_VISIBLE_DEVICES"))
      s.environment.push_back(*visible);
  }
  return s;
}

}  // namespace kw::device

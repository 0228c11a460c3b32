// Loads NVIDIA's management library and puts its answers into words.
// SPDX-License-Identifier: Apache-2.0
#include "device/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "platform/files.h"

namespace kw::device {
namespace {

using Handle = void*;
using Status = int;  // nvmlReturn_t; 0 is success
constexpr Status kTooSmall = 7;
constexpr unsigned kSmClock = 1;
constexpr unsigned kGpuSensor = 0;
constexpr unsigned kUncorrected = 1;   // nvmlMemoryErrorType_t
constexpr unsigned kSinceLoading = 0;  // NVML_VOLATILE_ECC
/// Most parents of a process to follow.
constexpr int kMostParents = 64;

/// Layout of nvmlProcessInfo_t since its second version.
struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};
static_assert(sizeof(ProcessInfo) == 24);

/// Bits of nvmlClocksEventReasons that hold a clock down; other bits mean idle or a user's setting.
constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kReasons{{
    {0x04, "power cap"},
    {0x08, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "thermal slowdown by software"},
    {0x40, "thermal slowdown by hardware"},
    {0x80, "power brake"},
}};

/// UUID of a device: "GPU-e0e1e2e3-e4e5-…" for "gpu-e0e1e2e3e4e5…".
std::string uuid_of(const std::string& device) {
  constexpr std::string_view kPrefix = "gpu-";
  if (!device.starts_with(kPrefix) || device.size() != kPrefix.size() + 32) return {};
  std::string uuid = "GPU-" + device.substr(kPrefix.size());
  for (const std::size_t at : {12, 17, 22, 27}) uuid.insert(at, "-");
  return uuid;
}

/// The parent of a process, or 0. In /proc/PID/stat the name in the second field may hold blanks
/// and brackets.
int parent_of(int pid) {
  const auto text = platform::read_file(fmt::format("/proc/{}/stat", pid));
  if (!text) return 0;
  const std::size_t end = text->rfind(')');
  if (end == std::string::npos) return 0;
  const auto fields = split(trim(std::string_view(*text).substr(end + 1)), ' ');
  return fields.size() < 2 ? 0 : std::atoi(std::string(fields[1]).c_str());
}

GpuProcess look_at(int pid) {
  GpuProcess process{.pid = pid, .name = {}, .is_ours = pid == ::getpid()};
  if (const auto name = platform::read_file(fmt::format("/proc/{}/comm", pid)))
    process.name = sanitise(trim(*name), 40);
  // Kernelwright's own programs do not disturb, since they wait for the device's lease before they
  // compute.
  process.is_ours = process.is_ours || process.name.starts_with("kw-");
  int at = pid;
  for (int i = 0; i < kMostParents && at > 1 && !process.is_ours; ++i) {
    at = parent_of(at);
    process.is_ours = at == ::getpid();
  }
  return process;
}

}  // namespace

std::vector<std::string> foreign_of(const std::vector<int>& pids, int own,
                                    const std::function<GpuProcess(int)>& look) {
  std::vector<std::string> foreign;
  if (!contains(pids, own)) return foreign;
  for (const int pid : pids) {
    const GpuProcess process = look(pid);
    if (!process.is_ours && !process.name.empty())
      foreign.push_back(fmt::format("{} ({})", process.name, pid));
  }
  return foreign;
}

struct Nvml::Calls {
  void* library = nullptr;
  Handle device = nullptr;
  Status (*shutdown)() = nullptr;
  Status (*clock)(Handle, unsigned, unsigned*) = nullptr;
  Status (*power)(Handle, unsigned*) = nullptr;
  Status (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  Status (*reasons)(Handle, unsigned long long*) = nullptr;
  Status (*processes)(Handle, unsigned*, ProcessInfo*) = nullptr;
  Status (*memory_errors)(Handle, unsigned, unsigned, unsigned long long*) = nullptr;

  template <class F>
  void find(F& to, std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (to == nullptr) to = reinterpret_cast<F>(::dlsym(library, name));
  }
};

Nvml::Nvml(std::unique_ptr<Calls> calls) : calls_(std::move(calls)) {}

Nvml::~Nvml() {
  if (calls_->shutdown != nullptr) calls_->shutdown();
  ::dlclose(calls_->library);
}

std::unique_ptr<Nvml> Nvml::open(const std::string& device, const std::string& library) {
  const std::string uuid = uuid_of(device);
  if (uuid.empty()) return nullptr;
  std::string file = library;
  if (file.empty())
    if (const char* named = std::getenv("KW_NVML")) file = named;
  auto calls = std::make_unique<Calls>();
  calls->library =
      ::dlopen(file.empty() ? "libnvidia-ml.so.1" : file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (calls->library == nullptr) return nullptr;
  std::unique_ptr<Nvml> nvml(new Nvml(std::move(calls)));
  Calls& c = *nvml->calls_;
  Status (*init)() = nullptr;
  Status (*by_uuid)(const char*, Handle*) = nullptr;
  c.find(init, {"nvmlInit_v2"});
  c.find(by_uuid, {"nvmlDeviceGetHandleByUUID"});
  if (init == nullptr || by_uuid == nullptr || init() != 0) return nullptr;
  c.find(c.shutdown, {"nvmlShutdown"});
  if (by_uuid(uuid.c_str(), &c.device) != 0) return nullptr;
  c.find(c.clock, {"nvmlDeviceGetClockInfo"});
  c.find(c.power, {"nvmlDeviceGetPowerUsage"});
  c.find(c.temperature, {"nvmlDeviceGetTemperature"});
  // Newer libraries still have the older name too.
  c.find(c.reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  c.find(c.processes,
         {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  c.find(c.memory_errors, {"nvmlDeviceGetTotalEccErrors"});
  return nvml;
}

std::uint64_t Nvml::uncorrected_errors() const {
  unsigned long long count = 0;
  const bool is_told =
      calls_->memory_errors != nullptr &&
      calls_->memory_errors(calls_->device, kUncorrected, kSinceLoading, &count) == 0;
  return is_told ? count : 0;
}

GpuMoment Nvml::look() const {
  const Calls& c = *calls_;
  GpuMoment moment;
  unsigned value = 0;
  if (c.clock != nullptr && c.clock(c.device, kSmClock, &value) == 0)
    moment.sm_clock_hz = value * 1e6;
  if (c.power != nullptr && c.power(c.device, &value) == 0) moment.power_w = value * 1e-3;
  if (c.temperature != nullptr && c.temperature(c.device, kGpuSensor, &value) == 0)
    moment.temperature_c = value;
  unsigned long long bits = 0;
  if (c.reasons != nullptr && c.reasons(c.device, &bits) == 0)
    for (const auto& [bit, words] : kReasons)
      if ((bits & bit) != 0) moment.throttled_by.emplace_back(words);
  std::array<ProcessInfo, 256> found{};
  unsigned count = found.size();
  const Status told =
      c.processes == nullptr ? kTooSmall : c.processes(c.device, &count, found.data());
  if (told != 0) return moment;
  std::vector<int> pids;
  for (unsigned i = 0; i < std::min<std::size_t>(count, found.size()); ++i)
    pids.push_back(static_cast<int>(found[i].pid));
  moment.foreign = foreign_of(pids, ::getpid(), look_at);
  return moment;
}

}  // namespace kw::device

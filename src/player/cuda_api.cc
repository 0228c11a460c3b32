// Finds NVIDIA's driver and puts its errors into words.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_api.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace kw::player::cuda {
namespace {

/// Paths of the driver in distributions, containers and WSL where the linker does not know it.
constexpr const char* kPlaces[] = {
    "libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};

void* open_library(const std::string& library, std::string& why) {
  if (!library.empty()) {
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) why = ::dlerror();
    return handle;
  }
  for (const char* place : kPlaces)
    if (void* handle = ::dlopen(place, RTLD_NOW | RTLD_LOCAL)) return handle;
  why = "no NVIDIA driver on this machine (libcuda.so.1 was not found)";
  return nullptr;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

bool is_fatal(Status status) {
  // Statuses after which the context is lost: uncorrectable errors and contained faults of the
  // device, then faults of kernels. 709 says that an earlier fatal error destroyed the context; 719
  // is also the result of a trap.
  constexpr Status kFatal[] = {46,  214, 220, 226, 700, 702, 709, 710,
                               714, 715, 716, 717, 718, 719, 721, 999};
  return std::find(std::begin(kFatal), std::end(kFatal), status) != std::end(kFatal);
}

std::string Api::words(Status status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName != nullptr) cuGetErrorName(status, &name);
  if (cuGetErrorString != nullptr) cuGetErrorString(status, &text);
  std::string out = name != nullptr ? name : "CUDA error";
  out += " (" + std::to_string(status) + ")";
  if (text != nullptr) out += std::string(": ") + text;
  return out;
}

std::string load_api(Api& api, const std::string& library) {
  std::string why;
  void* handle = open_library(library, why);
  if (handle == nullptr) return why;
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr &&
      map->l_name != nullptr)
    api.path = map->l_name;

  const char* missing = nullptr;
  const auto find = [&](const char* symbol) {
    void* found = ::dlsym(handle, symbol);
    if (found == nullptr && missing == nullptr) missing = symbol;
    return found;
  };
  api.cuDriverGetVersion = reinterpret_cast<Status (*)(int*)>(find("cuDriverGetVersion"));
  if (missing != nullptr)
    return api.path + " is no CUDA driver library: it has no function cuDriverGetVersion";
  if (const Status status = api.cuDriverGetVersion(&api.cuda_version); status != 0)
    return "the NVIDIA driver does not tell its version: " + api.words(status);
  if (api.cuda_version < kOldestCuda)
    return "the NVIDIA driver is too old: it speaks CUDA " + version_text(api.cuda_version) +
           ", needed is " + version_text(kOldestCuda) + " (driver " + kOldestDriver + ") or newer";
#define KW_CUDA_FIND(name, symbol, parameters) \
  api.name = reinterpret_cast<decltype(api.name)>(find(symbol));
  KW_CUDA_CALLS(KW_CUDA_FIND)
#undef KW_CUDA_FIND
  if (missing != nullptr)
    return "the NVIDIA driver (CUDA " + version_text(api.cuda_version) + ") lacks the function " +
           missing + "; install a newer driver";
  const Status status = api.cuInit(0);
  if (status == kNoDevice) return "the NVIDIA driver finds no GPU";
  if (status != 0) return "the NVIDIA driver does not start: " + api.words(status);
  return {};
}

bool find_device(const Api& api, const Uuid& uuid, DeviceOrdinal& out) {
  int count = 0;
  if (api.cuDeviceGetCount(&count) != 0) return false;
  for (int i = 0; i < count; ++i) {
    DeviceOrdinal device = 0;
    Uuid own;
    if (api.cuDeviceGet(&device, i) != 0 || api.cuDeviceGetUuid_v2(&own, device) != 0) continue;
    if (own == uuid) {
      out = device;
      return true;
    }
  }
  return false;
}

}  // namespace kw::player::cuda

// Opens NVIDIA's driver and reads what it reports about a GPU.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_context.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cctype>
#include <string_view>
#include <thread>

#include "base/text.h"
#include "platform/files.h"

namespace kw::device {
namespace {

/// Version of the kernel module, "580.159.04"; empty where /proc does not tell.
std::string module_version() {
  const auto text = platform::read_file("/proc/driver/nvidia/version");
  if (!text.has_value()) return {};
  const auto lines = split_lines(*text);
  const std::string_view line = lines.empty() ? std::string_view() : lines.front();
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (word.size() > 4 && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
        word.find('.') != std::string_view::npos &&
        word.find_first_not_of("0123456789.") == std::string_view::npos)
      return std::string(word);
    at = end + 1;
  }
  return {};
}

std::string driver_text(int cuda_version) {
  const std::string module = module_version();
  const std::string speaks =
      fmt::format("CUDA {}.{}", cuda_version / 1000, cuda_version % 1000 / 10);
  return module.empty() ? speaks : fmt::format("{} ({})", module, speaks);
}

}  // namespace

std::string hex_of(const cuda::Uuid& uuid) {
  std::string text;
  for (const unsigned char byte : uuid.bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string arch_of(int major, int minor) {
  return fmt::format("sm_{}{}{}", major, minor, major >= 9 ? "a" : "");
}

Result<std::unique_ptr<CudaContext>> CudaContext::load(const std::string& library) {
  std::unique_ptr<CudaContext> c(new CudaContext);
  if (const std::string why = cuda::load_api(c->api_, library); !why.empty())
    return fail(ErrorCode::NoDevice, About{"driver"}, why, "", Advice::Stop);
  return c;
}

Result<> CudaContext::make(int ordinal) {
  KW_TRY(check(api_.cuDeviceGet(&device_, ordinal), "open the GPU"));
  KW_TRY(read_facts());
  return check(api_.cuCtxCreate(&context_, 0, device_), "create a context");
}

Result<std::unique_ptr<CudaContext>> CudaContext::open(int ordinal, const std::string& library) {
  auto c = KW_TRY(load(library));
  int count = 0;
  KW_TRY(c->check(c->api_.cuDeviceGetCount(&count), "count the GPUs"));
  if (ordinal < 0 || ordinal >= count)
    return fail(ErrorCode::NoDevice, About{std::to_string(ordinal)},
                fmt::format("there is no GPU with number {}: this process sees {}, numbered from 0",
                            ordinal, count),
                "", Advice::Stop);
  KW_TRY(c->make(ordinal));
  return c;
}

Result<std::unique_ptr<CudaContext>> CudaContext::open(const std::string& uuid,
                                                       const std::string& library) {
  auto c = KW_TRY(load(library));
  int count = 0;
  KW_TRY(c->check(c->api_.cuDeviceGetCount(&count), "count the GPUs"));
  for (int i = 0; i < count; ++i) {
    cuda::DeviceOrdinal device = 0;
    cuda::Uuid own;
    if (c->api_.cuDeviceGet(&device, i) != 0 || c->api_.cuDeviceGetUuid_v2(&own, device) != 0 ||
        hex_of(own) != uuid)
      continue;
    KW_TRY(c->make(i));
    return c;
  }
  return fail(
      ErrorCode::NoDevice, About{uuid},
      "this process cannot see the GPU with UUID " + uuid + "; CUDA_VISIBLE_DEVICES may hide it",
      "", Advice::Stop);
}

CudaContext::~CudaContext() {
  if (context_ != nullptr) api_.cuCtxDestroy(context_);
}

Result<int> CudaContext::attribute(int which) const {
  int value = 0;
  KW_TRY(check(api_.cuDeviceGetAttribute(&value, which, device_),
               fmt::format("read attribute {}", which)));
  return value;
}

Result<> CudaContext::read_facts() {
  constexpr double kKilo = 1000;
  char name[256] = {};
  KW_TRY(check(api_.cuDeviceGetName(name, sizeof name - 1, device_), "read the GPU's name"));
  KW_TRY(check(api_.cuDeviceGetUuid_v2(&uuid_, device_), "read the GPU's UUID"));
  std::size_t memory = 0;
  KW_TRY(check(api_.cuDeviceTotalMem(&memory, device_), "read the GPU's memory"));
  if (KW_TRY(attribute(cuda::kVirtualMemory)) == 0 ||
      KW_TRY(attribute(cuda::kDescriptorHandles)) == 0)
    return fail(ErrorCode::NoDevice, About{"file descriptors"},
                fmt::format("the GPU {} cannot share memory between processes by file descriptors, "
                            "which judging needs",
                            name),
                "", Advice::Stop);
  GpuFacts gpu;
  gpu.arch =
      arch_of(KW_TRY(attribute(cuda::kCapabilityMajor)), KW_TRY(attribute(cuda::kCapabilityMinor)));
  gpu.driver = driver_text(api_.cuda_version);
  gpu.multiprocessors = KW_TRY(attribute(cuda::kMultiprocessors));
  gpu.l2_bytes = KW_TRY(attribute(cuda::kL2Bytes));
  gpu.shared_per_block = KW_TRY(attribute(cuda::kSharedPerBlock));
  gpu.shared_per_multiprocessor = KW_TRY(attribute(cuda::kSharedPerMultiprocessor));
  gpu.registers_per_block = KW_TRY(attribute(cuda::kRegistersPerBlock));
  gpu.threads_per_multiprocessor = KW_TRY(attribute(cuda::kThreadsPerMultiprocessor));
  gpu.clock_hz = kKilo * KW_TRY(attribute(cuda::kClockKilohertz));
  gpu.memory_clock_hz = kKilo * KW_TRY(attribute(cuda::kMemoryClockKilohertz));
  gpu.memory_bus_bits = KW_TRY(attribute(cuda::kMemoryBusBits));
  gpu.is_mig = std::string_view(name).find(" MIG ") != std::string_view::npos;

  facts_.id = "gpu-" + hex_of(uuid_);
  facts_.target = Target::Cuda;
  facts_.model = name;
  facts_.cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  facts_.isa = {gpu.arch};
  facts_.caches = {{2, gpu.l2_bytes, facts_.cores}};
  facts_.memory_bytes = static_cast<std::int64_t>(memory);
  facts_.gpu = {gpu};
  utsname system{};
  if (::uname(&system) == 0) facts_.kernel = fmt::format("{} {}", system.sysname, system.release);
  return {};
}

Result<> CudaContext::enter() const {
  return check(api_.cuCtxSetCurrent(context_), "enter the GPU's context");
}

Result<> CudaContext::check(cuda::Status status, const std::string& what) const {
  if (status == 0) return {};
  const bool is_lost = cuda::is_fatal(status);
  return fail(ErrorCode::DeviceFailed, About{what},
              fmt::format("{}cannot {}: {}", is_lost ? "the GPU is lost to this process: it " : "",
                          what, api_.words(status)),
              facts_.model, is_lost ? Advice::Retry : Advice::GiveUp);
}

Result<> CudaContext::synchronize(const std::string& what) const {
  return check(api_.cuCtxSynchronize(), what);
}

}  // namespace kw::device

// Opens contexts and reports failures of the driver in words.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_gpu.h"

#include <cmath>
#include <utility>

namespace kw::player::cuda {
namespace {

/// Asks for the smallest size of a heap or buffer; the driver rounds it up to its minimum.
constexpr std::size_t kSmallest = 1;

}  // namespace

Outcome Gpu::check(Status status, std::string_view what, Trouble otherwise) const {
  if (status == 0) return std::nullopt;
  const Trouble trouble = is_fatal(status)         ? Trouble::DeviceFault
                          : status == kOutOfMemory ? Trouble::OutOfMemory
                                                   : otherwise;
  return Failure{trouble, status, std::string(what) + ": " + api_.words(status)};
}

Outcome Gpu::open(const Uuid& uuid, const std::string& library, bool is_primary) {
  if (auto why = load_api(api_, library); !why.empty()) return fail(Trouble::MapFailed, why);
  if (!find_device(api_, uuid, device_))
    return fail(
        Trouble::MapFailed,
        "the process that runs candidates cannot see the GPU with the UUID that it was given");
  if (auto f = create_context(is_primary)) return f;
  // The device's heap and printf's buffer would outlive a kernel's module, so both are kept
  // minimal.
  if (auto f = check(api_.cuCtxSetLimit(kLimitHeap, kSmallest), "limit the device's heap",
                     Trouble::MapFailed))
    return f;
  if (auto f = check(api_.cuCtxSetLimit(kLimitPrintf, kSmallest), "limit printf's buffer",
                     Trouble::MapFailed))
    return f;
  return complete();
}

Outcome Gpu::create_context(bool is_primary) {
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::MapFailed);
  };
  // A spinning host thread sees the end of a call some 10 us sooner than a blocked thread.
  if (!is_primary)
    return attempt(api_.cuCtxCreate(&context_, kContextSpins, device_), "create a context");
  if (auto f = attempt(api_.cuDevicePrimaryCtxSetFlags(device_, kContextSpins),
                       "prepare the GPU's primary context"))
    return f;
  if (auto f = attempt(api_.cuDevicePrimaryCtxRetain(&context_, device_),
                       "open the GPU's primary context"))
    return f;
  return attempt(api_.cuCtxSetCurrent(context_), "enter the GPU's primary context");
}

Outcome Gpu::adopt(const Api& api, DeviceOrdinal device) {
  api_ = api;
  device_ = device;
  return complete();
}

Outcome Gpu::complete() {
  const auto attempt = [this](Status status, const char* what) {
    return check(status, what, Trouble::MapFailed);
  };
  if (auto f = attempt(api_.cuStreamCreate(&stream_, kStreamNonBlocking), "create a stream"))
    return f;
  for (Event* event : {&begin_, &end_})
    if (auto f = attempt(api_.cuEventCreate(event, 0), "create a CUDA event for timing")) return f;
  if (auto f = attempt(api_.cuDeviceGetAttribute(&multiprocessors_, kMultiprocessors, device_),
                       "read the GPU's number of multiprocessors"))
    return f;
  if (auto f = attempt(api_.cuDeviceGetAttribute(&threads_per_multiprocessor_,
                                                 kThreadsPerMultiprocessor, device_),
                       "read the GPU's number of threads a multiprocessor"))
    return f;
  return attempt(api_.cuDeviceGetAttribute(&shared_per_block_, kSharedPerBlock, device_),
                 "read the GPU's shared memory a block");
}

Outcome Gpu::enter_again() const {
  if (context_ == nullptr) return std::nullopt;
  return check(api_.cuCtxSetCurrent(context_), "enter the GPU's context", Trouble::LaunchFailed);
}

Outcome Gpu::send(Address to, const void* from, std::size_t bytes, std::string_view what) const {
  if (auto f = check(api_.cuMemcpyHtoD(to, from, bytes), what, Trouble::LaunchFailed)) return f;
  return check(api_.cuCtxSynchronize(), what, Trouble::LaunchFailed);
}

Status Gpu::launch(Function function, unsigned blocks, unsigned threads, unsigned shared_bytes,
                   Stream stream, std::span<void*> arguments) const {
  return api_.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream,
                             arguments.data(), nullptr);
}

Outcome Gpu::read_events(std::uint64_t& event_ns) const {
  float ms = 0;
  if (auto f = check(api_.cuEventElapsedTime(&ms, begin_, end_),
                     "read the time between two CUDA events", Trouble::LaunchFailed))
    return f;
  event_ns = static_cast<std::uint64_t>(std::llround(static_cast<double>(ms) * 1e6));
  return std::nullopt;
}

}  // namespace kw::player::cuda

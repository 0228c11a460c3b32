// The referee's own context on a GPU, and the driver's answers as Results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "player/cuda_api.h"
#include "record/device.h"

namespace kw::device {

namespace cuda = player::cuda;

/// A context; destroying it frees everything that was allocated in it. Not thread-safe, like the
/// device.
class CudaContext {
 public:
  /// Opens the GPU number `ordinal` among the visible ones; `library` as for load_api(). Takes
  /// about 0.3 s.
  static Result<std::unique_ptr<CudaContext>> open(int ordinal, const std::string& library);
  /// Opens the GPU with this UUID (32 hexadecimal digits), at whatever ordinal.
  static Result<std::unique_ptr<CudaContext>> open(const std::string& uuid,
                                                   const std::string& library);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  const cuda::Api& api() const { return api_; }
  cuda::DeviceOrdinal device() const { return device_; }
  const cuda::Uuid& uuid() const { return uuid_; }
  /// The facts about the GPU; ceilings and the timer's tick are not set.
  const DeviceFacts& facts() const { return facts_; }
  int multiprocessors() const { return facts_.gpu.front().multiprocessors; }

  /// Makes the context current on this thread; call before any call of the driver.
  Result<> enter() const;
  /// Success, or the error that occurred in `what`; it is to be retried (in another process) where
  /// the context can no longer be used.
  Result<> check(cuda::Status status, const std::string& what) const;
  /// Waits for the end of everything that was queued.
  Result<> synchronize(const std::string& what) const;

 private:
  CudaContext() = default;
  static Result<std::unique_ptr<CudaContext>> load(const std::string& library);
  Result<> make(int ordinal);
  Result<> read_facts();
  Result<int> attribute(int which) const;

  cuda::Api api_;
  cuda::DeviceOrdinal device_ = 0;
  cuda::Context context_ = nullptr;
  cuda::Uuid uuid_;
  DeviceFacts facts_;
};

/// The UUID as 32 lower-case hexadecimal digits.
std::string hex_of(const cuda::Uuid& uuid);

/// Name of an architecture: "sm_90a" for 9.0, with the suffix if the architecture has features of
/// its own.
std::string arch_of(int major, int minor);

}  // namespace kw::device

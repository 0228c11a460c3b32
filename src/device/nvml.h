// What NVIDIA's management library reports about a GPU while something is timed on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/device.h"

namespace kw::device {

/// A process with a context on the GPU, with its name from /proc/PID/comm.
struct GpuProcess {
  int pid = 0;
  std::string name;
  bool is_ours = false;  ///< This process, one that it started, or another program of Kernelwright.
};

/// The process ids that belong to others, in words: "python3 (4711)". Empty where the list lacks
/// `own`, since its ids are then of another pid namespace. `look` describes an id; its name is
/// empty if no such process exists here.
std::vector<std::string> foreign_of(const std::vector<int>& pids, int own,
                                    const std::function<GpuProcess(int)>& look);

/// The management library for one GPU. Not thread-safe.
class Nvml {
 public:
  /// `device` is DeviceFacts::id. `library` empty: KW_NVML, else where the linker finds it. Null
  /// where there is no library, or it does not know this device (a MIG slice, a stand-in).
  static std::unique_ptr<Nvml> open(const std::string& device, const std::string& library = {});
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// State of the GPU now; what the driver does not report stays 0 or empty. Takes some 50 us.
  GpuMoment look() const;
  /// Uncorrected memory errors of the GPU since its driver was loaded; 0 where it does not count
  /// them.
  std::uint64_t uncorrected_errors() const;

 private:
  struct Calls;
  explicit Nvml(std::unique_ptr<Calls> calls);
  std::unique_ptr<Calls> calls_;
};

}  // namespace kw::device

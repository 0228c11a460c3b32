// What NVIDIA's management library tells of a GPU while something is timed on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/device.h"

namespace kw::device {

/// A process with a context on the GPU, by its name in /proc/PID/comm.
struct GpuProcess {
  int pid = 0;
  std::string name;
  bool is_ours = false;  ///< This process, one that it started, or another program of Kernelwright.
};

/// Which of these process ids are somebody else's, in words: "python3 (4711)". Nothing where the
/// list lacks `own`: its ids are then not those of this process's namespace. `look` tells of an id,
/// with an empty name where there is no such process here.
std::vector<std::string> foreign_of(const std::vector<int>& pids, int own,
                                    const std::function<GpuProcess(int)>& look);

/// One GPU. Not for several threads at once.
class Nvml {
 public:
  /// `device` is DeviceFacts::id. `library` empty: KW_NVML, else where the linker knows it. Null
  /// where there is no library, or it does not know this device (a MIG slice, a stand-in).
  static std::unique_ptr<Nvml> open(const std::string& device, const std::string& library = {});
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// As it is now; what the driver does not tell stays 0 or empty. Some 50 us.
  GpuMoment look() const;
  /// Memory errors that the GPU could not correct since its driver was loaded; 0 where it does not
  /// count them.
  std::uint64_t uncorrected_errors() const;

 private:
  struct Calls;
  explicit Nvml(std::unique_ptr<Calls> calls);
  std::unique_ptr<Calls> calls_;
};

}  // namespace kw::device

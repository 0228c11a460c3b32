// What a test makes of the stand-in: an older driver, another GPU, one that is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kw_emulated {

/// The file `faults` in the folder of the library, read once by each process: a word and its value
/// on each line. Programs that Kernelwright starts get no environment of a test's, but this folder
/// they see.
struct Faults {
  int devices = 1;
  int driver = 13000;   ///< The CUDA that the driver speaks.
  int capability = 90;  ///< Major and minor version in one.
  std::string name = "Emulated GPU";
  std::size_t memory = std::size_t{3} << 30;  ///< Bytes of the device.
  std::size_t free = 0;                       ///< What it says is free; 0: seven eighths.
  std::size_t most = ~std::size_t{0};         ///< The largest allocation that works.
  /// Device nanoseconds pass so much slower than the host's. At 1 the referee's own clock agrees
  /// with the device's; the 20 us of a spacer are 2 ms nevertheless.
  unsigned slowdown = 100;
  std::string processes;  ///< Ids of others with a context on it: "12,345".
};

const Faults& faults();

/// The status that the file `lost` in the same folder holds, with which every call ends while it is
/// there; else 0. Looks anew each time.
int loss();

}  // namespace kw_emulated

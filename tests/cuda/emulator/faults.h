// How a test changes the stand-in: an older driver, another GPU, a GPU that is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kw_emulated {

/// The content of the file `faults` in the library's folder, which each process reads once: a word
/// and its value on each line. Programs that Kernelwright starts do not get a test's environment,
/// but they see this folder.
struct Faults {
  int devices = 1;
  int driver = 13000;   ///< The CUDA that the driver speaks.
  int capability = 90;  ///< Major and minor version in one.
  std::string name = "Emulated GPU";
  std::size_t memory = std::size_t{3} << 30;  ///< Bytes of the device.
  std::size_t free = 0;  ///< The free memory that the device reports; 0: seven eighths of all.
  std::size_t most = ~std::size_t{0};  ///< The largest allocation that works.
  /// How many times slower device nanoseconds pass than the host's. At 1 the referee's own clock
  /// agrees with the device's, but the 20 us of a spacer still take 2 ms.
  unsigned slowdown = 100;
  std::string processes;  ///< Ids of other processes with a context on the device: "12,345".
};

const Faults& faults();

/// The status in the file `lost` of the same folder, with which every call ends while the file
/// exists; 0 where it does not. Reads the file anew each time.
int loss();

}  // namespace kw_emulated

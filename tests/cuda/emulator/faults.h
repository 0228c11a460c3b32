// How a test changes the stand-in device: an older driver, another GPU, a GPU that is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kw_emulated {

/// The content of the file `faults` in the folder of the stand-in library, which each process reads
/// once: a word and its value on each line. It is a file because programs that Kernelwright starts
/// do not inherit a test's environment.
struct Faults {
  int devices = 1;
  int driver = 13000;   ///< CUDA version that the driver reports.
  int capability = 90;  ///< Compute capability: 90 is 9.0.
  std::string name = "Emulated GPU";
  std::size_t memory = std::size_t{3} << 30;  ///< Bytes of device memory.
  std::size_t free = 0;  ///< The free memory that the device reports; 0: seven eighths of all.
  std::size_t most = ~std::size_t{0};  ///< Most bytes of one allocation.
  /// How many times slower the device's clock runs than the host's. At 1 the referee's clock agrees
  /// with the device's, but a spacer of 20 us still takes 2 ms.
  unsigned slowdown = 100;
  std::string processes;  ///< Ids of other processes with a context on the device: "12,345".
};

const Faults& faults();

/// The status in the file `lost` in the folder of the stand-in library; 0 if there is no such file.
/// While it exists, every call ends with this status. Reads the file at each call.
int loss();

}  // namespace kw_emulated

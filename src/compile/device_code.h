// What the device code of a cubin reads and calls beside its own: special registers, runtime
// functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::compile {

struct DeviceCode {
  /// Special registers that tell the time, count, or name the launch, and instructions of that
  /// kind: "%globaltimer", "pmevent"; each once.
  std::vector<std::string> registers;
  std::vector<std::string> imported;  ///< Symbols that nothing in the cubin defines.
};

/// Reads a cubin built with -lineinfo, in which ptxas keeps the PTX that it was given: what was
/// compiled, after macros, pasted tokens and joined literals. A line of inline PTX that is exactly
/// library_timer(mark) is the library's own wait and is passed over; `mark` empty: there is none.
/// Bytes are foreign. Error: not a cubin, or one without its PTX, of which nothing could be said.
Result<DeviceCode> read_device_code(std::string_view cubin, std::string_view mark);

}  // namespace kw::compile

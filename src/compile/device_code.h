// What the device code of a cubin uses beyond its own definitions: special registers, runtime
// functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::compile {

struct DeviceCode {
  /// Special registers and instructions that tell the time, count events or identify the launch,
  /// such as "%globaltimer" and "pmevent"; each is listed once.
  std::vector<std::string> registers;
  std::vector<std::string> imported;  ///< Symbols that the cubin does not define.
};

/// Reads a cubin built with -lineinfo, in which ptxas keeps its input PTX: the code after macros,
/// pasted tokens and joined literals are resolved. Lines of inline PTX that are exactly
/// library_timer(mark) belong to the waits of libcu++ and are ignored; with an empty `mark` no line
/// is ignored. The bytes are not trusted. Error: the file is no cubin, or lacks its PTX, so nothing
/// can be said about it.
Result<DeviceCode> read_device_code(std::string_view cubin, std::string_view mark);

}  // namespace kw::compile

// The process of one compilation: limits itself, compiles, answers and ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compile/nvrtc_library.h"

namespace kw::compile {

/// Descriptors that a child keeps; all others are closed.
struct NvrtcChildFds {
  int job = -1;
  int answer = -1;  ///< Where to write the answer; -1: nobody waits for one.
};

/// Gives up what no compilation needs (new processes, sockets, signals, more than its limits, and
/// writing files unless it shares a precompiled header), reads the job, compiles it and sends the
/// answer. `header` is a precompiled header to use, or empty. Call right after fork(); never
/// returns.
[[noreturn]] void compile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet,
                                   NvrtcChildFds fds, const std::string& header);

/// Compiles the prefix of the job into the precompiled header `header` and exits, with code 0 if
/// the header is there. The prefix names only headers of CUDA and CuTe, nothing of a candidate.
[[noreturn]] void precompile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet, int job,
                                      const std::string& header);

}  // namespace kw::compile

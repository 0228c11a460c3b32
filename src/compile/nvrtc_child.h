// The process that runs one compilation: it limits itself, compiles, answers and ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compile/nvrtc_library.h"

namespace kw::compile {

/// Descriptors that the compiling child keeps; it closes all others.
struct NvrtcChildFds {
  int job = -1;
  int answer = -1;  ///< Where to write the answer; -1: no answer is wanted.
};

/// Gives up all rights that no compilation needs (new processes, sockets, signals, resources beyond
/// its limits, and writing files unless the job uses a precompiled header), reads the job, compiles
/// it and sends the answer. `header` is a precompiled header to use, or empty. Call right after
/// fork(); never returns.
[[noreturn]] void compile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet,
                                   NvrtcChildFds fds, const std::string& header);

/// Compiles the first `prefix_bytes` of the job's source into the precompiled header `header` and
/// exits, with code 0 on success. This prefix includes only headers of CUDA and CuTe, no text of a
/// candidate.
[[noreturn]] void precompile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet, int job,
                                      const std::string& header);

}  // namespace kw::compile

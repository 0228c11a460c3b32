// The process of one compilation: it limits itself, compiles, answers and ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compile/nvrtc_library.h"

namespace kw::compile {

/// Descriptors of a child; all others are closed.
struct NvrtcChildFds {
  int job = -1;
  int answer = -1;  ///< -1: nobody waits for one.
};

/// Takes away what no compilation needs (new processes, sockets, signals, more than its limits, and
/// writing files unless it shares a precompiled header), reads the job, compiles it and sends the
/// answer. `header`: a precompiled header to use, or empty. Called right after fork(), never
/// returns.
[[noreturn]] void compile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet,
                                   NvrtcChildFds fds, const std::string& header);

/// Compiles the prefix of the job into the precompiled header `header`; exit code 0 if it is there.
/// The prefix names headers of CUDA and CuTe alone, nothing of a candidate.
[[noreturn]] void precompile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet, int job,
                                      const std::string& header);

}  // namespace kw::compile

// Reads machine code through NVIDIA's disassembler, where this machine has one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "compile/sass.h"
#include "platform/files.h"
#include "record/candidate.h"
#include "record/enums.h"

namespace kw::compile {

struct Disassembler {
  platform::Path program;  ///< Path of nvdisasm or cuobjdump, as CudaToolkit found it; empty: none.
  JailLevel jail = JailLevel::Namespace;
};

/// The kernels of a built cubin. They are read from the file that an earlier call stored beside the
/// object, else from a run of the disassembler in a jail (0.3 s of a processor), whose result is
/// then stored. An error (advice: give up) says why there are none: no program, an object that the
/// program does not know, or a limit. Safe to call from any thread.
Result<std::vector<KernelCode>> read_machine_code(const Disassembler& disassembler,
                                                  const BuiltObject& object);

}  // namespace kw::compile

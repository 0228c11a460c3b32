// Facts of machine code from NVIDIA's disassembler, where this machine has one.
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
  platform::Path program;  ///< nvdisasm or cuobjdump, as CudaToolkit found it; empty: none.
  JailLevel jail = JailLevel::Namespace;
};

/// The kernels of a built cubin. Read from the file beside the object where one was kept, else by a
/// run of the disassembler in a jail of its own (0.3 s of a processor), and then kept there. An
/// error (give up) says why there are none: no program, an object that it does not know, a limit.
/// Safe to call from any thread.
Result<std::vector<KernelCode>> read_machine_code(const Disassembler& disassembler,
                                                  const BuiltObject& object);

}  // namespace kw::compile

// Translates CUDA's device language to C++ for device.h, where no header can.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kw_emulated {

/// Text of a file that lies beside the source, or nothing.
using ReadFile = std::function<std::string(const std::string& name)>;

/// `source` with local includes in place, inline assembly as calls, dynamic shared memory as
/// pointers, and a list of its kernels at the end: `named`, and the instances of templates that the
/// text asks for. Unknown assembly ends the kernel that reaches it with an illegal instruction.
std::string translate(const std::string& source, const std::vector<std::string>& named,
                      const ReadFile& read);

}  // namespace kw_emulated

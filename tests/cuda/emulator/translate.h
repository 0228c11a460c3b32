// Translates the parts of CUDA's device language that device.h cannot express as C++.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kw_emulated {

/// Returns the text of a file that lies in the source's folder, or nothing.
using ReadFile = std::function<std::string(const std::string& name)>;

/// Returns `source` with local includes expanded, inline assembly as calls, dynamic shared memory
/// as pointers, and a list of kernels at the end: those in `named`, and the template instances that
/// the text asks for. A kernel that reaches unknown assembly ends with an illegal instruction.
std::string translate(const std::string& source, const std::vector<std::string>& named,
                      const ReadFile& read);

}  // namespace kw_emulated

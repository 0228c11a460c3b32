// Replies of models for the task "twice".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kw::program {

/// A kernel of this body, as models wrap one in words.
inline std::string kernel(const std::string& body, const std::string& head = "") {
  return "Plan: as the test wants it.\n\n```cpp\n" + head +
         "void twice(int n, const float* x, float* y) {\n" + body + "}\n```\n";
}

inline const std::string kThrice = kernel("  for (int i = 0; i < n; ++i) y[i] = 3 * x[i];\n");

}  // namespace kw::program

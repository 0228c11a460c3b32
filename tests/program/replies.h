// Replies of a scripted model for the task "twice".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kw::program {

/// A reply with a kernel of this body, embedded in prose as models write it.
inline std::string kernel(const std::string& body, const std::string& head = "") {
  return "Plan: as the test wants it.\n\n```cpp\n" + head +
         "void twice(int n, const float* x, float* y) {\n" + body + "}\n```\n";
}

inline const std::string kThrice = kernel("  for (int i = 0; i < n; ++i) y[i] = 3 * x[i];\n");

/// A kernel whose time grows with `steps`; from 32 on it is slower than the reference that
/// write_easy_task() writes.
inline std::string slow_twice(int steps, const std::string& techniques) {
  const std::string count = std::to_string(steps);
  return "// kw: technique " + techniques +
         "\nvoid twice(int n, const float* x, float* y) {\n"
         "  for (int i = 0; i < n; ++i) {\n"
         "    double sum = 0;\n"
         "    for (int k = 0; k < " +
         count + "; ++k) sum += x[i] * (2.0 / " + count + ");\n    y[i] = sum;\n  }\n}\n";
}

inline std::string reply_of(const std::string& source) {
  return "Plan: as the test wants it.\n\n```cpp\n" + source + "```\n";
}

/// One reply that fits every role: planners, judges and critics read its JSON object; writers read
/// its edits, or its file where there is nothing to edit.
inline std::string answer_for_all(const std::string& language, const std::string& source) {
  return "Here is what I think.\n\n```json\n"
         R"({"technique": "vectorization", "instruction": "make it wide", "first_line": 1,
 "last_line": 2, "critical_issue": "none", "why_it_matters": "it does not", "minimal_fix_hint": "-",
 "bottleneck": "memory", "optimisation_method": "wider", "modification_plan": "widen it",
 "instructions": "widen it", "parts": "one loop", "verdict": "accept", "reason": "it may work"})"
         "\n```\n\n<<<<<<< SEARCH\n// mark\n\\=======\n// mark\n// and once more\n>>>>>>> "
         "REPLACE\n\n```" +
         language + "\n// kw: technique plain\n// mark\n" + source + "```\n";
}

}  // namespace kw::program

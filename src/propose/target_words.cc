// What prompts say about processors and about GPUs.
// SPDX-License-Identifier: Apache-2.0
#include "propose/target_words.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kw::propose {
namespace {

std::string cpu_libraries(const Restrictions& r, bool) {
  return r.libraries.empty() ? "No libraries beyond those of C, C++ and OpenMP."
                             : "Libraries that may be linked: " + join(r.libraries, ", ") + ".";
}

std::vector<std::string> cpu_limits(const Restrictions&) { return {}; }

std::string cpu_options(bool has_fast_math) {
  std::string words =
      "`// kw: option unroll_loops` (the compiler unrolls loops), `// kw: option O2` (less "
      "inlining and unrolling than -O3)";
  if (has_fast_math)
    words +=
        ", `// kw: option fast_math` (reassociation, no NaN or infinity assumed: sums may be "
        "vectorised, and the tolerance still holds)";
  return words + ".";
}

std::string cuda_libraries(const Restrictions&, bool has_headers) {
  return has_headers ? "No libraries beyond CUDA's own device headers and, in dialect cute, "
                       "CuTe and CUTLASS."
                     : "No libraries beyond CUDA's own device headers.";
}

std::vector<std::string> cuda_limits(const Restrictions& r) {
  std::vector<std::string> lines;
  if (r.registers > 0)
    lines.push_back(fmt::format("A thread of any kernel has at most {} registers.", r.registers));
  const std::int64_t bytes = r.local_bytes > 0 ? r.local_bytes : kDefaultLocalBytes;
  lines.push_back(fmt::format("A thread of any kernel has at most {} of local memory.",
                              format_bytes(static_cast<std::uint64_t>(bytes))));
  return lines;
}

std::string cuda_options(bool has_fast_math) {
  return has_fast_math
             ? "`// kw: option fast_math` (faster and less exact division, square roots and "
               "functions, denormals flushed to zero; the tolerance still holds)."
             : "none.";
}

}  // namespace

ByTarget<TargetWords>& target_words() {
  static ByTarget<TargetWords> all{
      {Target::Cpu, {cpu_libraries, cpu_limits, cpu_options}},
      {Target::Cuda, {cuda_libraries, cuda_limits, cuda_options}},
  };
  return all;
}

}  // namespace kw::propose

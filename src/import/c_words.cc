// Tables of the words that exist only in CUDA, and of their counterparts in C.
// SPDX-License-Identifier: Apache-2.0
#include "import/c_words.h"

#include <array>
#include <utility>

#include "import/words.h"

namespace kw::import {

bool is_cuda_word(std::string_view word) {
  return is_one_of(word, {"blockIdx", "threadIdx", "blockDim", "gridDim", "warpSize", "asm",
                          "cooperative_groups", "float2", "float3", "float4", "int2", "int4",
                          "double2", "half", "half2", "reinterpret_cast", "nvcuda", "cg"}) ||
         word.starts_with("__") || word.starts_with("atomic") || word.starts_with("cuda") ||
         word == "dim3";
}

std::string_view plain_word(std::string_view word) {
  static constexpr auto kSame =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"__expf", "expf"},
                                                                    {"__logf", "logf"},
                                                                    {"__sinf", "sinf"},
                                                                    {"__cosf", "cosf"},
                                                                    {"__powf", "powf"},
                                                                    {"__tanf", "tanf"},
                                                                    {"__restrict__", "restrict"},
                                                                    {"__restrict", "restrict"}});
  for (const auto& [from, to] : kSame)
    if (word == from) return to;
  return word;
}

}  // namespace kw::import

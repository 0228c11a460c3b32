// Translates names of types between PyTorch, the file and device code.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "import/host_program.h"

namespace kw::import {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr auto kSameAs = std::to_array<Pair>({
    {"at::Half", "__half"},
    {"c10::Half", "__half"},
    {"torch::Half", "__half"},
    {"half", "__half"},
    {"at::BFloat16", "__nv_bfloat16"},
    {"c10::BFloat16", "__nv_bfloat16"},
    {"torch::BFloat16", "__nv_bfloat16"},
    {"nv_bfloat16", "__nv_bfloat16"},
    {"std::size_t", "size_t"},
    {"std::int32_t", "int"},
    {"std::uint32_t", "unsigned int"},
    {"std::int64_t", "int64_t"},
    {"std::uint8_t", "uint8_t"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"uint", "unsigned int"},
    {"unsigned", "unsigned int"},
    {"long", "long long"},
    {"long int", "long long"},
    {"unsigned long", "unsigned long long"},
});

constexpr auto kBytes = std::to_array<std::pair<std::string_view, int>>({
    {"float", 4},          {"int", 4},
    {"unsigned int", 4},   {"double", 8},
    {"__half", 2},         {"__nv_bfloat16", 2},
    {"bool", 1},           {"char", 1},
    {"signed char", 1},    {"unsigned char", 1},
    {"int8_t", 1},         {"uint8_t", 1},
    {"short", 2},          {"unsigned short", 2},
    {"int16_t", 2},        {"uint16_t", 2},
    {"long long", 8},      {"unsigned long long", 8},
    {"int64_t", 8},        {"uint64_t", 8},
    {"size_t", 8},         {"ptrdiff_t", 8},
    {"float2", 8},         {"float3", 12},
    {"float4", 16},        {"int2", 8},
    {"int4", 16},          {"uint2", 8},
    {"uint4", 16},         {"double2", 16},
    {"__half2", 4},        {"half2", 4},
    {"__nv_bfloat162", 4}, {"uchar4", 4},
    {"long long int", 8},
});

}  // namespace

std::string device_type(std::string_view type, const TypeNames& names) {
  std::string word(type);
  for (int round = 0; round < 8; ++round) {
    const auto alias = names.aliases.find(word);
    if (alias == names.aliases.end()) break;
    word = alias->second;
  }
  if (word.starts_with("unsigned ") && word.ends_with(" int") && word != "unsigned int")
    word.resize(word.size() - 4);
  for (const auto& [from, to] : kSameAs)
    if (word == from) return std::string(to);
  return word;
}

int bytes_of_type(std::string_view type) {
  for (const auto& [name, bytes] : kBytes)
    if (type == name) return bytes;
  return 0;
}

bool is_tensor_type(std::string_view type) {
  return type == "torch::Tensor" || type == "at::Tensor" || type == "Tensor";
}

bool is_stream_type(std::string_view type) {
  return type == "cudaStream_t" || type.ends_with("CUDAStream");
}

}  // namespace kw::import

// The table of types that workspaces and arguments of a plan may have.
// SPDX-License-Identifier: Apache-2.0
#include "import/plan_elements.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace kw::import {

Element element_of(std::string_view type) {
  for (const auto& [name, element] : std::initializer_list<std::pair<std::string_view, Element>>{
           {"float", {"f32", 1}},
           {"float2", {"f32", 2}},
           {"float3", {"f32", 3}},
           {"float4", {"f32", 4}},
           {"double", {"f64", 1}},
           {"double2", {"f64", 2}},
           {"__half", {"f16", 1}},
           {"__half2", {"f16", 2}},
           {"__nv_bfloat16", {"bf16", 1}},
           {"int", {"i32", 1}},
           {"int2", {"i32", 2}},
           {"int4", {"i32", 4}},
           {"unsigned int", {"u32", 1}},
           {"long long", {"i64", 1}},
           {"int64_t", {"i64", 1}},
           {"unsigned long long", {"u64", 1}},
           {"size_t", {"u64", 1}},
           {"uint64_t", {"u64", 1}},
           {"short", {"i16", 1}},
           {"unsigned short", {"u16", 1}},
           {"char", {"i8", 1}},
           {"signed char", {"i8", 1}},
           {"unsigned char", {"u8", 1}},
           {"uint8_t", {"u8", 1}},
           {"bool", {"u8", 1}}})
    if (name == type) return element;
  return {};
}

int bytes_of_plan(std::string_view type) {
  return type.empty()
             ? 1
             : std::max(1, std::atoi(
                               std::string(type.substr(type.find_first_of("0123456789"))).c_str()) /
                               8);
}

}  // namespace kw::import

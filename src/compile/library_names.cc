// Lists of names from libraries.
// SPDX-License-Identifier: Apache-2.0
#include "compile/library_names.h"

#include <string_view>
#include <vector>

#include "base/contains.h"
#include "base/text.h"

namespace kw::compile {
namespace {

using Names = std::vector<std::string>;

/// Functions of <cmath>, each also in its float form with an f at the end.
const Names& mathematics() {
  static const Names names = [] {
    Names all;
    for (const char* name :
         {"acos",  "acosh", "asin",  "asinh",  "atan",     "atan2",    "atanh",  "cbrt", "ceil",
          "cos",   "cosh",  "erf",   "erfc",   "exp",      "exp2",     "expm1",  "fabs", "floor",
          "fma",   "fmax",  "fmin",  "fmod",   "hypot",    "ldexp",    "lgamma", "log",  "log10",
          "log1p", "log2",  "lrint", "pow",    "rint",     "round",    "sin",    "sinh", "sqrt",
          "tan",   "tanh",  "trunc", "tgamma", "copysign", "nearbyint"}) {
      all.emplace_back(name);
      all.push_back(std::string(name) + "f");
    }
    all.insert(all.end(), {"isnan", "isinf", "isfinite"});
    return all;
  }();
  return names;
}

Names with_mathematics(Names names) {
  names.insert(names.end(), mathematics().begin(), mathematics().end());
  return names;
}

/// Names that headers declare for host code, including mathematics. Intrinsics are left out, since
/// GCC knows and suggests them itself.
const Names& of_cpu() {
  static const Names names = with_mathematics(
      {"omp_get_max_threads", "omp_get_num_threads", "omp_get_thread_num", "size_t", "int32_t",
       "int64_t", "uint32_t", "uint64_t", "memcpy", "memset", "__builtin_expect",
       "__builtin_prefetch", "__builtin_assume_aligned", "__restrict__"});
  return names;
}

/// Names of device code, from the CUDA C++ Programming Guide, "C++ Language Extensions".
const Names& of_cuda() {
  static const Names names = with_mathematics({"__syncthreads",
                                               "__syncthreads_count",
                                               "__syncthreads_and",
                                               "__syncthreads_or",
                                               "__syncwarp",
                                               "__activemask",
                                               "__shfl_sync",
                                               "__shfl_up_sync",
                                               "__shfl_down_sync",
                                               "__shfl_xor_sync",
                                               "__all_sync",
                                               "__any_sync",
                                               "__ballot_sync",
                                               "__match_any_sync",
                                               "__reduce_add_sync",
                                               "__reduce_max_sync",
                                               "__reduce_min_sync",
                                               "__threadfence",
                                               "__threadfence_block",
                                               "__ldg",
                                               "__ldcg",
                                               "__ldcs",
                                               "__stcs",
                                               "__stcg",
                                               "__popc",
                                               "__clz",
                                               "__ffs",
                                               "__brev",
                                               "__expf",
                                               "__logf",
                                               "__sinf",
                                               "__cosf",
                                               "__powf",
                                               "__fdividef",
                                               "__frcp_rn",
                                               "__fsqrt_rn",
                                               "__fmaf_rn",
                                               "__fadd_rn",
                                               "__fmul_rn",
                                               "__float2int_rn",
                                               "__int_as_float",
                                               "__float_as_int",
                                               "__float2half",
                                               "__half2float",
                                               "__float2bfloat16",
                                               "__bfloat162float",
                                               "rsqrt",
                                               "rsqrtf",
                                               "__saturatef",
                                               "__nanosleep",
                                               "atomicAdd",
                                               "atomicSub",
                                               "atomicExch",
                                               "atomicMin",
                                               "atomicMax",
                                               "atomicCAS",
                                               "atomicAnd",
                                               "atomicOr",
                                               "atomicXor",
                                               "threadIdx",
                                               "blockIdx",
                                               "blockDim",
                                               "gridDim",
                                               "warpSize",
                                               "make_float2",
                                               "make_float4",
                                               "make_int2",
                                               "make_int4",
                                               "float4",
                                               "float2",
                                               "uint4",
                                               "int4",
                                               "__cvta_generic_to_shared",
                                               "cudaGridDependencySynchronize",
                                               "cudaTriggerProgrammaticLaunchCompletion"});
  return names;
}

/// The header that declares a name; empty if no header is known.
std::string header_of(std::string_view name) {
  if (name.starts_with("__")) return "";
  if (name.starts_with("omp_")) return "omp.h";
  if (name.starts_with("mem")) return "cstring";
  if (name == "size_t") return "cstddef";
  if (name.ends_with("_t")) return "cstdint";
  return "cmath";
}

}  // namespace

ByTarget<LibraryNames>& library_names() {
  static ByTarget<LibraryNames> all{
      {Target::Cpu, {of_cpu, header_of}},
      {Target::Cuda, {of_cuda, [](std::string_view) { return std::string(); }}},
  };
  return all;
}

NameHint nearest_hint(const std::string& name, std::span<const std::string> names) {
  const auto near = nearest(name, names);
  if (!near) return {};
  return {*near, suggestion(name, std::span(&*near, 1))};
}

NameHint library_hint(const std::string& name, Target target) {
  const LibraryNames& library = library_names()[target];
  const std::vector<std::string>& names = library.names();
  // A very short unknown word gets no suggestion: 'row' is one letter from 'pow' and 'col' from
  // 'cos', but both are usual names of variables.
  constexpr std::size_t kFewestLetters = 4;
  if (!contains(names, name))
    return name.size() < kFewestLetters ? NameHint() : nearest_hint(name, names);
  const std::string header = library.header_of(name);
  if (header.empty()) return {};
  return {"<" + header + ">", " (#include <" + header + "> declares it)"};
}

bool is_library_name(std::string_view name, Target target) {
  return contains(library_names()[target].names(), name);
}

}  // namespace kw::compile

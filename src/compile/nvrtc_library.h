// NVIDIA's run-time compiler, loaded at run time: the few functions that are used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compile/nvrtc_wire.h"

namespace kw::compile {

/// Names and values after NVIDIA's nvrtc.h, which need not be there to build this. Its programs are
/// known by address alone.
struct NvrtcProgram;

/// The loaded library; for one process, for good. Functions that older versions lack are null.
class NvrtcLibrary {
 public:
  /// Loads `builtins` first where it is not empty: NVRTC looks for its companion by name alone.
  /// Empty, or what is wrong in words.
  std::string load(const std::string& library, const std::string& builtins);

  int major() const { return major_; }
  int minor() const { return minor_; }
  bool has_pch() const { return set_pch_heap_ != nullptr; }
  /// Numbers of the architectures that it compiles for, ascending.
  const std::vector<int>& architectures() const { return architectures_; }

  /// Room for a precompiled header, in bytes; 256 MiB unless told, and CuTe's needs 300.
  bool set_pch_heap(std::size_t bytes);

  /// Compiles one job. `extra` are options beside its own. `with_object`: false for a header that
  /// is only to be precompiled. Memory and time are as the process allows.
  NvrtcAnswer compile(const NvrtcJob& job, const std::vector<std::string>& extra,
                      bool with_object = true);

 private:
  using Program = NvrtcProgram*;
  std::string find_functions(void* handle);

  int major_ = 0;
  int minor_ = 0;
  std::vector<int> architectures_;
  int (*version_)(int*, int*) = nullptr;
  const char* (*result_name_)(int) = nullptr;
  int (*count_architectures_)(int*) = nullptr;
  int (*list_architectures_)(int*) = nullptr;
  int (*create_)(Program*, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
  int (*object_size_)(Program, std::size_t*) = nullptr;
  int (*object_)(Program, char*) = nullptr;
  int (*add_name_)(Program, const char*) = nullptr;
  int (*symbol_)(Program, const char*, const char**) = nullptr;
  int (*set_pch_heap_)(std::size_t) = nullptr;
};

}  // namespace kw::compile

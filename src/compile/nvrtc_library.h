// NVIDIA's run-time compiler, loaded at run time: the functions that we use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compile/nvrtc_wire.h"

namespace kw::compile {

/// The program type of NVIDIA's nvrtc.h, of which we use only pointers. The build does not need
/// that header, so other names and values here repeat it too.
struct NvrtcProgram;

/// The loaded library; one per process, never unloaded. Pointers to functions that older versions
/// lack are null.
class NvrtcLibrary {
 public:
  /// Loads the library. If `builtins` is not empty, loads that file first, since NVRTC looks for
  /// its companion by file name alone. Returns an empty string, or what went wrong.
  std::string load(const std::string& library, const std::string& builtins);

  int major() const { return major_; }
  int minor() const { return minor_; }
  bool has_pch() const { return set_pch_heap_ != nullptr; }
  /// Numbers of the architectures that NVRTC compiles for, ascending.
  const std::vector<int>& architectures() const { return architectures_; }

  /// Sets the room for a precompiled header, in bytes; NVRTC's default is 256 MiB, and CuTe's
  /// header needs 300.
  bool set_pch_heap(std::size_t bytes);

  /// Compiles one job with the options `extra` added. If `with_object` is false, only the header is
  /// precompiled. Memory and time are bounded by the limits of the process.
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

// Loading NVRTC, and one compilation from source to cubin.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_library.h"

#include <dlfcn.h>

#include <algorithm>

namespace kw::compile {
namespace {

/// Oldest major version of NVRTC that knows sm_90a and writes cubins for real architectures; name
/// expressions and C++20 came earlier.
constexpr int kOldestMajor = 12;

template <class F>
bool find(void* handle, const char* name, F& to) {
  to = reinterpret_cast<F>(::dlsym(handle, name));
  return to != nullptr;
}

}  // namespace

std::string NvrtcLibrary::find_functions(void* handle) {
  const char* missing = nullptr;
  const auto need = [&](const char* name, auto& to) {
    if (!find(handle, name, to) && missing == nullptr) missing = name;
  };
  need("nvrtcVersion", version_);
  need("nvrtcGetErrorString", result_name_);
  need("nvrtcGetNumSupportedArchs", count_architectures_);
  need("nvrtcGetSupportedArchs", list_architectures_);
  need("nvrtcCreateProgram", create_);
  need("nvrtcDestroyProgram", destroy_);
  need("nvrtcCompileProgram", compile_);
  need("nvrtcGetProgramLogSize", log_size_);
  need("nvrtcGetProgramLog", log_);
  need("nvrtcGetCUBINSize", object_size_);
  need("nvrtcGetCUBIN", object_);
  need("nvrtcAddNameExpression", add_name_);
  need("nvrtcGetLoweredName", symbol_);
  find(handle, "nvrtcSetPCHHeapSize", set_pch_heap_);
  return missing == nullptr ? std::string()
                            : std::string("the NVRTC library has no function ") + missing;
}

std::string NvrtcLibrary::load(const std::string& library, const std::string& builtins) {
  if (!builtins.empty() && ::dlopen(builtins.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    return std::string("the library nvrtc-builtins, which NVRTC needs, cannot be loaded: ") +
           ::dlerror();
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::string("the NVRTC library cannot be loaded: ") + ::dlerror();
  if (find(handle, "nvrtcVersion", version_) && version_(&major_, &minor_) == 0 &&
      major_ < kOldestMajor)
    return "the NVRTC library has version " + std::to_string(major_) + "." +
           std::to_string(minor_) + ", and the oldest that can be used is " +
           std::to_string(kOldestMajor) + ".0";
  if (std::string wrong = find_functions(handle); !wrong.empty()) return wrong;
  int count = 0;
  if (count_architectures_(&count) != 0 || count <= 0 || count > 1000)
    return "the NVRTC library does not say which architectures it compiles for";
  architectures_.resize(static_cast<std::size_t>(count));
  if (list_architectures_(architectures_.data()) != 0) architectures_.clear();
  std::sort(architectures_.begin(), architectures_.end());
  return {};
}

bool NvrtcLibrary::set_pch_heap(std::size_t bytes) {
  return set_pch_heap_ != nullptr && set_pch_heap_(bytes) == 0;
}

NvrtcAnswer NvrtcLibrary::compile(const NvrtcJob& job, const std::vector<std::string>& extra,
                                  bool with_object) {
  NvrtcAnswer answer;
  const auto end = [&](int result) {
    answer.result = result;
    answer.result_name = result_name_(result);
    return answer;
  };
  std::vector<const char*> texts, names, options;
  for (const auto& [name, text] : job.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  for (const std::string& option : job.options) options.push_back(option.c_str());
  for (const std::string& option : extra) options.push_back(option.c_str());
  Program program = nullptr;
  // All jobs name their source "unit.cu", since a precompiled header is valid only for a source of
  // the same name.
  if (const int result = create_(&program, job.source.c_str(), "unit.cu",
                                 static_cast<int>(names.size()), texts.data(), names.data());
      result != 0)
    return end(result);
  for (const std::string& name : job.names)
    if (const int result = add_name_(program, name.c_str()); result != 0) return end(result);
  answer.result = compile_(program, static_cast<int>(options.size()), options.data());
  answer.result_name = result_name_(answer.result);

  std::size_t size = 0;
  if (log_size_(program, &size) == 0 && size > 1) {
    answer.log.resize(size);
    if (log_(program, answer.log.data()) != 0) answer.log.clear();
    answer.log.resize(std::min(answer.log.size(), answer.log.find('\0')));
    answer.log_was_cut = answer.log.size() > job.log_bytes ? 1 : 0;
    if (answer.log_was_cut != 0) answer.log.resize(job.log_bytes);
  }
  if (answer.result != 0 || !with_object) return answer;
  if (const int result = object_size_(program, &size); result != 0) return end(result);
  answer.object_is_big = size > job.object_bytes ? 1 : 0;
  if (answer.object_is_big == 0) {
    answer.object.resize(size);
    if (const int result = object_(program, answer.object.data()); result != 0) {
      answer.object.clear();
      return end(result);
    }
  }
  for (const std::string& name : job.names) {
    const char* symbol = nullptr;
    if (const int result = symbol_(program, name.c_str(), &symbol); result != 0) {
      answer.object.clear();
      return end(result);
    }
    answer.symbols.emplace_back(symbol);
  }
  return answer;
}

}  // namespace kw::compile

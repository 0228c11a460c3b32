// CUDA libraries that a host launcher may name: their names, and where they are on this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cuda_toolkit.h"

namespace kw::compile {

/// Names of all CUDA libraries that a host launcher may use: cublas, cublasLt, cudnn, cub, ….
std::span<const std::string> cuda_library_names();

struct CudaLibrary {
  platform::Path file;     ///< The shared object; empty for a library of headers only (cub).
  platform::Path include;  ///< The folder of the library's header.
};

/// The library in the first root of the toolkit that has both header and shared object. Among
/// several versions in one folder the plain name (lib….so) is taken, else the newest.
std::optional<CudaLibrary> find_cuda_library(const CudaToolkit& toolkit, std::string_view name);

/// Says what of the library is missing and what to do about it; empty if the library can be used.
std::string why_no_cuda_library(const CudaToolkit& toolkit, std::string_view name);

/// The folders of all libraries that were found, each once. A process that runs host launchers must
/// be able to read them.
std::vector<platform::Path> cuda_library_folders(const CudaToolkit& toolkit);

}  // namespace kw::compile

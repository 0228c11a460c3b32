// Libraries of CUDA that a host launcher may name: which there are, and where they lie here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cuda_toolkit.h"

namespace kw::compile {

/// cublas, cublasLt, cudnn, cub, ….
std::span<const std::string> cuda_library_names();

struct CudaLibrary {
  platform::Path file;     ///< The shared object; empty for one that is headers alone (cub).
  platform::Path include;  ///< The folder of its header.
};

/// The first of the toolkit's library roots that has both header and shared object; of several
/// versions in one folder the plain name (lib….so) or else the newest.
std::optional<CudaLibrary> find_cuda_library(const CudaToolkit& toolkit, std::string_view name);

/// What is missing and what to do about it; empty if the library can be linked with.
std::string why_no_cuda_library(const CudaToolkit& toolkit, std::string_view name);

/// The folders of all libraries that were found, each once: what a process that runs host launchers
/// must be able to read.
std::vector<platform::Path> cuda_library_folders(const CudaToolkit& toolkit);

}  // namespace kw::compile

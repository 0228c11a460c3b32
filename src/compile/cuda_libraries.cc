// Looks for header and shared object of each library in one root after another.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "compile/build.h"

namespace kw::compile {

using platform::Path;

namespace {

struct Known {
  const char* name;
  const char* header;
  bool is_shared;  ///< Whether the library has a shared object.
};
constexpr std::array<Known, 7> kKnown = {{{"cublas", "cublas_v2.h", true},
                                          {"cublasLt", "cublasLt.h", true},
                                          {"cudnn", "cudnn.h", true},
                                          {"cub", "cub/cub.cuh", false},
                                          {"cufft", "cufft.h", true},
                                          {"cusparse", "cusparse.h", true},
                                          {"curand", "curand.h", true}}};
/// From CUDA 13 on the headers of CUB are in include/cccl.
constexpr std::array kIncludeFolders = {"include", "include/cccl"};
constexpr std::array kSharedFolders = {"lib64",
                                       "lib",
                                       "targets/x86_64-linux/lib",
                                       "targets/sbsa-linux/lib",
                                       "lib/x86_64-linux-gnu",
                                       "lib/aarch64-linux-gnu"};

bool has_path(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Path of libNAME.so in a root folder, else of the libNAME.so.N that sorts last; empty if there is
/// none.
Path shared_in(const Path& root, std::string_view name) {
  const std::string plain = fmt::format("lib{}.so", name);
  for (const char* folder : kSharedFolders) {
    if (has_path(root / folder / plain)) return root / folder / plain;
    const auto names = platform::list_dir(root / folder);
    if (!names) continue;
    std::string newest;
    for (const std::string& file : *names)
      if (file.starts_with(plain + ".") &&
          std::pair(file.size(), file) > std::pair(newest.size(), newest))
        newest = file;
    if (!newest.empty()) return root / folder / newest;
  }
  return {};
}

}  // namespace

std::span<const std::string> cuda_library_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Known& known : kKnown) all.emplace_back(known.name);
    return all;
  }();
  return names;
}

std::optional<CudaLibrary> find_cuda_library(const CudaToolkit& toolkit, std::string_view name) {
  const auto known =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.name == name; });
  if (known == kKnown.end()) return std::nullopt;
  for (const Path& root : toolkit.library_roots) {
    CudaLibrary found;
    for (const char* folder : kIncludeFolders)
      if (found.include.empty() && has_path(root / folder / known->header))
        found.include = root / folder;
    if (found.include.empty()) continue;
    if (known->is_shared) found.file = shared_in(root, name);
    if (known->is_shared && found.file.empty()) continue;
    // The folder's links are resolved, since a jail shows folders only by their real names.
    found.include = without_links(found.include);
    if (known->is_shared)
      found.file = without_links(found.file.parent_path()) / found.file.filename();
    return found;
  }
  return std::nullopt;
}

std::string why_no_cuda_library(const CudaToolkit& toolkit, std::string_view name) {
  if (!contains(cuda_library_names(), name))
    return fmt::format("unknown library '{}'{}", one_line(name, 80),
                       suggestion(name, cuda_library_names()));
  if (find_cuda_library(toolkit, name)) return {};
  return fmt::format(
      "the library {} was found neither in a CUDA toolkit nor as a Python wheel nvidia-…; set "
      "KW_CUDA_LIBRARIES to a folder with include/ and lib/",
      name);
}

std::vector<Path> cuda_library_folders(const CudaToolkit& toolkit) {
  std::vector<Path> folders;
  for (const std::string& name : cuda_library_names()) {
    const auto found = find_cuda_library(toolkit, name);
    if (!found || found->file.empty()) continue;
    const Path folder = found->file.parent_path();
    if (!contains(folders, folder)) folders.push_back(folder);
  }
  return folders;
}

}  // namespace kw::compile

// Finds each part of CUDA: looks in several folders in a fixed order and takes the first hit.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_toolkit.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include "base/text.h"
#include "compile/cuda_libraries.h"
#include "platform/subprocess.h"

namespace kw::compile {

using platform::Path;

namespace {

constexpr std::array kLibraryNames = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr std::array kLibraryFolders = {"lib64", "lib", "targets/x86_64-linux/lib",
                                        "targets/sbsa-linux/lib", "."};

bool is_there(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string of_ours(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Path data_folder() {
  if (const std::string xdg = of_ours("XDG_DATA_HOME"); xdg.starts_with('/'))
    return Path(xdg) / "kernelwright";
  if (const std::string home = of_ours("HOME"); home.starts_with('/'))
    return Path(home) / ".local/share/kernelwright";
  return {};
}

NvrtcFiles files_of(const Path& library) {
  NvrtcFiles files;
  files.library = without_links(library);
  const auto names = platform::list_dir(files.library.parent_path());
  if (!names) return files;
  for (const std::string& name : *names)
    if (name.starts_with("libnvrtc-builtins.so."))
      files.builtins = files.library.parent_path() / name;
  return files;
}

std::optional<NvrtcFiles> nvrtc_below(const Path& root) {
  if (root.empty()) return std::nullopt;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(root, ignored)) return files_of(root);
  for (const char* name : kLibraryNames)
    for (const char* folder : kLibraryFolders)
      if (const Path path = root / folder / name; is_there(path)) return files_of(path);
  return std::nullopt;
}

// Finds libnvrtc in ldconfig's list: "libnvrtc.so.13 (libc6,x86-64) =>
// /usr/lib/x86_64-linux-gnu/libnvrtc.so.13".
std::optional<NvrtcFiles> nvrtc_of_loader() {
  for (const char* program : {"/sbin/ldconfig", "/usr/sbin/ldconfig"}) {
    if (!is_there(program)) continue;
    const auto asked = platform::run({program, "-p"}, {}, std::chrono::seconds(5));
    if (!asked || !asked->ok()) continue;
    for (const char* name : kLibraryNames)
      for (const std::string_view line : split_lines(asked->out)) {
        const std::size_t arrow = line.find("=> ");
        if (arrow == std::string_view::npos || !trim(line).starts_with(std::string(name) + " "))
          continue;
        if (const Path path = std::string(trim(line.substr(arrow + 3))); is_there(path))
          return files_of(path);
      }
    return std::nullopt;
  }
  return std::nullopt;
}

/// Adds every folder to whose environment bin/python3 may belong. There may be several: the python3
/// of an environment is a link to a file outside the environment, and PATH may hold a link into it.
void add_environments(Path python, std::vector<std::string>& environments) {
  constexpr int kMostLinks = 8;
  for (int i = 0; i < kMostLinks; ++i) {
    environments.push_back(python.parent_path().parent_path().string());
    std::error_code error;
    const Path next = std::filesystem::read_symlink(python, error);
    if (error) return;
    python = python.parent_path() / next;
  }
}

/// Folders in which a Python environment keeps its packages.
std::vector<Path> package_folders(const Path& environment) {
  std::vector<Path> folders;
  for (const std::string& python :
       platform::list_dir(environment / "lib").value_or(std::vector<std::string>())) {
    if (!python.starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"})
      folders.push_back(environment / "lib" / python / packages);
  }
  return folders;
}

/// Adds folders of nvidia-… wheels in a Python environment: nvidia/cublas, nvidia/cu13, ….
void add_wheels(const Path& environment, std::vector<Path>& roots) {
  for (const Path& packages : package_folders(environment)) {
    const Path nvidia = packages / "nvidia";
    for (const std::string& package :
         platform::list_dir(nvidia).value_or(std::vector<std::string>()))
      roots.push_back(nvidia / package);
  }
}

std::vector<Path> cutlass_roots(const CudaPlaces& places) {
  std::vector<Path> roots = {places.cutlass};
  if (!places.data.empty()) roots.push_back(Path(places.data) / "cutlass");
  // The wheel nvidia-cutlass keeps CUTLASS's headers in its package cutlass_library.
  for (const std::string& python : places.pythons)
    for (const Path& packages : package_folders(python))
      roots.push_back(packages / "cutlass_library/source");
  roots.emplace_back(places.system_include);
  return roots;
}

std::vector<Path> library_roots(const CudaPlaces& places, const std::vector<Path>& toolkits) {
  std::vector<Path> roots;
  for (const std::string_view folder : split(places.libraries, ':'))
    if (!folder.empty()) roots.emplace_back(folder);
  for (const Path& toolkit : toolkits)
    if (!toolkit.empty()) roots.push_back(toolkit);
  roots.emplace_back(places.system_include);
  for (const std::string& python : places.pythons) add_wheels(python, roots);
  return roots;
}

std::string head_of(const Path& path) {
  return platform::read_file(path, std::size_t{8} << 20).value_or(std::string());
}

void find_headers(const std::vector<Path>& roots, CudaToolkit& toolkit) {
  for (const Path& root : roots) {
    const Path include = root / "include";
    if (root.empty() || !is_there(include / "cuda_fp16.h")) continue;
    toolkit.include.push_back(without_links(include));
    // From CUDA 13 on the headers of libcu++ are in include/cccl.
    if (is_there(include / "cccl/cuda/std"))
      toolkit.include.push_back(without_links(include / "cccl"));
    const long long cuda = define_in(head_of(include / "cuda_runtime_api.h"), "CUDART_VERSION");
    const long long cccl =
        define_in(head_of(toolkit.include.back() / "cuda/std/__cccl/version.h"), "CCCL_VERSION");
    toolkit.headers_version = fmt::format("CUDA {}, CCCL {}", cuda, cccl);
    return;
  }
}

void find_cutlass(const std::vector<Path>& roots, CudaToolkit& toolkit) {
  for (const Path& root : roots) {
    if (root.empty()) continue;
    for (const Path& include : {root / "include", root}) {
      if (!is_there(include / "cute/tensor.hpp")) continue;
      toolkit.cutlass = without_links(include);
      const std::string text = head_of(include / "cutlass/version.h");
      toolkit.cutlass_version =
          fmt::format("{}.{}.{}", define_in(text, "CUTLASS_MAJOR"),
                      define_in(text, "CUTLASS_MINOR"), define_in(text, "CUTLASS_PATCH"));
      return;
    }
  }
}

Path program_in(const std::vector<Path>& roots, std::string_view name) {
  for (const Path& root : roots)
    if (const Path path = root / "bin" / name; !root.empty() && is_there(path))
      return without_links(path);
  const auto found = platform::find_program(name);
  return found ? without_links(*found) : Path();
}

}  // namespace

Path without_links(const Path& path) {
  std::error_code error;
  Path found = std::filesystem::canonical(path, error);
  return error ? path : found;
}

long long define_in(std::string_view text, std::string_view name) {
  for (const std::string_view line : split_lines(text)) {
    std::string_view rest = trim(line);
    if (!rest.starts_with('#')) continue;
    rest = trim(rest.substr(1));
    if (!rest.starts_with("define ")) continue;
    rest = trim(rest.substr(7));
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    if (!rest.starts_with(' ') && !rest.starts_with('\t')) continue;
    rest = trim(rest);
    long long value = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc())
      return value;
  }
  return -1;
}

CudaPlaces CudaPlaces::of_environment() {
  CudaPlaces places;
  places.nvrtc = of_ours("KW_NVRTC");
  places.cuda = of_ours("CUDA_PATH");
  if (places.cuda.empty()) places.cuda = of_ours("CUDA_HOME");
  places.cutlass = of_ours("CUTLASS_PATH");
  places.data = data_folder().string();
  places.libraries = of_ours("KW_CUDA_LIBRARIES");
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string folder = of_ours(name); !folder.empty()) places.pythons.push_back(folder);
  if (const auto python = platform::find_program("python3"))
    add_environments(*python, places.pythons);
  return places;
}

CudaToolkit find_cuda_toolkit(const CudaPlaces& places) {
  CudaToolkit toolkit;
  const auto below = [](const std::string& folder, const char* name) {
    return folder.empty() ? Path() : Path(folder) / name;
  };
  const bool is_wanted = places.nvrtc != "none";
  const std::vector<Path> roots = {is_wanted ? places.nvrtc : "", places.cuda, places.system,
                                   below(places.data, "cuda")};
  for (const Path& root : roots) {
    if (root.empty()) continue;
    toolkit.looked.push_back(root.string());
    if (!toolkit.nvrtc && is_wanted) toolkit.nvrtc = nvrtc_below(root);
  }
  if (places.ask_loader) {
    toolkit.looked.emplace_back("the libraries that ldconfig knows");
    if (!toolkit.nvrtc && is_wanted) toolkit.nvrtc = nvrtc_of_loader();
  }
  // Wheels and containers of PyTorch contain NVRTC.
  std::vector<Path> wheels;
  for (const std::string& python : places.pythons) add_wheels(python, wheels);
  if (!places.pythons.empty()) toolkit.looked.emplace_back("the packages of python3");
  for (const Path& wheel : wheels)
    if (!toolkit.nvrtc && is_wanted) toolkit.nvrtc = nvrtc_below(wheel);
  // The headers of NVRTC's own installation have its version, so they come first.
  std::vector<Path> header_roots;
  if (toolkit.nvrtc) header_roots.push_back(toolkit.nvrtc->library.parent_path().parent_path());
  header_roots.insert(header_roots.end(), roots.begin(), roots.end());
  header_roots.insert(header_roots.end(), wheels.begin(), wheels.end());
  find_headers(header_roots, toolkit);
  find_cutlass(cutlass_roots(places), toolkit);
  toolkit.library_roots =
      library_roots(places, {places.cuda, places.system, below(places.data, "cuda")});
  const std::vector<Path> tool_roots = {places.cuda, places.system};
  toolkit.nvcc = program_in(tool_roots, "nvcc");
  for (const char* name : {"nvdisasm", "cuobjdump"})
    for (const auto& places_of : {tool_roots, toolkit.library_roots})
      if (toolkit.disassembler.empty()) toolkit.disassembler = program_in(places_of, name);
  return toolkit;
}

std::string compiler_words(const CudaToolkit& toolkit) {
  return fmt::format(
      "{} of {}", toolkit.nvrtc ? "NVRTC" : "nvcc",
      toolkit.headers_version.empty() ? "CUDA without headers" : toolkit.headers_version);
}

std::vector<ToolkitFact> cuda_toolkit_facts(const CudaToolkit& toolkit) {
  std::vector<ToolkitFact> facts;
  const auto add = [&](const char* part, bool is_found, std::string found, std::string missing) {
    facts.push_back({part, is_found, is_found ? std::move(found) : std::move(missing)});
  };
  add("nvrtc", toolkit.nvrtc.has_value(), toolkit.nvrtc ? toolkit.nvrtc->library.string() : "",
      why_no_nvrtc(toolkit));
  add("headers", !toolkit.include.empty(),
      toolkit.include.empty()
          ? ""
          : toolkit.include.front().string() + " (" + toolkit.headers_version + ")",
      "no headers of CUDA (cuda_fp16.h, mma.h, cuda/std): kernels that include them cannot be "
      "compiled; scripts/install-nvrtc brings them");
  add("cute", !toolkit.cutlass.empty(),
      toolkit.cutlass.string() + " (CUTLASS " + toolkit.cutlass_version + ")",
      "no CUTLASS: kernels with '// kw: dialect cute' cannot be compiled; set CUTLASS_PATH or run "
      "scripts/install-cutlass");
  add("nvcc", !toolkit.nvcc.empty(), toolkit.nvcc.string(),
      "no nvcc: baselines with host code (cuBLAS, CUB) cannot be built; set CUDA_PATH to a "
      "toolkit");
  std::vector<std::string> here;
  for (const std::string& name : cuda_library_names())
    if (find_cuda_library(toolkit, name)) here.push_back(name);
  add("libraries", !here.empty(), join(here, ", ") + " for host launchers of baselines",
      "no libraries of CUDA with their headers: baselines by cuBLAS, CUB or cuDNN cannot be built; "
      "set KW_CUDA_LIBRARIES to folders with include/ and lib/");
  add("disassembler", !toolkit.disassembler.empty(), toolkit.disassembler.string(),
      "no nvdisasm or cuobjdump: findings say nothing about machine code; pip install "
      "nvidia-cuda-nvdisasm, or set CUDA_PATH to a toolkit");
  return facts;
}

std::string why_no_nvrtc(const CudaToolkit& toolkit) {
  if (toolkit.nvrtc) return {};
  return "no NVRTC (libnvrtc.so.13 or .12) in " + join(toolkit.looked, ", ") +
         "; set KW_NVRTC or CUDA_PATH, or run scripts/install-nvrtc";
}

}  // namespace kw::compile

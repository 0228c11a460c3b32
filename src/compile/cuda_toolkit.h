// Finds CUDA's compilers and headers on this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/files.h"

namespace kw::compile {

/// The NVRTC library and its companion, which NVRTC looks up by file name alone.
struct NvrtcFiles {
  platform::Path library;   ///< Path of libnvrtc.so.13 or .12, links resolved.
  platform::Path builtins;  ///< Path of the companion library; empty where none lies beside NVRTC.
};

struct CudaToolkit {
  std::optional<NvrtcFiles> nvrtc;
  /// Folders of CUDA's headers, libcu++ included; empty: none found.
  std::vector<platform::Path> include;
  platform::Path cutlass;       ///< Include folder of CUTLASS and CuTe; empty: none.
  std::string cutlass_version;  ///< Version of CUTLASS, "4.2.0"; empty where there is none.
  /// Versions of CUDA's headers and of libcu++: "CUDA 13000, CCCL 3000002".
  std::string headers_version;
  platform::Path nvcc;              ///< Path of nvcc; empty: none.
  platform::Path disassembler;      ///< Path of nvdisasm or cuobjdump; empty: none.
  std::vector<std::string> looked;  ///< Places in which NVRTC was searched.
  /// Folders with include/ and lib/ in which to look for libraries, in this order.
  std::vector<platform::Path> library_roots;
};

/// Where to look for CUDA. Taken from the environment unless a test gives other values.
struct CudaPlaces {
  std::string nvrtc;    ///< $KW_NVRTC: the library, the folder that holds it, or "none".
  std::string cuda;     ///< $CUDA_PATH, else $CUDA_HOME.
  std::string cutlass;  ///< $CUTLASS_PATH: the folder of CUTLASS, or its include folder.
  std::string data;     ///< Folder into which scripts/install-nvrtc and install-cutlass install.
  /// $KW_CUDA_LIBRARIES: folders with include/ and lib/, separated by colons.
  std::string libraries;
  /// Python environments whose packages may hold libraries (nvidia-…) and CUTLASS (nvidia-cutlass):
  /// $VIRTUAL_ENV, $CONDA_PREFIX, and the environment of python3.
  std::vector<std::string> pythons;
  std::string system = "/usr/local/cuda";
  /// Prefix under which the distribution's CUTLASS is installed, as include/cute.
  std::string system_include = "/usr";
  bool ask_loader = true;  ///< Ask ldconfig for libnvrtc too.

  static CudaPlaces of_environment();
};

/// Looks in $KW_NVRTC, $CUDA_PATH, /usr/local/cuda, the folder of scripts/install-nvrtc, then asks
/// ldconfig (5 ms), and at last looks among the packages of python3. Reads a few headers for their
/// versions; loads nothing.
CudaToolkit find_cuda_toolkit(const CudaPlaces& places = CudaPlaces::of_environment());

/// Name and version of the compiler of device code, for DeviceFacts::compiler: "NVRTC of CUDA
/// 13000, CCCL 3000002".
std::string compiler_words(const CudaToolkit& toolkit);

/// A line about one part of the toolkit, for `kw doctor`.
struct ToolkitFact {
  std::string part;  ///< nvrtc | headers | cute | nvcc | libraries | disassembler
  bool is_found = false;
  /// Path and version of the part; where the part is missing, what cannot be done and how to get
  /// the part.
  std::string words;
};

/// Facts about all parts of the toolkit, found or missing, in a fixed order.
std::vector<ToolkitFact> cuda_toolkit_facts(const CudaToolkit& toolkit);

/// Says why device code cannot be compiled here and what to do about it; empty if it can be
/// compiled.
std::string why_no_nvrtc(const CudaToolkit& toolkit);

/// The path with every link resolved; unchanged where that is not possible.
platform::Path without_links(const platform::Path& path);

/// The integer in the line `#define NAME INTEGER` of a header's text; -1 without that line.
long long define_in(std::string_view text, std::string_view name);

}  // namespace kw::compile

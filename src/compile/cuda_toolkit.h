// Finds what of CUDA's compilers and headers this machine has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/files.h"

namespace kw::compile {

/// NVRTC and the companion that it looks for by name alone.
struct NvrtcFiles {
  platform::Path library;   ///< libnvrtc.so.13 or .12, links resolved.
  platform::Path builtins;  ///< Empty where none lies beside it.
};

struct CudaToolkit {
  std::optional<NvrtcFiles> nvrtc;
  std::vector<platform::Path> include;  ///< Of CUDA, libcu++ included; empty: none found.
  platform::Path cutlass;               ///< Include folder of CUTLASS and CuTe; empty: none.
  std::string cutlass_version;          ///< "4.2.0"; empty where there is none.
  std::string headers_version;          ///< Of CUDA and libcu++: "CUDA 13000, CCCL 3000002".
  platform::Path nvcc;                  ///< Empty: none.
  platform::Path disassembler;          ///< nvdisasm or cuobjdump; empty: none.
  std::vector<std::string> looked;      ///< Where NVRTC was looked for.
  /// Folders with include/ and lib/ in which libraries are looked for, in this order.
  std::vector<platform::Path> library_roots;
};

/// What decides where to look; from the environment unless a test gives it.
struct CudaPlaces {
  std::string nvrtc;      ///< $KW_NVRTC: the library, a folder that holds it, or "none".
  std::string cuda;       ///< $CUDA_PATH, else $CUDA_HOME.
  std::string cutlass;    ///< $CUTLASS_PATH: its folder, or its include folder.
  std::string data;       ///< Where scripts/install-nvrtc and install-cutlass put things.
  std::string libraries;  ///< $KW_CUDA_LIBRARIES: folders with include/ and lib/, between colons.
  /// Environments of Python, whose packages hold libraries (nvidia-…) and CUTLASS
  /// (nvidia-cutlass): $VIRTUAL_ENV, $CONDA_PREFIX, that of python3.
  std::vector<std::string> pythons;
  std::string system = "/usr/local/cuda";
  std::string system_include = "/usr";  ///< CUTLASS of the distribution: include/cute below it.
  bool ask_loader = true;               ///< Ask ldconfig for libnvrtc too.

  static CudaPlaces of_environment();
};

/// Looks in $KW_NVRTC, $CUDA_PATH, /usr/local/cuda, the folder of scripts/install-nvrtc, what
/// ldconfig knows (5 ms then) and at last among the packages of python3. Reads a few headers for
/// their versions; loads nothing.
CudaToolkit find_cuda_toolkit(const CudaPlaces& places = CudaPlaces::of_environment());

/// What builds device code, for DeviceFacts::compiler: "NVRTC of CUDA 13000, CCCL 3000002".
std::string compiler_words(const CudaToolkit& toolkit);

/// One line about one part, for `kw doctor`.
struct ToolkitFact {
  std::string part;  ///< nvrtc | headers | cute | nvcc | libraries | disassembler
  bool is_found = false;
  std::string words;  ///< Where it is and its version; or what is missing without it and how to get
                      ///< it.
};

/// What was found and what is missing, in a fixed order.
std::vector<ToolkitFact> cuda_toolkit_facts(const CudaToolkit& toolkit);

/// Why device code cannot be compiled here and what to do about it; empty if it can.
std::string why_no_nvrtc(const CudaToolkit& toolkit);

/// The path with every link followed; itself where that is not possible.
platform::Path without_links(const platform::Path& path);

/// The integer that `#define NAME` gives in a header's text, or -1.
long long define_in(std::string_view text, std::string_view name);

}  // namespace kw::compile

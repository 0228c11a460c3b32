// Compares the versions of drivers and of CUDA's tools.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_age.h"

#include <fmt/format.h>

#include <charconv>

namespace kw::device {
namespace {

/// Beginning of the text of ptxas in .note.nv.tkinfo: "Cuda compilation tools, release 13.0,
/// V13.0.88".
constexpr std::string_view kNote = "Cuda compilation tools, release ";

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

int cuda_of(std::string_view cubin) {
  const std::size_t at = cubin.find(kNote);
  if (at == std::string_view::npos) return 0;
  const char* const end = cubin.data() + cubin.size();
  int major = 0, minor = 0;
  const auto read = std::from_chars(cubin.data() + at + kNote.size(), end, major);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '.') return 0;
  if (std::from_chars(read.ptr + 1, end, minor).ec != std::errc()) return 0;
  if (major < 1 || major > 999 || minor < 0 || minor > 99) return 0;
  return major * 1000 + minor * 10;
}

std::string why_too_old(int driver, int maker) {
  if (maker / 1000 <= driver / 1000) return {};
  return fmt::format(
      "the NVIDIA driver is too old for these kernels: it speaks CUDA {}, and they were built by "
      "CUDA {}; install a driver for CUDA {}, or build with the NVRTC or nvcc of CUDA {} "
      "(KW_NVRTC, "
      "CUDA_PATH)",
      version_text(driver), version_text(maker), maker / 1000, driver / 1000);
}

}  // namespace kw::device

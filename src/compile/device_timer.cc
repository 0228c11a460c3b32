// Rewrites headers of libcu++ whose functions wait.
// SPDX-License-Identifier: Apache-2.0
#include "compile/device_timer.h"

#include <fmt/format.h>

#include <array>

#include "base/hash.h"

namespace kw::compile {
namespace {

using platform::Path;

constexpr std::size_t kMostHeader = std::size_t{1} << 20;
constexpr std::string_view kClock = "chrono::high_resolution_clock::now()";

// Headers of libcu++ that wait, as named in CCCL 2.5 and newer (CUDA 12.6 and newer).
constexpr std::array<std::string_view, 6> kWaiting{"cuda/std/__thread/threading_support.h",
                                                   "cuda/__barrier/barrier_block_scope.h",
                                                   "cuda/std/__barrier/barrier.h",
                                                   "cuda/__barrier/barrier.h",
                                                   "cuda/__barrier/try_wait.h",
                                                   "cuda/std/__semaphore/atomic_semaphore.h"};

std::string reader(const std::string& mark) {
  return fmt::format(
      "#ifndef {0}\n#define {0}\nnamespace {0}_ {{\n"
      "__host__ __device__ inline ::cuda::std::chrono::system_clock::time_point now() noexcept {{\n"
      "  unsigned long long time = 0;\n"
      "#ifdef __CUDA_ARCH__\n"
      "  asm volatile(\"mov.u64 %0, %%globaltimer; // {0}\" : \"=l\"(time));\n"
      "#endif\n"
      "  using clock = ::cuda::std::chrono::system_clock;\n"
      "  return clock::time_point(::cuda::std::chrono::duration_cast<clock::duration>(\n"
      "      ::cuda::std::chrono::nanoseconds(time)));\n"
      "}}\n}}\n#endif\n",
      mark);
}

bool is_name_part(char c) {
  return c == ':' || c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// The rewritten header; empty if the header does not read the clock or its text has an unknown
/// form.
std::string rewritten(std::string text, const std::string& mark) {
  const std::size_t space = text.find("BEGIN_NAMESPACE");
  if (space == std::string::npos || text.find(kClock) == std::string::npos) return {};
  for (std::size_t at; (at = text.find(kClock)) != std::string::npos;) {
    std::size_t first = at;
    // The namespace before the name of the clock, _CUDA_VSTD:: or ::cuda::std::, is replaced with
    // it.
    while (first > 0 && is_name_part(text[first - 1])) --first;
    text.replace(first, at + kClock.size() - first, "::" + mark + "_::now()");
  }
  const std::size_t line = text.rfind('\n', text.find("BEGIN_NAMESPACE"));
  if (line == std::string::npos) return {};
  return text.insert(line + 1, reader(mark));
}

}  // namespace

std::string library_timer_mark(const BuildUnit& unit) {
  Sha256Stream stream;
  for (const SourceFile& file : unit.files) {
    stream.update_part(file.name);
    stream.update_part(file.text);
  }
  return "kw_wait_" + stream.finish().hex().substr(0, 40);
}

std::vector<std::pair<std::string, std::string>> marked_headers(std::span<const Path> folders,
                                                                const std::string& mark) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const std::string_view name : kWaiting)
    for (const Path& folder : folders) {
      const auto text = platform::read_file(folder / name, kMostHeader);
      if (!text) continue;
      if (std::string marked = rewritten(*text, mark); !marked.empty())
        headers.emplace_back(name, std::move(marked));
      break;
    }
  return headers;
}

}  // namespace kw::compile

// Finds the files of CPU players in the loader's own trace, and locks their pages in memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/player_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "base/defence.h"
#include "base/text.h"
#include "platform/subprocess.h"

namespace kw::device {
namespace {

/// Libraries that objects may name besides the C library; screen.cc refuses others. OpenBLAS is
/// used by a baseline. The loader leaves out names that are not installed.
constexpr const char* kLibraries =
    "LD_PRELOAD=libm.so.6 libmvec.so.1 libgcc_s.so.1 libstdc++.so.6 libgomp.so.1 libomp.so.5 "
    "libpthread.so.0 libopenblas.so.0";
constexpr const char* kLoaderCache = "/etc/ld.so.cache";

}  // namespace

std::vector<platform::Path> paths_of_trace(std::string_view text) {
  std::vector<platform::Path> paths;
  for (std::string_view line : split_lines(text)) {
    if (const auto arrow = line.find("=> "); arrow != std::string_view::npos)
      line.remove_prefix(arrow + 3);
    line = trim(line.substr(0, line.rfind(" (")));
    if (line.starts_with('/')) paths.emplace_back(line);
  }
  return paths;
}

Result<PlayerFiles> PlayerFiles::open(const platform::Path& program) {
  platform::SpawnOptions options;
  options.env = {"LD_TRACE_LOADED_OBJECTS=1", kLibraries};
  const platform::Exit traced =
      KW_TRY(platform::run({program.string()}, options, std::chrono::seconds(10)));
  PlayerFiles files;
  files.paths_ = paths_of_trace(traced.out);
  if (!traced.ok() || files.paths_.empty())
    return fail(
        ErrorCode::Failed, About{"libraries"},
        "the dynamic loader does not say which libraries this program, which runs candidates, "
        "needs: " +
            platform::describe(traced) + ' ' + sanitise(traced.err, 200),
        program.string(), Advice::Stop);
  std::error_code ignored;
  if (std::filesystem::exists(kLoaderCache, ignored)) files.paths_.emplace_back(kLoaderCache);
  if (is_on(Defence::LockedPages)) {
    for (const platform::Path& path : files.paths_) KW_TRY(files.hold(path));
    KW_TRY(files.hold(program));
  }
  return files;
}

PlayerFiles::~PlayerFiles() {
  for (const auto& bytes : held_) ::munmap(bytes.data(), bytes.size());
}

Result<> PlayerFiles::hold(const platform::Path& path) {
  const platform::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0)
    return platform::fail_errno("open this library to keep it in memory", path, errno);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return {};
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED)
    return platform::fail_errno("map this library to keep it in memory", path, errno);
  held_.emplace_back(static_cast<std::byte*>(at), size);
  // The system call is made directly, since sanitizers replace the C library's mlock by a function
  // that does nothing.
  if (::syscall(SYS_mlock, at, size) == 0) return {};
  are_locked_ = false;
  // Before Linux 5.14 the advice is unknown, and reading each page does the same.
  if (::madvise(at, size, MADV_POPULATE_READ) != 0)
    for (std::size_t i = 0; i < size; i += 4096) (void)static_cast<volatile std::byte*>(at)[i];
  return {};
}

}  // namespace kw::device

// Keeps a counter in a page that processes share: no lock, and nothing to repair after a kill.
// SPDX-License-Identifier: Apache-2.0
#include "platform/uid_cursor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace kw::platform {
namespace {

/// The counter's file; nothing where another user may have made or may write it.
Fd open_counter(const Path& folder) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  Fd fd(::open((folder / "uid-next").c_str(), kFlags, 0600));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return Fd();
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) return Fd();
  if (info.st_size < static_cast<off_t>(sizeof(std::uint32_t)) &&
      ::ftruncate(fd.get(), sizeof(std::uint32_t)) != 0)
    return Fd();
  return fd;
}

}  // namespace

std::uint32_t advance_uid_cursor(const Path& folder) {
  static_assert(
      std::atomic_ref<std::uint32_t>::is_always_lock_free);  // so it works across processes
  if (const Fd fd = open_counter(folder)) {
    void* page =
        ::mmap(nullptr, sizeof(std::uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (page != MAP_FAILED) {
      const auto next = std::atomic_ref(*static_cast<std::uint32_t*>(page)).fetch_add(1) + 1;
      ::munmap(page, sizeof(std::uint32_t));
      return next;
    }
  }
  static std::atomic<std::uint32_t> own = static_cast<std::uint32_t>(::getpid());
  return ++own;
}

}  // namespace kw::platform

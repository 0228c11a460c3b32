// Implements locks by flock(2): the kernel releases them with the last descriptor of a dead
// process.
// SPDX-License-Identifier: Apache-2.0
#include "platform/locks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <limits>

namespace kw::platform {
namespace {

/// Opens a lock file that root and users share. Creating and opening are separate steps because
/// fs.protected_regular refuses O_CREAT on another user's file in a sticky folder, even to root.
Result<Fd> open_lock_file(const Path& path) {
  for (;;) {
    Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (fd) return fd;
    if (errno != ENOENT) return fail_errno("open lock", path, errno);
    fd.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (fd) {
      ::fchmod(fd.get(), 0666);  // despite the umask; a failure only keeps other users out
      return fd;
    }
    if (errno != EEXIST) return fail_errno("create lock", path, errno);
  }
}

/// True when taken, false when someone else holds it.
Result<bool> try_flock(const Fd& fd, int operation, const Path& path) {
  while (::flock(fd.get(), operation | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return fail_errno("lock", path, errno);
  }
  return true;
}

/// Polls, since flock cannot time out: first after 50 µs, in the end every 5 ms.
Result<bool> flock_within(const Fd& fd, int operation, const Path& path, std::int64_t deadline_ns) {
  Clock& clock = real_clock();
  std::chrono::microseconds pause{50};
  for (;;) {
    if (KW_TRY(try_flock(fd, operation, path))) return true;
    if (clock.now_ns() >= deadline_ns) return false;
    clock.sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds{5000});
  }
}

std::int64_t deadline_after(Nanoseconds timeout) {
  const std::int64_t now = real_clock().now_ns();
  const std::int64_t room = std::numeric_limits<std::int64_t>::max() - now;
  return now + std::min<std::int64_t>(timeout.count(), room);
}

/// Most bytes of the line that describes a lock's holder.
constexpr std::size_t kOwnerBytes = 256;

void write_owner(const Fd& fd, std::string_view owner) {
  // Sharers write one after another; each writes its line in one piece over the line before.
  std::string text(owner.substr(0, kOwnerBytes - 1));
  text += '\n';
  // The text serves messages only; a full disk must not refuse a lock that was taken.
  [[maybe_unused]] const ssize_t written = ::pwrite(fd.get(), text.data(), text.size(), 0);
  [[maybe_unused]] const int cut = ::ftruncate(fd.get(), static_cast<off_t>(text.size()));
}

std::string read_owner(const Fd& fd) {
  std::array<char, kOwnerBytes> buffer{};
  const ssize_t n = ::pread(fd.get(), buffer.data(), buffer.size(), 0);
  std::string text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  text = text.substr(0, text.find('\n'));
  return text.empty() ? "another process" : text;
}

std::string file_name_of(std::string_view device) {
  std::string name;
  for (const char c : device) {
    const auto u = static_cast<unsigned char>(c);
    name += std::isalnum(u) != 0 || c == '-' || c == '.' ? c : '_';
  }
  return name;
}

/// Number of files for the names of processes that share a device, each file locked by its owner.
/// Processes beyond this number stay unnamed.
constexpr int kNames = 16;

Path name_file(const Path& place, const std::string& device, int n) {
  return place / (device + ".share-" + std::to_string(n));
}

/// Writes down the name of a process that shares the device. On failure returns no descriptor, and
/// other processes see one name fewer.
Fd write_share(const Path& place, const std::string& device, std::string_view owner) {
  for (int n = 0; n < kNames; ++n) {
    const Path path = name_file(place, device, n);
    auto fd = open_lock_file(path);
    if (!fd) return {};
    if (const auto taken = try_flock(*fd, LOCK_EX, path); !taken || !*taken) continue;
    write_owner(*fd, owner);
    return std::move(*fd);
  }
  return {};
}

/// The error that `holder` holds what `subject` names.
std::unexpected<Error> fail_busy(std::string subject, const std::string& holder, const Path& path) {
  return fail(ErrorCode::Busy, About{holder}, std::move(subject) + "in use by " + holder,
              path.string(), Advice::Retry);
}

/// Names of the programs that have the device now, such as "kw judge a.cpp, checking a".
std::string holders_of(const Fd& lease, const Path& path, const Path& place,
                       const std::string& device) {
  // Where a shared lock is refused, one holder has the device alone.
  if (const auto shared = try_flock(lease, LOCK_SH, path); shared && !*shared)
    return read_owner(lease);
  ::flock(lease.get(), LOCK_UN);
  std::string names;
  for (int n = 0; n < kNames; ++n) {
    const Path file = name_file(place, device, n);
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) break;  // files are created in order of n
    if (const auto is_free = try_flock(fd, LOCK_SH, file); is_free && !*is_free)
      names += (names.empty() ? "" : " and ") + read_owner(fd);
  }
  return names.empty() ? "another process" : names;
}

bool is_open_to_all(const Path& path) {
  struct stat info{};
  struct statvfs filesystem{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         (info.st_mode & 01007) == 01007 && ::statvfs(path.c_str(), &filesystem) == 0 &&
         (filesystem.f_flag & ST_RDONLY) == 0;
}

}  // namespace

Result<FileLock> FileLock::acquire(const Path& path, std::string_view owner, Nanoseconds timeout) {
  Fd fd = KW_TRY(open_lock_file(path));
  if (!KW_TRY(flock_within(fd, LOCK_EX, path, deadline_after(timeout)))) {
    return fail_busy("the lock is held: ", read_owner(fd), path);
  }
  write_owner(fd, owner);
  return FileLock(std::move(fd));
}

Result<bool> FileLock::is_held(const Path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) {
    if (errno == ENOENT) return false;
    return fail_errno("open lock", path, errno);
  }
  return !KW_TRY(try_flock(fd, LOCK_SH, path));
}

Result<Path> lease_dir() {
  const std::array<Path, 3> parents = {"/run/lock", "/var/lock", "/tmp"};
  auto parent = std::find_if(parents.begin(), parents.end(), is_open_to_all);
  // In a container there may be no folder that is open to all users; other users could not share
  // the lock there anyway.
  if (parent == parents.end()) {
    parent = std::find_if(parents.begin(), parents.end(),
                          [](const Path& p) { return ::access(p.c_str(), W_OK) == 0; });
  }
  if (parent == parents.end()) {
    return fail(
        ErrorCode::NotPermitted,
        "there is no folder for machine-wide locks: none of /run/lock, /var/lock and /tmp is "
        "writable");
  }
  Path folder = *parent / "kernelwright";
  if (::mkdir(folder.c_str(), 01777) == 0) {
    ::chmod(folder.c_str(), 01777);  // mkdir obeys the umask
  } else if (errno != EEXIST) {
    return fail_errno("create the folder for machine-wide locks", folder, errno);
  }
  return folder;
}

Result<Lease> Lease::acquire(std::string_view device, LeaseMode mode, std::string_view owner,
                             Nanoseconds timeout, const Path& folder) {
  const Path place = folder.empty() ? KW_TRY(lease_dir()) : folder;
  const std::string name = file_name_of(device);
  const Path path = place / (name + ".lease");
  const Path gate_path = place / (name + ".gate");
  const std::int64_t deadline = deadline_after(timeout);
  const bool exclusive = mode == LeaseMode::Exclusive;

  // The gate gives waiting measurements precedence: a measurement holds it while it waits for the
  // sharers to leave, and no new sharer passes it meanwhile.
  const Fd gate = KW_TRY(open_lock_file(gate_path));
  Fd fd = KW_TRY(open_lock_file(path));
  const auto taken = [&] {
    return fail_busy("device " + std::string(device) + " is ", holders_of(fd, path, place, name),
                     path);
  };
  const int gate_operation = exclusive ? LOCK_EX : LOCK_SH;
  if (!KW_TRY(flock_within(gate, gate_operation, gate_path, deadline))) return taken();
  if (!KW_TRY(flock_within(fd, exclusive ? LOCK_EX : LOCK_SH, path, deadline))) return taken();
  Lease lease(std::move(fd), mode);
  if (exclusive)
    write_owner(lease.fd_, owner);
  else
    lease.name_ = write_share(place, name, owner);
  return lease;
}

}  // namespace kw::platform

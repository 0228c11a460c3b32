// Works with files and descriptors of the real machine.
// SPDX-License-Identifier: Apache-2.0
#include "platform/files.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>

namespace kw::platform {
namespace {

Fd open_retrying(const Path& path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return Fd(fd);
}

/// Returns 0 or an errno.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

/// File type (the S_IFMT bits) at the path, links not followed; 0: there is no file.
mode_t kind_at(const Path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

bool is_special(mode_t kind) { return kind != 0 && kind != S_IFREG && kind != S_IFDIR; }

Path temporary_name_beside(const Path& path) {
  static std::atomic<unsigned> counter{0};
  Path result = path;
  result += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  return result;
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

ErrorCode code_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::NoSpace;
    case EROFS:
    case EACCES:
    case EPERM:
      return ErrorCode::NotPermitted;
    case ENOENT:
      return ErrorCode::NotFound;
    case ENOMEM:
      return ErrorCode::NoMemory;
    default:
      return ErrorCode::Io;
  }
}

std::unexpected<Error> fail_errno(std::string_view action, const Path& path, int error) {
  Advice advice = Advice::GiveUp;
  const bool is_full = error == ENOSPC || error == EDQUOT;
  const bool is_closed = error == EROFS || error == EACCES || error == EPERM;
  if (is_full || is_closed) advice = Advice::Stop;
  if (error == EINTR || error == EAGAIN || error == EBUSY) advice = Advice::Retry;
  // std::generic_category is thread-safe, strerror is not.
  const std::string reason = std::generic_category().message(error);
  return fail(code_of(error), "cannot " + std::string(action) + ": " + reason, path.string(),
              advice);
}

Result<std::string> read_file(const Path& path, std::size_t cap) {
  // O_NONBLOCK: opening a FIFO that someone put there must not hang.
  const Fd fd = open_retrying(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return fail_errno("open", path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("inspect", path, errno);
  if (S_ISDIR(info.st_mode)) return fail_errno("read", path, EISDIR);
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::Io, About{"no regular file"}, "cannot read: this is not a regular file",
                path.string());
  const auto too_large = [&] {
    return fail(ErrorCode::TooLarge,
                "the file is larger than the " + std::to_string(cap) + " bytes that are read of it",
                path.string());
  };
  if (static_cast<std::uint64_t>(info.st_size) > cap) return too_large();

  std::string bytes;
  // Files of /proc and /sys report size 0, so the size is only a first guess.
  std::size_t chunk = std::min(cap, static_cast<std::size_t>(info.st_size)) + 1;
  for (;;) {
    const std::size_t have = bytes.size();
    bytes.resize(have + chunk);
    const ssize_t n = ::read(fd.get(), bytes.data() + have, chunk);
    if (n < 0 && errno != EINTR) return fail_errno("read", path, errno);
    bytes.resize(have + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) return bytes;
    if (bytes.size() > cap) return too_large();
    chunk = std::min(cap - bytes.size() + 1, std::size_t{64} << 10);
  }
}

Result<> write_file_atomic(const Path& path, std::string_view bytes, bool durable) {
  if (const mode_t kind = kind_at(path); is_special(kind) && kind != S_IFLNK)
    return fail(ErrorCode::Io, About{"no regular file"},
                "cannot write: this is a device or a pipe, not a regular file", path.string());
  const Path temporary = temporary_name_beside(path);
  Fd fd = open_retrying(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (!fd) return fail_errno("create", path, errno);
  int error = write_all(fd.get(), bytes);
  if (error == 0 && durable && ::fsync(fd.get()) != 0) error = errno;
  if (::close(fd.release()) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return fail_errno("write", path, error);
  }
  if (!durable) return {};
  const Path parent = path.has_parent_path() ? path.parent_path() : Path(".");
  const Fd folder = open_retrying(parent, O_RDONLY | O_DIRECTORY);
  // EINVAL is fine: some network filesystems cannot sync a directory but rename durably anyway.
  if (!folder || (::fsync(folder.get()) != 0 && errno != EINVAL)) {
    return fail_errno("sync the folder of", path, errno);
  }
  return {};
}

Result<FileWriter> FileWriter::create(const Path& path) {
  FileWriter writer(path, Fd());
  writer.is_in_place_ = is_special(kind_at(path));
  writer.fd_ = open_retrying(writer.unfinished(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!writer.fd_) return fail_errno("create", path, errno);
  return writer;
}

Path FileWriter::unfinished() const {
  Path result = path_;
  if (!is_in_place_) result += ".part";
  return result;
}

FileWriter::~FileWriter() {
  if (fd_ && !is_in_place_) ::unlink(unfinished().c_str());
}

void FileWriter::write(std::string_view bytes) {
  constexpr std::size_t kBuffered = std::size_t{16} << 10;
  buffer_ += bytes;
  if (buffer_.size() >= kBuffered) flush();
}

void FileWriter::flush() {
  if (error_ == 0) error_ = write_all(fd_.get(), buffer_);
  buffer_.clear();
}

Result<> FileWriter::commit() {
  flush();
  if (::close(fd_.release()) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && !is_in_place_ && ::rename(unfinished().c_str(), path_.c_str()) != 0)
    error_ = errno;
  if (error_ == 0) return {};
  if (!is_in_place_) ::unlink(unfinished().c_str());
  return fail_errno("write", path_, error_);
}

Result<> write_user_file(const Path& path, std::string_view bytes) {
  FileWriter writer = KW_TRY(FileWriter::create(path));
  writer.write(bytes);
  return writer.commit();
}

Result<> make_dirs(const Path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail_errno("create directory", path, error.value());
  return {};
}

Result<std::vector<std::string>> list_dir(const Path& path) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator it(path, error);
  for (const std::filesystem::directory_iterator end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return fail_errno("list", path, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

Result<> remove_tree(const Path& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return fail_errno("remove", path, error.value());
  return {};
}

Result<std::uint64_t> free_disk_bytes(const Path& path) {
  struct statvfs info{};
  if (::statvfs(path.c_str(), &info) != 0)
    return fail_errno("read the free space of the disk that holds", path, errno);
  return std::uint64_t{info.f_bavail} * info.f_frsize;
}

Result<Path> find_program(std::string_view name) {
  const auto is_program = [](const Path& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string_view::npos) {
    errno = EACCES;  // The error for a file that exists and is no program.
    if (is_program(name)) return Path(name);
    return fail_errno("execute", name, errno);
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const Path candidate = Path(rest.substr(0, colon)) / name;
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return fail(ErrorCode::MissingProgram, "no folder of PATH holds this program", std::string(name));
}

Result<Path> executable_dir() {
  std::error_code error;
  Path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    // Without /proc: the name by which this process was started, as the kernel recorded it.
    const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    if (name == nullptr)
      return fail(ErrorCode::NotFound, About{"/proc/self/exe"},
                  "cannot find the file of the running program in /proc/self/exe");
    self = std::filesystem::canonical(name, error);
    if (error) return fail_errno("find the file of the running program", name, error.value());
  }
  return self.parent_path();
}

Result<Fd> make_memfd(std::string_view name, std::size_t bytes) {
  Fd fd(::memfd_create(std::string(name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail_errno("create shared memory", name, errno);
  if (bytes > static_cast<std::size_t>(std::numeric_limits<off_t>::max())) {
    return fail_errno("set the size of shared memory for", name, EFBIG);
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return fail_errno("set the size of shared memory for", name, errno);
  }
  return fd;
}

Result<> seal_memfd(const Fd& fd, bool read_only) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (read_only ? F_SEAL_WRITE : 0);
  if (::fcntl(fd.get(), F_ADD_SEALS, seals) != 0)
    return fail_errno("make shared memory read-only (F_ADD_SEALS)", "shared memory", errno);
  return {};
}

Result<Fd> memfd_with(std::string_view name, std::string_view bytes) {
  Fd fd = KW_TRY(make_memfd(name, 0));
  if (const int error = write_all(fd.get(), bytes); error != 0) {
    return fail_errno("write to shared memory for", name, error);
  }
  ::lseek(fd.get(), 0, SEEK_SET);
  KW_TRY(seal_memfd(fd, true));
  return fd;
}

Result<TempDir> TempDir::create(std::string_view prefix, const Path& parent) {
  Path folder = parent;
  if (folder.empty()) {
    const char* configured = std::getenv("TMPDIR");
    folder = configured != nullptr && *configured != '\0' ? configured : "/tmp";
  }
  std::string pattern = (folder / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return fail_errno("create a temporary folder in", folder, errno);
  }
  return TempDir(Path(pattern));
}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempDir::~TempDir() {
  std::error_code ignored;  // A destructor has no one to tell; the folder is temporary anyway.
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace kw::platform

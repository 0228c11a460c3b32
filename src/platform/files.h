// Operations on files and descriptors of the machine, whose errors name the path and the reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kw::platform {

using Path = std::filesystem::path;

/// Sole owner of a file descriptor; closes it when destroyed.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// A failed Result from an errno value: "cannot <action>: <reason>" at `path`. A full disk or quota
/// gives Advice::Stop, EINTR, EAGAIN and EBUSY give Retry, all others GiveUp.
std::unexpected<Error> fail_errno(std::string_view action, const Path& path, int error);

/// Default cap of read_file: larger than any source text or record, far below memory.
inline constexpr std::size_t kReadCap = std::size_t{64} << 20;

/// Reads a whole file. Error: it is no regular file, or larger than `cap` bytes.
Result<std::string> read_file(const Path& path, std::size_t cap = kReadCap);

/// Replaces `path` so that a reader or a crash sees the old bytes or the new ones, never a mixture.
/// `durable` syncs file and directory first (milliseconds on a disk). A link is replaced, not
/// followed; a device, pipe or socket is an error.
Result<> write_file_atomic(const Path& path, std::string_view bytes, bool durable = true);

/// A file written piece by piece beside its final place, where commit() puts it whole. One writer
/// at a time; what a killed writer left is overwritten by the next. Where a link, a device or a
/// pipe stands at the path, the bytes go through it at once, as a shell's `>` writes them.
class FileWriter {
 public:
  static Result<FileWriter> create(const Path& path);
  FileWriter(FileWriter&&) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;
  /// Without commit() the old file is kept.
  ~FileWriter();

  /// Adds bytes through a buffer. The first failure is kept for commit(), and nothing is written
  /// after it.
  void write(std::string_view bytes);
  /// Puts the file in its place. Call once, last.
  Result<> commit();

 private:
  FileWriter(Path path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void flush();
  Path unfinished() const;

  Path path_;
  Fd fd_;
  std::string buffer_;
  bool is_in_place_ = false;  ///< Whether bytes go straight to a link, device or pipe.
  int error_ = 0;             ///< The errno of the first failed write, or 0.
};

/// Writes a file that the user named: a FileWriter that is created, filled and committed.
Result<> write_user_file(const Path& path, std::string_view bytes);

/// Creates the directory and its parents; an existing directory is fine.
Result<> make_dirs(const Path& path);

/// Names (not paths) in a directory, sorted.
Result<std::vector<std::string>> list_dir(const Path& path);

/// Removes a file or a directory with all it holds; a missing path is fine. Follows no links.
Result<> remove_tree(const Path& path);

/// Bytes that this user may still write to the filesystem holding `path`.
Result<std::uint64_t> free_disk_bytes(const Path& path);

/// The path of a program: `name` itself if it holds a slash, else the first match on PATH.
Result<Path> find_program(std::string_view name);

/// The folder of the running executable (works without /proc mounted).
Result<Path> executable_dir();

/// Anonymous shared memory of `bytes` zeroes; may be sealed. `name` is for debuggers only.
Result<Fd> make_memfd(std::string_view name, std::size_t bytes);

/// Forbids further resizing, and writing too where `read_only` (then no writable mapping may
/// exist).
Result<> seal_memfd(const Fd& fd, bool read_only);

/// Anonymous memory that holds `bytes`, positioned at the start and sealed against change.
Result<Fd> memfd_with(std::string_view name, std::string_view bytes);

/// A fresh directory under the system's temporary folder, removed by the destructor.
class TempDir {
 public:
  /// Creates the directory with mode 0700. `parent` empty: $TMPDIR, else /tmp.
  static Result<TempDir> create(std::string_view prefix = "kw", const Path& parent = {});
  TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDir& operator=(TempDir&& other) noexcept;
  ~TempDir();

  const Path& path() const { return path_; }
  /// Gives up ownership: the directory stays on disk, to look at what went wrong.
  Path keep() { return std::exchange(path_, {}); }

 private:
  explicit TempDir(Path path) : path_(std::move(path)) {}
  Path path_;
};

}  // namespace kw::platform

// A disk in memory that is full, write-protected or broken on demand, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "platform/disk.h"

namespace kw::platform {

/// A disk in memory with a capacity, a write-protect switch and failures on demand.
class MemoryDisk final : public Disk {
 public:
  Result<std::string> read(const Path& path, std::size_t cap = kReadCap) override;
  Result<> write(const Path& path, std::string_view bytes) override;
  Result<bool> exists(const Path& path) override;
  Result<> make_dirs(const Path& path) override;

  /// Removes a file as another program might.
  void lose(const Path& path);
  void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }
  void set_read_only(bool on) { read_only_ = on; }
  /// The `nth` changing operation from now on (0 is the next) fails with `error`; later ones work.
  void fail_change(int nth, int error) { fail_in_ = nth, fail_with_ = error; }
  /// Changing operations so far, failed ones included.
  int changes() const { return changes_; }

 private:
  Result<> begin_change(const Path& path);
  std::uint64_t used() const;

  mutable std::mutex mutex_;
  std::map<Path, std::string> files_;
  std::set<Path> dirs_;
  std::uint64_t capacity_ = std::numeric_limits<std::uint64_t>::max();
  bool read_only_ = false;
  int fail_in_ = -1;
  int fail_with_ = 0;
  int changes_ = 0;
};

inline std::uint64_t MemoryDisk::used() const {
  std::uint64_t sum = 0;
  for (const auto& [path, bytes] : files_) sum += bytes.size();
  return sum;
}

inline Result<> MemoryDisk::begin_change(const Path& path) {
  ++changes_;
  const bool fails = fail_in_ == 0;
  if (fail_in_ >= 0) --fail_in_;
  if (fails) return fail_errno("write", path, fail_with_);
  if (read_only_) return fail_errno("write", path, EROFS);
  return {};
}

inline Result<std::string> MemoryDisk::read(const Path& path, std::size_t cap) {
  const std::lock_guard lock(mutex_);
  const auto it = files_.find(path);
  if (it == files_.end()) return fail_errno("open", path, ENOENT);
  if (it->second.size() > cap) {
    return fail(ErrorCode::TooLarge,
                "the file is larger than the " + std::to_string(cap) + " bytes that are read of it",
                path.string());
  }
  return it->second;
}

inline Result<> MemoryDisk::write(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  KW_TRY(begin_change(path));
  if (path.has_parent_path() && path.parent_path() != path.root_path() &&
      !dirs_.contains(path.parent_path())) {
    return fail_errno("create", path, ENOENT);
  }
  if (dirs_.contains(path)) return fail_errno("write", path, EISDIR);
  // As on the real disk, old and new bytes exist side by side until the file is renamed.
  if (used() + bytes.size() > capacity_) return fail_errno("write", path, ENOSPC);
  files_[path] = std::string(bytes);
  return {};
}

inline Result<bool> MemoryDisk::exists(const Path& path) {
  const std::lock_guard lock(mutex_);
  return files_.contains(path) || dirs_.contains(path);
}

inline Result<> MemoryDisk::make_dirs(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (dirs_.contains(path)) return {};
  KW_TRY(begin_change(path));
  for (Path p = path; !p.empty() && p != p.root_path(); p = p.parent_path()) {
    if (files_.contains(p)) return fail_errno("create directory", path, ENOTDIR);
    dirs_.insert(p);
  }
  return {};
}

inline void MemoryDisk::lose(const Path& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

}  // namespace kw::platform

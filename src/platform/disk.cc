// Implements the machine's disk, and a disk in memory that fails on demand.
// SPDX-License-Identifier: Apache-2.0
#include "platform/disk.h"

#include <cerrno>

namespace kw::platform {
namespace {

class RealDisk final : public Disk {
 public:
  Result<std::string> read(const Path& path, std::size_t cap) override {
    return read_file(path, cap);
  }
  Result<> write(const Path& path, std::string_view bytes) override {
    return write_file_atomic(path, bytes);
  }
  Result<bool> exists(const Path& path) override {
    std::error_code error;
    const bool there = std::filesystem::exists(path, error);
    if (error) return fail_errno("inspect", path, error.value());
    return there;
  }
  Result<> make_dirs(const Path& path) override { return platform::make_dirs(path); }
};

}  // namespace

Disk& real_disk() {
  static RealDisk disk;
  return disk;
}

std::uint64_t MemoryDisk::used() const {
  std::uint64_t sum = 0;
  for (const auto& [path, bytes] : files_) sum += bytes.size();
  return sum;
}

Result<> MemoryDisk::begin_change(const Path& path) {
  ++changes_;
  const bool fails = fail_in_ == 0;
  if (fail_in_ >= 0) --fail_in_;
  if (fails) return fail_errno("write", path, fail_with_);
  if (read_only_) return fail_errno("write", path, EROFS);
  return {};
}

Result<std::string> MemoryDisk::read(const Path& path, std::size_t cap) {
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

Result<> MemoryDisk::write(const Path& path, std::string_view bytes) {
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

Result<bool> MemoryDisk::exists(const Path& path) {
  const std::lock_guard lock(mutex_);
  return files_.contains(path) || dirs_.contains(path);
}

Result<> MemoryDisk::make_dirs(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (dirs_.contains(path)) return {};
  KW_TRY(begin_change(path));
  for (Path p = path; !p.empty() && p != p.root_path(); p = p.parent_path()) {
    if (files_.contains(p)) return fail_errno("create directory", path, ENOTDIR);
    dirs_.insert(p);
  }
  return {};
}

void MemoryDisk::lose(const Path& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

}  // namespace kw::platform

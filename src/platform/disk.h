// Disk: the few file operations that tests of crashes and full disks must be able to fail at will.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "platform/files.h"

namespace kw::platform {

/// Where the store keeps its files. All operations may be called from several threads.
class Disk {
 public:
  virtual ~Disk() = default;
  virtual Result<std::string> read(const Path& path, std::size_t cap = kReadCap) = 0;
  /// Atomic and durable, like write_file_atomic().
  virtual Result<> write(const Path& path, std::string_view bytes) = 0;
  virtual Result<bool> exists(const Path& path) = 0;
  virtual Result<> make_dirs(const Path& path) = 0;
};

/// The machine's disk. One instance serves the whole process.
Disk& real_disk();

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

}  // namespace kw::platform

// Disk: the few file operations that tests of crashes and full disks must be able to fail at will.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

}  // namespace kw::platform

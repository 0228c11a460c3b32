// Implements the machine's disk.
// SPDX-License-Identifier: Apache-2.0
#include "platform/disk.h"

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

}  // namespace kw::platform

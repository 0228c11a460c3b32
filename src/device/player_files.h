// PlayerFiles: the system's files that CPU players share, kept in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "platform/files.h"

namespace kw::device {

/// The loader, its cache of libraries, and the libraries that the player and candidates' objects
/// may need: all that a player's jail shows of the system. Whether a page of a shared file is in
/// memory would be a bit that one player can leave for the next, so all pages of these files are
/// kept in memory as long as this object lives.
class PlayerFiles {
 public:
  /// Asks the loader what `program` would load together with the installed libraries that screening
  /// lets objects name, and keeps the pages of these files in memory. Starts one process; takes 5
  /// ms where the files are already in memory.
  static Result<PlayerFiles> open(const platform::Path& program);

  PlayerFiles(PlayerFiles&&) noexcept = default;
  PlayerFiles& operator=(PlayerFiles&&) = delete;
  ~PlayerFiles();

  const std::vector<platform::Path>& paths() const { return paths_; }
  /// False where RLIMIT_MEMLOCK is too small (needed are 8 MiB, 50 with OpenBLAS): pages are then
  /// only read in and mapped, so they can be dropped when the machine runs out of memory.
  bool are_locked() const { return are_locked_; }

 private:
  PlayerFiles() = default;
  Result<> hold(const platform::Path& path);

  std::vector<platform::Path> paths_;
  std::vector<std::span<std::byte>> held_;
  bool are_locked_ = true;
};

/// The paths in a loader's output with LD_TRACE_LOADED_OBJECTS.
std::vector<platform::Path> paths_of_trace(std::string_view text);

}  // namespace kw::device

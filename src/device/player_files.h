// The system's files that players of a CPU share: which they are, and that they stay in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "platform/files.h"

namespace kw::device {

/// The loader, its list of libraries, and the libraries that the player and objects of candidates
/// may need: all that a player's jail shows of the system. Whether a page of a shared file is in
/// memory would be a bit that one life can leave for the next, so all pages of these are held there
/// for as long as this object lives.
class PlayerFiles {
 public:
  /// Asks the loader what `program` would load, and with it the libraries that screening lets
  /// objects name and that are installed here; holds their pages. Starts one process; 5 ms where
  /// the files are in memory.
  static Result<PlayerFiles> open(const platform::Path& program);

  PlayerFiles(PlayerFiles&&) noexcept = default;
  PlayerFiles& operator=(PlayerFiles&&) = delete;
  ~PlayerFiles();

  const std::vector<platform::Path>& paths() const { return paths_; }
  /// False where RLIMIT_MEMLOCK is too small (it takes 8 MiB, 50 with OpenBLAS): pages are then
  /// read in and mapped, so that nothing can drop them but a machine that runs out of memory.
  bool are_locked() const { return are_locked_; }

 private:
  PlayerFiles() = default;
  Result<> hold(const platform::Path& path);

  std::vector<platform::Path> paths_;
  std::vector<std::span<std::byte>> held_;
  bool are_locked_ = true;
};

/// The paths in what a loader prints where LD_TRACE_LOADED_OBJECTS is set.
std::vector<platform::Path> paths_of_trace(std::string_view text);

}  // namespace kw::device

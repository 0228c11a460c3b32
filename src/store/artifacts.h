// Artifacts: content-addressed, compressed files for sources, replies and objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "platform/disk.h"

namespace kw::store {

/// Compresses with zstd, level 3; deterministic for one version of the library.
std::string compress(std::string_view bytes);
/// Undoes compress(); refuses damaged input, and sizes above `cap` bytes.
Result<std::string> decompress(std::string_view bytes, std::size_t cap = std::size_t{1} << 30);

/// Artifacts in a folder, named by the SHA-256 of their content. Several processes may share it.
class Artifacts {
 public:
  /// `disk` must outlive the object.
  Artifacts(platform::Disk& disk, platform::Path folder);

  /// Stores the bytes and returns their name. On return the bytes are on disk, so that a database
  /// row may name them.
  Result<Sha256> put(std::string_view bytes);
  /// Reads the bytes; a missing or damaged file is an error that names it.
  Result<std::string> get(const Sha256& name) const;

 private:
  platform::Path path_of(const Sha256& name) const;
  platform::Disk& disk_;
  platform::Path folder_;
};

}  // namespace kw::store

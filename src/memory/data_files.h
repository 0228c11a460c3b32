// The shipped data folders (tasks, playbook, prompts, models, web, knowledge), from the program
// itself or from a directory that overrides it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/files.h"

namespace kw::memory {

class DataFiles {
 public:
  /// With a directory, its files replace the embedded ones of the same path ("tasks/saxpy/spec.md")
  /// and may add others. A directory that does not exist is an error.
  static Result<DataFiles> open(const std::optional<platform::Path>& override_dir);

  /// Paths directly or deeper under a folder ("playbook/matmul_padded"), with their texts; paths
  /// relative to it.
  std::map<std::string, std::string> under(std::string_view folder) const;
  /// Names of the folders directly under a folder, sorted.
  std::vector<std::string> folders(std::string_view folder) const;

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

}  // namespace kw::memory

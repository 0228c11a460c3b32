// The shipped data folders (tasks, playbook, prompts, models, web, knowledge), either embedded in
// the program or from a directory that overrides them.
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
  /// With a directory, its files replace the embedded files of the same path
  /// ("tasks/saxpy/spec.md") and may add others. Error: the directory does not exist.
  static Result<DataFiles> open(const std::optional<platform::Path>& override_dir);

  /// The texts of all files below a folder ("playbook/matmul_padded"), by their path relative to
  /// the folder.
  std::map<std::string, std::string> under(std::string_view folder) const;
  /// Names of the folders directly under a folder, sorted.
  std::vector<std::string> folders(std::string_view folder) const;

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

}  // namespace kw::memory

// The shipped data folders (tasks/, playbook/, prompts/, models/), embedded as they were when the
// program was built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kw {

struct EmbeddedFile {
  std::string_view path;  ///< From the top of the repository: "tasks/saxpy/task.yaml".
  std::string_view bytes;
};

/// Every embedded file, sorted by path. The bytes live as long as the program. The function is in
/// library kw_embedded_data.
std::span<const EmbeddedFile> embedded_files();

}  // namespace kw

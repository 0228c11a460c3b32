// The folder of an export: written completely, and overwritten only where an export wrote it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "platform/files.h"

namespace kw::cli {

/// Error (of the input): the folder is not empty and no export wrote it.
Result<> check_export_folder(const platform::Path& folder);

/// Removes what an earlier export wrote there, then writes the files and a list of them in
/// `.kw-export`. Other files stay. Errors (of the input): another file stands where a new one would
/// go, or a link leads out of the folder.
Result<> write_export_folder(const platform::Path& folder,
                             const std::map<std::string, std::string>& files);

}  // namespace kw::cli

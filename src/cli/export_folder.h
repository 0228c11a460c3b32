// The folder of an export: written whole, and written over only where it is ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "platform/files.h"

namespace kw::cli {

/// Error (of the input) where the folder exists, holds something, and no export wrote it.
Result<> check_export_folder(const platform::Path& folder);

/// Removes what an earlier export wrote there, then writes the files and a list of them in
/// `.kw-export`. Files that others put there stay: one that stands where a new one would go is an
/// error (of the input), as is a link out of the folder.
Result<> write_export_folder(const platform::Path& folder,
                             const std::map<std::string, std::string>& files);

}  // namespace kw::cli

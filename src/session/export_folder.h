// Writes the folder of an export; overwrites only folders and files that an earlier export wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "platform/files.h"

namespace kw::session {

/// Error (of the input): the folder exists, is not empty, and was not written by an export.
Result<> check_export_folder(const platform::Path& folder);

/// Removes the files of an earlier export from the folder, then writes the files and a list of them
/// in `.kw-export`. Other files stay. Errors (of the input): a file that no export wrote has the
/// name of a new one, or a link leads out of the folder.
Result<> write_export_folder(const platform::Path& folder,
                             const std::map<std::string, std::string>& files);

}  // namespace kw::session

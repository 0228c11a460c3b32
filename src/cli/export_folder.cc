// A list in the folder says which files are ours.
// SPDX-License-Identifier: Apache-2.0
#include "cli/export_folder.h"

#include "base/text.h"

namespace kw::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = ".kw-export";

/// Whether a name from the list stays inside of the folder.
bool is_inside(const platform::Path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const auto& part : name)
    if (part == "..") return false;
  return true;
}

}  // namespace

Result<> check_export_folder(const platform::Path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return {};
  if (!fs::is_directory(folder, ignored)) return fail_input("not a folder", folder.string());
  if (fs::is_empty(folder, ignored) || fs::is_regular_file(folder / kList, ignored)) return {};
  return fail_input("this folder holds what no export wrote; name another by --out",
                    folder.string());
}

Result<> write_export_folder(const platform::Path& folder,
                             const std::map<std::string, std::string>& files) {
  KW_TRY(platform::make_dirs(folder));
  std::error_code ignored;
  if (const auto list = platform::read_file(folder / kList))
    for (const auto line : split_lines(*list))
      if (const platform::Path name(line); is_inside(name)) fs::remove(folder / name, ignored);
  std::string list;
  for (const auto& [name, text] : files) {
    const platform::Path path = folder / name;
    KW_TRY(platform::make_dirs(path.parent_path()));
    KW_TRY(platform::write_file_atomic(path, text, /*durable=*/false));
    list += name + "\n";
  }
  return platform::write_file_atomic(folder / kList, list, /*durable=*/false);
}

}  // namespace kw::cli

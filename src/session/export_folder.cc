// Writes an export to a folder, with a file that lists which files belong to the export.
// SPDX-License-Identifier: Apache-2.0
#include "session/export_folder.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace kw::session {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = ".kw-export";

/// Whether the file would lie inside the folder, even if symbolic links lead elsewhere.
bool is_inside(const platform::Path& folder, const platform::Path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const auto& part : name)
    if (part == "..") return false;
  std::error_code trouble;
  const auto top = fs::weakly_canonical(folder, trouble);
  if (trouble) return false;
  const auto parent = fs::weakly_canonical((folder / name).parent_path(), trouble);
  if (trouble) return false;
  return std::ranges::mismatch(top, parent).in1 == top.end();
}

/// The files that an earlier export wrote.
std::set<std::string> listed(const platform::Path& folder) {
  std::set<std::string> names;
  if (const auto list = platform::read_file(folder / kList))
    for (const auto line : split_lines(*list)) names.emplace(line);
  return names;
}

}  // namespace

Result<> check_export_folder(const platform::Path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return {};
  if (!fs::is_directory(folder, ignored))
    return fail_input(ErrorCode::BadInput, About{"folder"}, "not a folder", folder.string());
  if (fs::is_empty(folder, ignored) || fs::is_regular_file(folder / kList, ignored)) return {};
  return fail_input(ErrorCode::Exists, About{"--out"},
                    "this folder holds files that no export wrote; name another one by --out",
                    folder.string());
}

Result<> write_export_folder(const platform::Path& folder,
                             const std::map<std::string, std::string>& files) {
  KW_TRY(platform::make_dirs(folder));
  const std::set<std::string> earlier = listed(folder);
  std::error_code ignored;
  for (const auto& [name, text] : files) {
    const platform::Path path = folder / name;
    if (!is_inside(folder, name))
      return fail_input(
          ErrorCode::NotPermitted, About{"link"},
          "this path leads out of the export's folder by a symbolic link; remove the link, or name "
          "another folder by --out",
          path.string());
    if (!earlier.contains(name) && fs::exists(fs::symlink_status(path, ignored)))
      return fail_input(ErrorCode::Exists, About{name},
                        "no export wrote this file; move it, or name another folder by --out",
                        path.string());
  }
  for (const std::string& name : earlier)
    if (is_inside(folder, name)) fs::remove(folder / name, ignored);
  // The list is written before the files, so that an export that was interrupted can be repeated.
  std::string list;
  for (const auto& [name, text] : files) list += name + "\n";
  KW_TRY(platform::write_file_atomic(folder / kList, list, /*durable=*/false));
  for (const auto& [name, text] : files) {
    const platform::Path path = folder / name;
    KW_TRY(platform::make_dirs(path.parent_path()));
    KW_TRY(platform::write_file_atomic(path, text, /*durable=*/false));
  }
  return {};
}

}  // namespace kw::session

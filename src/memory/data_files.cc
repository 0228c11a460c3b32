// Finds files among the embedded ones and in a directory that overrides them.
// SPDX-License-Identifier: Apache-2.0
#include "memory/data_files.h"

#include <filesystem>
#include <system_error>

#include "generated/embedded.h"
#include "platform/read_text.h"

namespace kw::memory {
namespace {

constexpr std::size_t kFileCap = std::size_t{1} << 20;

/// The folder's path with a slash at its end, as every path below the folder begins.
std::string prefix_of(std::string_view folder) {
  std::string prefix(folder);
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';
  return prefix;
}

/// The user named a folder that cannot be read.
std::unexpected<Error> unreadable(const platform::Path& folder, const std::error_code& trouble) {
  Error error = platform::fail_errno("read the data directory", folder, trouble.value()).error();
  error.advice = Advice::Stop;
  error.is_input = true;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<DataFiles> DataFiles::open(const std::optional<platform::Path>& override_dir) {
  DataFiles data;
  for (const EmbeddedFile& file : embedded_files())
    data.files_.emplace(std::string(file.path), std::string(file.bytes));
  if (!override_dir) return data;
  std::error_code trouble;
  std::filesystem::recursive_directory_iterator entries(*override_dir, trouble);
  if (trouble) return unreadable(*override_dir, trouble);
  for (; entries != std::filesystem::recursive_directory_iterator(); entries.increment(trouble)) {
    if (trouble) return unreadable(*override_dir, trouble);
    const std::string relative = entries->path().lexically_relative(*override_dir).generic_string();
    const bool is_data = relative.starts_with("tasks/") || relative.starts_with("playbook/") ||
                         relative.starts_with("prompts/") || relative.starts_with("models/") ||
                         relative.starts_with("web/") || relative.starts_with("knowledge/");
    if (!is_data || !entries->is_regular_file(trouble)) continue;
    data.files_[relative] = KW_TRY(platform::read_text(entries->path(), kFileCap));
  }
  return data;
}

std::map<std::string, std::string> DataFiles::under(std::string_view folder) const {
  const std::string prefix = prefix_of(folder);
  std::map<std::string, std::string> found;
  for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix);
       ++it)
    found.emplace(it->first.substr(prefix.size()), it->second);
  return found;
}

std::vector<std::string> DataFiles::folders(std::string_view folder) const {
  std::vector<std::string> names;
  for (const auto& [path, text] : under(folder)) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) continue;
    std::string name = path.substr(0, slash);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace kw::memory

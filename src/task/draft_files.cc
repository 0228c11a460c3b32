// Names, skeletons and folders of drafted tasks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "base/foreign_text.h"
#include "base/text.h"
#include "task/draft.h"
#include "task/draft_name.h"

namespace kw::task {

namespace fs = std::filesystem;

Result<> check_task_name(std::string_view name) {
  if (can_name_task(name)) return {};
  return fail_input(
      ErrorCode::BadInput, About{sanitise(name, 60)},
      fmt::format("'{}' cannot name a task; a name has lower-case letters, digits and _, and is no "
                  "keyword of C++",
                  sanitise(name, 60)));
}

Result<Draft> draft_skeleton(std::string_view name) {
  KW_TRY(check_task_name(name));
  const std::string source = fmt::format(
      "void {}(int n, const float* x, float* y) {{\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2.0f * x[i];\n}}\n",
      name);
  return draft_from_source(source, {}, name, name);
}

Result<> check_new_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error))
    return fail_input(ErrorCode::Exists, "exists already", folder.string());
  return {};
}

Result<> write_draft(const Draft& draft, const fs::path& folder) {
  KW_TRY(check_new_folder(folder));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::Io, error.message(), folder.string());
  for (const auto& [path, text] : draft.files) {
    fs::create_directories((folder / path).parent_path(), error);
    if (error) return fail(ErrorCode::Io, error.message(), (folder / path).string());
    std::ofstream stream(folder / path, std::ios::binary);
    stream << text;
    if (!stream.flush()) return fail(ErrorCode::Io, "cannot write", (folder / path).string());
  }
  return {};
}

}  // namespace kw::task

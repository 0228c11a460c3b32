// Starts specimens and tools in the profile jail.
// SPDX-License-Identifier: Apache-2.0
#include "profile/tool.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "platform/jail.h"
#include "record/codec.h"

namespace kw::profile {
namespace {

constexpr std::size_t kMostOutput = std::size_t{8} << 20;
constexpr std::size_t kMostObject = std::size_t{256} << 20;

bool is_under(const platform::Path& path, const char* folder) {
  return path.string().starts_with(folder);
}

void add(std::vector<platform::Path>& to, const platform::Path& path) {
  if (std::find(to.begin(), to.end(), path) == to.end()) to.push_back(path);
}

/// Makes a file or folder readable for the jail's uid.
Result<> show(const platform::Path& path, mode_t mode) {
  if (::chmod(path.c_str(), mode) == 0) return {};
  return platform::fail_errno("make this path available to the jail of profilers", path, errno);
}

Result<> write_shown(const platform::Path& path, std::string_view bytes) {
  KW_TRY(platform::write_file_atomic(path, bytes, false));
  return show(path, 0644);
}

/// Writes the job with all its files into one folder that the jail may read, because the jail's uid
/// may not enter the caches where the files lie.
Result<platform::Path> write_job(const platform::Path& folder, SpecimenJob job) {
  KW_TRY(show(folder, 0755));
  int files = 0;
  const auto bring = [&](std::string& path) -> Result<> {
    const platform::Path to = folder / fmt::format("{}.cubin", ++files);
    KW_TRY(write_shown(to, KW_TRY(platform::read_file(path, kMostObject))));
    path = to.string();
    return {};
  };
  for (std::string* path : {&job.ops_path, &job.player_path, &job.object.path})
    KW_TRY(bring(*path));
  for (BuiltObject& control : job.control) KW_TRY(bring(control.path));
  const platform::Path path = folder / "job.json";
  KW_TRY(write_shown(path, encode(job)));
  return path;
}

platform::JailSpec jail_of(const SpecimenRoom& room, const ToolRun& run,
                           const platform::Path& own) {
  platform::JailSpec jail;
  jail.level = room.jail;
  for (const platform::Path& path : room.gpu->readable) add(jail.readable, path);
  if (!run.words.empty())
    for (const platform::Path& folder : tool_folders(run.words.front())) add(jail.readable, folder);
  jail.writable = {own};
  jail.device_nodes = room.gpu->nodes;
  jail.proc = jail.local_sockets = jail.private_network = true;
  jail.keeps_admin = run.keeps_admin;
  jail.allow_new_processes = true;
  jail.max_processes = 512;
  jail.max_open_files = 800;                 // below kw-jail's own
  jail.file_bytes = std::uint64_t{1} << 30;  // the driver's memfds
  jail.tmp_bytes = std::uint64_t{1} << 30;
  jail.output_cap = kMostOutput;
  jail.env = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=" + own.string(),
              "TMPDIR=" + own.string()};
  jail.env.insert(jail.env.end(), room.gpu->environment.begin(), room.gpu->environment.end());
  return jail;
}

}  // namespace

std::vector<platform::Path> tool_folders(const platform::Path& program) {
  std::vector<platform::Path> folders;
  std::error_code trouble;
  const platform::Path real = std::filesystem::canonical(program, trouble);
  for (const platform::Path& path : {program, trouble ? program : real}) {
    platform::Path folder = path.parent_path();
    // A toolkit's bin/ncu is a script that looks for its program beside bin.
    if (folder.filename() == "bin") folder = folder.parent_path();
    if (!folder.empty() && folder != folder.root_path() && !is_under(folder, "/usr") &&
        !is_under(folder, "/opt/nvidia"))
      add(folders, folder);
  }
  if (std::filesystem::is_directory("/opt/nvidia", trouble)) add(folders, "/opt/nvidia");
  return folders;
}

Result<ToolAnswer> run_tool(const SpecimenRoom& room, const ToolRun& run, SpecimenJob job) {
  KW_ASSERT(room.gpu != nullptr);
  const platform::Path program =
      room.program.empty() ? KW_TRY(platform::executable_dir()) / "kw-specimen" : room.program;
  job.uuid = room.gpu->uuid;
  job.driver = room.gpu->driver;
  job.ops_path = room.ops_path;
  job.player_path = room.player_path;
  const auto shown = KW_TRY(platform::TempDir::create("kw-specimen"));
  const auto own = KW_TRY(platform::TempDir::create("kw-profile"));
  const platform::Path path = KW_TRY(write_job(shown.path(), std::move(job)));

  platform::JailSpec jail = jail_of(room, run, own.path());
  add(jail.readable, program);
  add(jail.readable, shown.path());
  std::vector<std::string> words = run.words;
  words.push_back(program.string());
  words.push_back(path.string());
  ToolAnswer answer{.exit = KW_TRY(platform::run_jailed(jail, words, run.timeout)), .report = {}};
  answer.report = find_report(answer.exit.out);
  return answer;
}

Result<ToolAnswer> run_alone(const SpecimenRoom& room, const ToolRun& run) {
  KW_ASSERT(room.gpu != nullptr && !run.words.empty());
  const auto own = KW_TRY(platform::TempDir::create("kw-profile"));
  return ToolAnswer{
      .exit = KW_TRY(platform::run_jailed(jail_of(room, run, own.path()), run.words, run.timeout)),
      .report = {}};
}

}  // namespace kw::profile

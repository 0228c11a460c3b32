// Starts a worker at the other end of a socket pair.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/worker_process.h"

#include <sys/socket.h>

#include <cerrno>
#include <filesystem>

#include "base/defence.h"

namespace kw::evaluate {
namespace {

/// Descriptor at which the worker finds its end of the socket pair.
constexpr int kWorkerFd = 3;

Result<platform::TempDir> make_temporary() {
  auto temporary = KW_TRY(platform::TempDir::create("kw-worker"));
  std::error_code trouble;
  // Other users may enter but not list the folder: players run as other users, and each may read
  // one folder inside.
  std::filesystem::permissions(temporary.path(), std::filesystem::perms(0711), trouble);
  if (trouble)
    return platform::fail_errno("make this folder accessible to the processes that run candidates",
                                temporary.path(), trouble.value());
  return temporary;
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const WorkerChoice& choice) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return platform::fail_errno("make a socket pair to kw-worker", "", errno);
  WorkerProcess worker;
  worker.socket_.reset(pair[0]);
  const platform::Fd theirs(pair[1]);
  const platform::Path program =
      choice.program.empty() ? KW_TRY(platform::executable_dir()) / "kw-worker" : choice.program;
  platform::SpawnOptions spawn;
  // The variables from CUDA_VISIBLE_DEVICES on say which GPU the worker may use, and where its
  // driver, CUDA's libraries and tools are.
  for (const char* name : {"PATH", "KW_CXX", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
                           "KW_CUDA_DRIVER", "CUDA_PATH", "CUDA_HOME", "KW_CUDA_LIBRARIES",
                           "VIRTUAL_ENV", "CONDA_PREFIX", "KW_NCU", "KW_SANITIZER", "KW_NVML"})
    if (const auto entry = platform::env_of_ours(name)) spawn.env.push_back(*entry);
  if (!is_on(Defence::ExactEnvironment))
    if (const auto secret = platform::env_of_ours("KW_EXPLOIT_SECRET"))
      spawn.env.push_back(*secret);
  if (!defences_variable().empty()) spawn.env.emplace_back(defences_variable());
  worker.temporary_ = KW_TRY(make_temporary());
  spawn.env.push_back("TMPDIR=" + worker.temporary_->path().string());
  spawn.fds = {{theirs.get(), kWorkerFd}};
  spawn.out = is_on(Defence::SilentPlayers) ? platform::Output::Discard : platform::Output::Inherit;
  spawn.err = platform::Output::Inherit;
  std::vector<std::string> argv{program.string(), "--target", std::string(name_of(choice.target))};
  if (choice.jail) {
    argv.emplace_back("--jail");
    argv.emplace_back(name_of(*choice.jail));
  }
  if (!choice.client.empty()) {
    argv.emplace_back("--for");
    argv.push_back(choice.client);
  }
  worker.process_ = KW_TRY(platform::spawn(argv, spawn));
  return worker;
}

}  // namespace kw::evaluate

// The process that runs one compilation: it limits itself first, then calls the compiler.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <optional>

#include "player/lockdown.h"

namespace kw::compile {
namespace {

// Exit codes of the child, which the controller shows. A child that dies by a signal has no exit
// code.
constexpr int kBadJob = 2;
constexpr int kNoMemory = 3;
constexpr int kNotConfined = 4;
constexpr int kNoListener = 5;
constexpr int kFailed = 6;

constexpr std::uint64_t kTemporaryBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kHeaderFileBytes = std::uint64_t{1} << 30;

void set_limit(__rlimit_resource what, rlim_t soft, rlim_t hard) {
  rlimit now{};
  ::getrlimit(what, &now);
  const rlimit wanted{soft < now.rlim_max ? soft : now.rlim_max,
                      hard < now.rlim_max ? hard : now.rlim_max};
  if (::setrlimit(what, &wanted) != 0) ::_exit(kNotConfined);
}

/// Moves the descriptors of the answer and the job to 3 and 4, and closes all higher ones.
void keep_only(NvrtcChildFds fds) {
  const int job = ::fcntl(fds.job, F_DUPFD, 16);
  const int answer = fds.answer < 0 ? -1 : ::fcntl(fds.answer, F_DUPFD, 16);
  if (job < 0 || ::dup2(job, 4) < 0) ::_exit(kNotConfined);
  if (answer < 0) {
    ::close(3);
  } else if (::dup2(answer, 3) < 0) {
    ::_exit(kNotConfined);
  }
  if (::syscall(SYS_close_range, 5, ~0u, 0) != 0) ::_exit(kNotConfined);
}

void confine(const NvrtcPacket& packet, std::uint64_t file_bytes) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // An alarm ends the process (default action of SIGALRM) in case its parent died and cannot stop
  // it.
  ::alarm(static_cast<unsigned>(packet.wall_ns / 1'000'000'000) + 2);
  const rlim_t cpu = packet.cpu_seconds;
  if (cpu > 0) set_limit(RLIMIT_CPU, cpu, cpu + 1);
  if (packet.address_space_bytes > 0)
    set_limit(RLIMIT_AS, packet.address_space_bytes, packet.address_space_bytes);
  set_limit(RLIMIT_FSIZE, file_bytes, file_bytes);
  set_limit(RLIMIT_CORE, 0, 0);
  if (file_bytes == 0 && player::forbid_writing() != 0) ::_exit(kNotConfined);
  if (player::lock_down() != 0) ::_exit(kNotConfined);
}

NvrtcJob read_job(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0 || info.st_size < 0 ||
      static_cast<std::uint64_t>(info.st_size) > kNvrtcJobBytes)
    ::_exit(kBadJob);
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(kBadJob);
    at += static_cast<std::size_t>(n);
  }
  std::optional<NvrtcJob> job = decode_job(bytes);
  if (!job) ::_exit(kBadJob);
  return std::move(*job);
}

void send_answer(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(kNoListener);
    at += static_cast<std::size_t>(n);
  }
}

}  // namespace

void compile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet, NvrtcChildFds fds,
                      const std::string& header) {
  keep_only(fds);
  // NVRTC's front end needs a temporary file to read a precompiled header.
  confine(packet, packet.precompiled != 0 ? kTemporaryBytes : 0);
  try {
    const NvrtcJob job = read_job(4);
    std::vector<std::string> extra;
    if (!header.empty()) extra = {"--use-pch=" + header, "--pch-messages=false"};
    send_answer(3, encode(library.compile(job, extra)));
  } catch (const std::bad_alloc&) {
    ::_exit(kNoMemory);
  }
  ::_exit(0);
}

void precompile_and_exit(NvrtcLibrary& library, const NvrtcPacket& packet, int job_fd,
                         const std::string& header) {
  keep_only({.job = job_fd, .answer = -1});
  confine(packet, kHeaderFileBytes);
  try {
    NvrtcJob job = read_job(4);
    job.source.resize(job.prefix_bytes);
    job.names.clear();
    const NvrtcAnswer answer =
        library.compile(job, {"--create-pch=" + header, "--pch-messages=false"}, false);
    ::_exit(answer.result == 0 && ::access(header.c_str(), R_OK) == 0 ? 0 : kFailed);
  } catch (const std::bad_alloc&) {
    ::_exit(kNoMemory);
  }
}

}  // namespace kw::compile

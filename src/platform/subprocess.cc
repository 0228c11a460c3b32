// Child processes: started without copying our memory, watched by pidfds, killed as a session.
// SPDX-License-Identifier: Apache-2.0
#include "platform/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>

#include "platform/process_state.h"
#include "platform/vfork_exec.h"

namespace kw::platform {
namespace {

constexpr int kNoTimeout = -1;

int pidfd_open(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

int pidfd_send(int pidfd, int number) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0));
}

/// Whether the process still runs: a pidfd becomes readable when the last thread has ended.
bool is_alive(const Fd& pidfd) {
  pollfd p{pidfd.get(), POLLIN, 0};
  return ::poll(&p, 1, 0) == 0;
}

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("create a pipe", "", errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> open_null(int flags) {
  Fd fd(::open("/dev/null", flags | O_CLOEXEC));
  if (!fd) return fail_errno("open", "/dev/null", errno);
  return fd;
}

/// The descriptor that the child writes one output stream to; `stream` gets the end to read from.
Result<Fd> output_end(Output kind, Stream& stream, int ours) {
  if (kind == Output::Capture) {
    Pipe pipe = KW_TRY(make_pipe());
    stream.pipe = std::move(pipe.read);
    return std::move(pipe.write);
  }
  if (kind == Output::Discard) return open_null(O_WRONLY);
  Fd copy(::fcntl(ours, F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno("pass an output file to a child process", "", errno);
  return copy;
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  // const_cast: execve does not write through its arguments; its type only predates const.
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

std::int64_t nanoseconds(const timeval& t) {
  return std::int64_t{t.tv_sec} * 1'000'000'000 + std::int64_t{t.tv_usec} * 1'000;
}

/// Milliseconds for poll(), rounded up so that a wait never spins.
int poll_milliseconds(std::int64_t left_ns) {
  constexpr std::int64_t kMost = 60'000;
  return static_cast<int>(std::min((left_ns + 999'999) / 1'000'000, kMost));
}

}  // namespace

bool Stream::take(std::size_t cap) {
  std::array<char, 65536> buffer;
  while (pipe) {
    const ssize_t n = ::read(pipe.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {
      pipe.reset();
      break;
    }
    const std::size_t room = cap - std::min(cap, text.size());
    const std::size_t kept = std::min(room, static_cast<std::size_t>(n));
    text.append(buffer.data(), kept);
    if (kept < static_cast<std::size_t>(n)) {
      truncated = true;
      break;  // a flood of output must not keep us from the deadline
    }
  }
  return truncated;
}

Process::State::~State() {
  if (reaped || pid <= 0) return;
  kill_tree();
  reap();
}

void Process::State::kill_tree() {
  // Killing the payload of a namespace jail ends its whole pid namespace, and bubblewrap reports
  // that end; killing the session of `pid` covers everything else. Killing a group is atomic
  // against fork.
  if (payload_pidfd) pidfd_send(payload_pidfd.get(), SIGKILL);
  if (reaped) return;
  if (own_session) ::kill(-pid, SIGKILL);
  pidfd_send(pidfd.get(), SIGKILL);
}

void Process::State::reap() {
  siginfo_t info{};
  rusage usage{};
  long result = 0;
  // The leader stays a zombie while its group is killed: until it is reaped, no new process can get
  // the number of the group.
  do {
    result = ::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &info, WEXITED | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  if (own_session) ::kill(-pid, SIGKILL);
  do {
    result = ::syscall(SYS_waitid, P_PIDFD, pidfd.get(), &info, WEXITED, &usage);
  } while (result != 0 && errno == EINTR);
  reaped = true;
  if (result != 0) return;
  if (info.si_code == CLD_EXITED) {
    exit.code = info.si_status;
  } else {
    exit.signal = info.si_status;
  }
  exit.cpu_ns = std::max(exit.cpu_ns, nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime));
  exit.max_rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;
}

Process::Process(std::unique_ptr<State> state) : state_(std::move(state)) {}
Process::Process(Process&&) noexcept = default;
Process& Process::operator=(Process&&) noexcept = default;
Process::~Process() = default;

pid_t Process::pid() const { return state_->pid; }
int Process::pidfd() const { return state_->pidfd.get(); }
pid_t Process::payload_pid() const {
  return state_->payload_pidfd ? state_->payload_pid : state_->pid;
}
uid_t Process::uid() const { return state_->uid; }

Result<> Process::signal(int number) const {
  const int fd = state_->payload_pidfd ? state_->payload_pidfd.get() : state_->pidfd.get();
  if (pidfd_send(fd, number) != 0) return fail_errno("send a signal to a child process", "", errno);
  return {};
}

Result<std::int64_t> Process::cpu_ns() const {
  clockid_t clock{};
  timespec t{};
  if (const int error = ::clock_getcpuclockid(payload_pid(), &clock); error != 0) {
    return fail_errno("read the CPU time of a child process", "", error);
  }
  if (::clock_gettime(clock, &t) != 0)
    return fail_errno("read the CPU time of a child process", "", errno);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

bool Process::is_running() const { return !state_->reaped && is_alive(state_->pidfd); }

bool Process::is_payload_running() const {
  if (state_->reaped) return false;
  return is_alive(state_->payload_pidfd ? state_->payload_pidfd : state_->pidfd);
}

void Process::drain() {
  state_->out.take(state_->output_cap);
  state_->err.take(state_->output_cap);
}

void Process::kill_tree() { state_->kill_tree(); }

void Process::dismiss() {
  state_->kill_tree();
  state_->reaped = true;
}

Result<Exit> Process::wait(Nanoseconds timeout) {
  State& s = *state_;
  KW_ASSERT(!s.reaped);
  const Clock& clock = real_clock();
  const std::int64_t start = clock.now_ns();
  const bool endless = timeout == Nanoseconds::max();
  bool killed = false;
  for (;;) {
    const std::int64_t left = timeout.count() - (clock.now_ns() - start);
    if (!endless && left <= 0 && !killed && is_running()) {
      s.exit.timed_out = true;
      s.exit.cpu_ns = cpu_ns().value_or(0);
      s.kill_tree();
      killed = true;
    }
    // A pipe that was closed has descriptor -1, which poll ignores.
    std::array<pollfd, 3> fds{
        {{s.pidfd.get(), POLLIN, 0}, {s.out.pipe.get(), POLLIN, 0}, {s.err.pipe.get(), POLLIN, 0}}};
    const int most =
        endless || killed ? kNoTimeout : poll_milliseconds(std::max<std::int64_t>(left, 0));
    if (::poll(fds.data(), fds.size(), most) < 0 && errno != EINTR) {
      return fail_errno("wait for a child process", "", errno);
    }
    const bool out_full = s.out.take(s.output_cap);
    const bool err_full = s.err.take(s.output_cap);
    if (s.kill_past_cap && (out_full || err_full) && !killed) {
      s.kill_tree();
      killed = true;
    }
    if ((fds[0].revents & POLLIN) != 0) break;
  }
  s.reap();
  // What the tree printed before it ended is in the pipes; processes that still hold them open are
  // not waited for.
  drain();
  s.finish();
  s.exit.out = std::move(s.out.text);
  s.exit.err = std::move(s.err.text);
  s.exit.output_truncated = s.out.truncated || s.err.truncated;
  return std::move(s.exit);
}

Result<Process> spawn(const std::vector<std::string>& argv, const SpawnOptions& options) {
  KW_ASSERT(!argv.empty());
  const Path program = KW_TRY(find_program(argv[0]));
  auto state = std::make_unique<Process::State>();
  const Fd in = options.stdin_data ? KW_TRY(memfd_with("stdin", *options.stdin_data))
                                   : KW_TRY(open_null(O_RDONLY));
  const Fd out = KW_TRY(output_end(options.out, state->out, STDOUT_FILENO));
  const Fd err = KW_TRY(output_end(options.err, state->err, STDERR_FILENO));

  std::vector<FdMap> fds{{in.get(), 0}, {out.get(), 1}, {err.get(), 2}};
  fds.insert(fds.end(), options.fds.begin(), options.fds.end());
  std::sort(fds.begin(), fds.end(), [](FdMap a, FdMap b) { return a.target < b.target; });
  for (std::size_t i = 1; i < fds.size(); ++i) KW_ASSERT(fds[i - 1].target < fds[i].target);

  const std::vector<char*> arguments = pointers_to(argv);
  const std::vector<char*> environment = pointers_to(options.env);
  const std::string cwd = options.cwd.string();
  const ExecRequest request{.program = program.c_str(),
                            .argv = arguments.data(),
                            .env = environment.data(),
                            .cwd = cwd.empty() ? nullptr : cwd.c_str(),
                            .fds = fds,
                            .limits = options.limits,
                            .new_session = options.new_session,
                            .die_with_parent = options.die_with_parent};
  const ExecOutcome started = vfork_exec(request);
  if (started.error != 0) {
    return fail_errno(started.stage, started.stage == kStageCwd ? options.cwd : program,
                      started.error);
  }
  state->pid = started.pid;
  state->own_session = options.new_session;
  state->output_cap = options.output_cap;
  state->kill_past_cap = options.kill_past_cap;
  // Nobody else reaps our children, so the pid still names this child.
  state->pidfd.reset(pidfd_open(started.pid));
  if (!state->pidfd) {
    const int error = errno;
    ::kill(started.pid, SIGKILL);
    ::waitpid(started.pid, nullptr, 0);
    state->pid = 0;
    return fail_errno("watch the child process that runs", program, error);
  }
  return Process(std::move(state));
}

Result<Exit> run(const std::vector<std::string>& argv, const SpawnOptions& options,
                 Nanoseconds timeout) {
  Process process = KW_TRY(spawn(argv, options));
  return process.wait(timeout);
}

std::string describe(const Exit& exit) {
  if (exit.timed_out) return "timed out";
  if (exit.signal == 0) return "exit code " + std::to_string(exit.code);
  const char* name = ::sigdescr_np(exit.signal);
  return "signal " + std::to_string(exit.signal) + " (" + (name != nullptr ? name : "unknown") +
         ")";
}

std::optional<std::string> env_of_ours(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return name + "=" + value;
}

}  // namespace kw::platform

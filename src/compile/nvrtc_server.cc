// One running kw-nvrtc, and the exchange of messages about one job.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <future>
#include <thread>

#include "base/text.h"
#include "platform/locks.h"
#include "player/transport.h"

namespace kw::compile {

using platform::Fd;
using platform::Path;
using Clock = std::chrono::steady_clock;

namespace {

/// Longest wait for the greeting of kw-nvrtc in milliseconds. It takes 0.3 s with warm caches: 110
/// MB are loaded from disk, and a first source is compiled.
constexpr int kGreetingMs = 60'000;
/// Longest wait in nanoseconds after the child's time limit for the report of its end, for an
/// overloaded machine.
constexpr std::int64_t kNewsNs = 20'000'000'000;
/// Longest wait in nanoseconds for a precompiled header, which takes 4 s and is made once; kw-nvrtc
/// itself stops after 120 s.
constexpr std::int64_t kPrecompileNs = 125'000'000'000;
/// Most bytes in the folder of precompiled headers. Each header of CuTe takes 300 MB, and each
/// compilation that uses one needs as much again for a while.
constexpr std::uint64_t kFolderBytes = std::uint64_t{16} << 30;
/// Most processes in the jail: kMostChildren of kw-nvrtc, plus a few others.
constexpr int kMostProcesses = 140;

Result<std::pair<Fd, Fd>> socket_pair(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return platform::fail_errno("create a socket pair to kw-nvrtc", "", errno);
  return std::pair<Fd, Fd>(Fd(ends[0]), Fd(ends[1]));
}

bool wait_readable(int fd, int timeout_ms) {
  pollfd ready{fd, POLLIN, 0};
  int n = 0;
  do {
    n = ::poll(&ready, 1, timeout_ms);
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

std::vector<int> numbers_in(std::string_view words) {
  std::vector<int> numbers;
  for (const std::string_view word : split(words, ' ')) {
    int value = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc())
      numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

/// One process of kw-nvrtc. A thread of its own starts the process and stays alive, since the
/// process is killed when the thread that started it ends.
class NvrtcServer::Life {
 public:
  static Result<std::shared_ptr<Life>> begin(const NvrtcServerSettings& settings);
  ~Life();

  NvrtcVersion version;
  /// Sends one packet; false if kw-nvrtc is gone.
  bool send(const NvrtcPacket& packet, std::span<const int> fds);
  pid_t pid() const { return process_ ? process_->payload_pid() : 0; }

 private:
  Result<> launch(const NvrtcServerSettings& settings, Fd theirs);
  Result<> read_greeting();

  std::optional<platform::TempDir> folder_;
  std::optional<platform::Process> process_;
  Fd control_;
  std::promise<Result<>> started_;
  std::promise<void> enough_;
  std::thread keeper_;
};

Result<std::shared_ptr<NvrtcServer::Life>> NvrtcServer::Life::begin(
    const NvrtcServerSettings& settings) {
  auto life = std::make_shared<Life>();
  auto [ours, theirs] = KW_TRY(socket_pair(SOCK_SEQPACKET));
  life->control_ = std::move(ours);
  if (settings.jail != JailLevel::Namespace)
    life->folder_ = KW_TRY(platform::TempDir::create("kw-nvrtc"));
  life->keeper_ = std::thread([&settings, self = life.get(), fd = theirs.release(),
                               end = life->enough_.get_future()]() mutable {
    self->started_.set_value(self->launch(settings, Fd(fd)));
    end.wait();
  });
  KW_TRY(life->started_.get_future().get());
  KW_TRY(life->read_greeting());
  return life;
}

NvrtcServer::Life::~Life() {
  control_.reset();
  if (process_) {
    process_->kill_tree();
    (void)process_->wait(platform::kForever);
  }
  enough_.set_value();
  if (keeper_.joinable()) keeper_.join();
}

Result<> NvrtcServer::Life::launch(const NvrtcServerSettings& settings, Fd theirs) {
  Path program = settings.program;
  if (program.empty()) program = KW_TRY(platform::executable_dir()) / "kw-nvrtc";
  if (!std::filesystem::exists(program))
    return fail(
        ErrorCode::MissingProgram, About{"kw-nvrtc"},
        "kw-nvrtc is missing; it belongs into the folder of kw; build again, or unpack the release "
        "file again",
        program.string(), Advice::Stop);
  platform::JailSpec jail;
  jail.level = settings.jail;
  jail.readable = settings.readable;
  jail.readable.push_back(settings.library.parent_path());
  if (folder_) jail.writable = {folder_->path()};
  jail.allow_new_processes = true;
  jail.max_processes = kMostProcesses;
  jail.file_bytes = std::uint64_t{1} << 30;
  jail.tmp_bytes = kFolderBytes;
  jail.fds = {{theirs.get(), kNvrtcControlFd}};
  jail.out = platform::Output::Discard;
  jail.err = platform::Output::Discard;
  const std::string folder = folder_ ? folder_->path().string() : "/tmp";
  jail.env = {"LC_ALL=C", "TMPDIR=" + folder};
  process_ = KW_TRY(platform::launch(
      jail, {program.string(), settings.library.string(), settings.builtins.string(), folder}));
  return {};
}

Result<> NvrtcServer::Life::read_greeting() {
  std::array<std::byte, sizeof(NvrtcGreeting) + 1> bytes;
  if (!wait_readable(control_.get(), kGreetingMs))
    return fail(ErrorCode::TimedOut,
                "kw-nvrtc, which compiles device code, did not answer after its start", "",
                Advice::Retry);
  const player::Received got = player::receive_packet(control_.get(), bytes, {}, /*wait=*/true);
  if (got.error != 0 || got.bytes == 0)
    return fail(ErrorCode::Ended, About{"start"}, "kw-nvrtc ended before it had loaded NVRTC", "",
                Advice::Retry);
  const auto greeting = decode_greeting(std::span(bytes).first(got.bytes));
  if (!greeting)
    return fail(
        ErrorCode::OtherBuild, About{"kw-nvrtc"},
        "kw-nvrtc and kw are of different builds: rebuild both, or unpack the release file again",
        "", Advice::Stop);
  if (greeting->major == 0)
    return fail(ErrorCode::MissingProgram, About{"nvrtc does not load"},
                "NVRTC cannot be used: " + sanitise(greeting->words(), 600), "", Advice::Stop);
  version.major = greeting->major;
  version.minor = greeting->minor;
  version.has_pch = greeting->has_pch != 0;
  version.architectures = numbers_in(greeting->words());
  return {};
}

bool NvrtcServer::Life::send(const NvrtcPacket& packet, std::span<const int> fds) {
  return player::send_packet(control_.get(), std::as_bytes(std::span(&packet, 1)), fds,
                             /*wait=*/true) == 0;
}

NvrtcServer::NvrtcServer(NvrtcServerSettings settings) : settings_(std::move(settings)) {}
NvrtcServer::~NvrtcServer() = default;

Result<std::shared_ptr<NvrtcServer::Life>> NvrtcServer::life() {
  const std::lock_guard hold(mutex_);
  if (!life_) {
    auto begun = Life::begin(settings_);
    if (!begun) {
      Error error = std::move(begun).error();
      if (error.where.empty()) error.where = settings_.library.string();
      return std::unexpected(std::move(error));
    }
    life_ = std::move(*begun);
  }
  return life_;
}

void NvrtcServer::bury(const std::shared_ptr<Life>& dead) {
  const std::lock_guard hold(mutex_);
  if (life_ == dead) life_.reset();
}

Result<NvrtcVersion> NvrtcServer::version() { return KW_TRY(life())->version; }

pid_t NvrtcServer::pid() {
  const std::lock_guard hold(mutex_);
  return life_ ? life_->pid() : 0;
}

namespace {

/// Reads until the child's answer and the report of its end have both come. Returns nothing if
/// kw-nvrtc is gone or silent.
std::optional<NvrtcOutcome> listen(const Fd& answer, const Fd& fate, std::size_t most,
                                   std::size_t names, std::int64_t patience_ns) {
  NvrtcOutcome outcome;
  std::string bytes;
  bool is_open = true, is_known = false;
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(patience_ns);
  while (is_open || !is_known) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    std::array<pollfd, 2> ready{
        {{is_open ? answer.get() : -1, POLLIN, 0}, {is_known ? -1 : fate.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), static_cast<int>(std::min<std::int64_t>(left, 1000))) <
            0 &&
        errno != EINTR)
      return std::nullopt;
    if (ready[0].revents != 0) {
      // The buffer is aligned because lld 14 may place less aligned thread-local data in an
      // unmapped page, and the program would not load.
      alignas(64) static thread_local std::array<char, std::size_t{1} << 16> part;
      const ssize_t n = ::read(answer.get(), part.data(), part.size());
      if (n == 0 || (n < 0 && errno != EINTR)) is_open = false;
      if (n > 0 && bytes.size() + static_cast<std::size_t>(n) > most) {
        outcome.was_flooded = true;  // keep reading, so that the child can end
        bytes.clear();
      }
      if (n > 0 && !outcome.was_flooded) bytes.append(part.data(), static_cast<std::size_t>(n));
    }
    if (ready[1].revents != 0) {
      std::array<std::byte, sizeof(NvrtcFate) + 1> news;
      const player::Received got = player::receive_packet(fate.get(), news, {}, /*wait=*/true);
      const auto decoded = decode_fate(std::span(news).first(got.bytes));
      if (got.error != 0 || !decoded) return std::nullopt;
      outcome.fate = *decoded;
      is_known = true;
    }
  }
  if (!outcome.was_flooded) outcome.answer = decode_answer(bytes, names);
  return outcome;
}

}  // namespace

Result<NvrtcOutcome> NvrtcServer::run(const NvrtcJob& job, NvrtcPacket limits) {
  const std::string encoded = encode(job);
  if (encoded.size() > kNvrtcJobBytes)
    return fail(
        ErrorCode::TooLarge, About{"source"},
        "the source with its headers is too large for kw-nvrtc, which compiles device code");
  // Bound on the bytes of the answer: text, log, object, and one symbol per name, each with its
  // length before it.
  const std::size_t most = job.log_bytes + job.object_bytes + job.names.size() * 8192 + 4096;
  std::int64_t patience = static_cast<std::int64_t>(limits.wall_ns) + kNewsNs;
  if (limits.precompiled != 0) patience += kPrecompileNs;
  for (int tries = 0; tries < 2; ++tries) {
    const std::shared_ptr<Life> life = KW_TRY(this->life());
    const Fd memory = KW_TRY(platform::memfd_with("kw-nvrtc-job", encoded));
    auto [answer, their_answer] = KW_TRY(socket_pair(SOCK_STREAM));
    auto [fate, their_fate] = KW_TRY(socket_pair(SOCK_SEQPACKET));
    const std::array<int, 3> fds{memory.get(), their_answer.get(), their_fate.get()};
    const bool was_sent = life->send(limits, fds);
    their_answer.reset();
    their_fate.reset();
    if (was_sent)
      if (auto outcome = listen(answer, fate, most, job.names.size(), patience))
        return std::move(*outcome);
    bury(life);
  }
  return fail(ErrorCode::Ended, About{"compile"}, "kw-nvrtc ended twice while it compiled",
              settings_.library.string(), Advice::Retry);
}

}  // namespace kw::compile

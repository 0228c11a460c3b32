// Runs programs on a pseudo-terminal.
// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace kw::program {
namespace {

constexpr std::string_view kRewrite = "\r\033[K";

std::vector<char*> pointers(Words& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Terminal::Terminal(const Workspace& w, const Words& arguments, int columns, const Words& env) {
  Words words{w.program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const platform::SpawnOptions options = w.options(env);
  Words environment = options.env;
  const auto argv = pointers(words);
  const auto envp = pointers(environment);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  int master = -1;
  pid_ = ::forkpty(&master, nullptr, nullptr, &size);
  if (pid_ == 0) {
    if (::chdir(options.cwd.c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  EXPECT_GT(pid_, 0) << "no pseudo-terminal";
  master_ = platform::Fd(master);
}

Terminal::~Terminal() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Terminal::type_interrupt() const {
  const char key = '\x03';
  EXPECT_EQ(::write(master_.get(), &key, 1), 1);
}

bool Terminal::read_more(std::chrono::milliseconds patience) {
  pollfd watched{master_.get(), POLLIN, 0};
  if (::poll(&watched, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 4096> buffer;
  // read() fails on a terminal whose last program has closed it.
  const ssize_t got = ::read(master_.get(), buffer.data(), buffer.size());
  if (got > 0) seen_.append(buffer.data(), static_cast<std::size_t>(got));
  is_over_ = got <= 0;
  return got > 0;
}

bool Terminal::ends_within(std::chrono::milliseconds span) {
  const auto until = std::chrono::steady_clock::now() + span;
  while (!is_over_ && std::chrono::steady_clock::now() < until) read_more(span);
  return is_over_;
}

bool Terminal::wait_for(const std::string& text) {
  while (seen_.find(text) == std::string::npos)
    if (!read_more()) return false;
  return true;
}

Ran Terminal::end() {
  while (read_more()) {
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
  pid_ = -1;
  Ran ran;
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  ran.out = seen_;
  return ran;
}

Words passing_lines(const std::string& written) {
  Words lines;
  std::size_t start = written.find(kRewrite);
  while (start != std::string::npos) {
    start += kRewrite.size();
    const std::size_t next = written.find(kRewrite, start);
    const std::string piece = written.substr(start, next - start);
    if (!piece.empty() && piece.find('\n') == std::string::npos) lines.push_back(piece);
    start = next;
  }
  return lines;
}

}  // namespace kw::program

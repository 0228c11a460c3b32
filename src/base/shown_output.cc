// Replaces stdout and stderr by custom streams of glibc that filter what is written.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/foreign_text.h"
#include "base/terminal_text.h"

namespace kw {
namespace {

/// Returns the errno of a failed write, else 0. Waits for a full pipe, even where its other end
/// made the pipe non-blocking.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
      if (::poll(&room, 1, -1) < 0 && errno != EINTR) return errno;
      continue;
    }
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

struct Filter {
  int descriptor;
  ShownStream stream = {};
  bool is_terminal = false;
  bool is_ascii = false;
  int trouble = 0;  ///< errno of the first write that failed.
};

/// The status line at the bottom of the terminal. Both descriptors share one, since where both are
/// terminals they are the same.
class Status {
 public:
  void show(const OwnLine& line) {
    const std::lock_guard guard(mutex_);
    if (line.bytes == line_.bytes && is_drawn_) return;
    std::string bytes = erasing();
    line_ = line;
    bytes += drawing();
    (void)write_all(STDERR_FILENO, bytes);
  }

  /// Writes printed text above the status line. Returns the errno of a failed write, else 0.
  int print(int descriptor, bool is_terminal, std::string_view text) {
    const std::lock_guard guard(mutex_);
    if (!is_terminal) return write_all(descriptor, text);
    (void)write_all(STDERR_FILENO, erasing());
    const int trouble = write_all(descriptor, text);
    if (!text.empty()) is_at_start_ = text.back() == '\n';
    (void)write_all(STDERR_FILENO, drawing());
    return trouble;
  }

 private:
  std::string drawing() {
    is_drawn_ = !line_.bytes.empty() && is_at_start_;
    return is_drawn_ ? line_.bytes : std::string();
  }

  /// Sequence that goes back to where the status line begins. A terminal that was made narrower
  /// since has broken the line into several.
  std::string erasing() {
    if (!is_drawn_) return {};
    is_drawn_ = false;
    winsize size{};
    const bool is_told = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const std::size_t rows =
        is_told && line_.columns > 0 ? (line_.columns - 1) / size.ws_col + 1 : 1;
    if (rows <= 1) return "\r\033[K";
    return "\r\033[" + std::to_string(rows - 1) + "A\033[J";
  }

  std::mutex mutex_;
  OwnLine line_;
  bool is_drawn_ = false;
  bool is_at_start_ = true;  ///< Whether the cursor is at the start of a terminal's line.
};

Status& status() {
  static Status* const one = new Status;  // never destroyed: printing goes on until the very end
  return *one;
}

void write_to(Filter& filter, std::string shown) {
  if (filter.is_ascii) shown = in_ascii(shown);
  if (filter.trouble == 0)
    filter.trouble = status().print(filter.descriptor, filter.is_terminal, shown);
}

// A failure is kept for finish_output() instead of being reported to stdio: fmt::print() would
// throw, and a search must go on when its output cannot be written.
ssize_t write_filtered(void* cookie, const char* bytes, std::size_t count) {
  auto& filter = *static_cast<Filter*>(cookie);
  write_to(filter, filter.stream.show({bytes, count}));
  return static_cast<ssize_t>(count);
}

std::FILE* open_filter(Filter& filter, int buffering) {
  std::FILE* file = ::fopencookie(&filter, "w", {nullptr, write_filtered, nullptr, nullptr});
  if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

// The filters live as long as the process.
Filter* out = nullptr;
Filter* err = nullptr;

void finish() {
  show_status({});
  for (auto [file, filter] : {std::pair(stdout, out), std::pair(stderr, err)}) {
    std::fflush(file);
    write_to(*filter, filter->stream.rest());
  }
}

}  // namespace

Result<> finish_output() {
  if (out == nullptr) return {};
  finish();
  if (out->trouble == 0) return {};
  return fail(out->trouble == ENOSPC || out->trouble == EDQUOT ? ErrorCode::NoSpace : ErrorCode::Io,
              std::string("cannot write: ") + std::strerror(out->trouble), "standard output",
              Advice::Stop);
}

void show_output_safely() {
  if (out != nullptr) return;
  static Filter filters[2] = {{STDOUT_FILENO}, {STDERR_FILENO}};
  for (Filter& filter : filters) {
    filter.is_terminal = ::isatty(filter.descriptor) != 0;
    filter.is_ascii = filter.is_terminal && !is_utf8_locale();
  }
  std::fflush(stdout);
  std::FILE* shown_out = open_filter(filters[0], filters[0].is_terminal ? _IOLBF : _IOFBF);
  std::FILE* shown_err = open_filter(filters[1], _IONBF);
  if (shown_out == nullptr || shown_err == nullptr) std::abort();  // no memory at the very start
  out = &filters[0];
  err = &filters[1];
  stdout = shown_out;
  stderr = shown_err;
  std::atexit(finish);
}

void keep_output_as_utf8() {
  if (out != nullptr) out->is_ascii = false;
}

void show_status(const OwnLine& line) {
  if (err != nullptr && err->is_terminal) status().show(line);
}

void print_own(const OwnLine& line) {
  std::fflush(stdout);
  (void)status().print(STDERR_FILENO, err != nullptr && err->is_terminal, line.bytes + "\n");
}

}  // namespace kw

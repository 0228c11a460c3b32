// stdout and stderr as streams of glibc's that filter what they are given.
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/foreign_text.h"

namespace kw {
namespace {

struct Filter {
  int descriptor;
  ShownStream stream = {};
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

ssize_t write_filtered(void* cookie, const char* bytes, std::size_t count) {
  auto& filter = *static_cast<Filter*>(cookie);
  const std::string shown = filter.stream.show({bytes, count});
  return write_all(filter.descriptor, shown) ? static_cast<ssize_t>(count) : 0;
}

std::FILE* open_filter(Filter& filter, int buffering) {
  std::FILE* file = ::fopencookie(&filter, "w", {nullptr, write_filtered, nullptr, nullptr});
  if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

// For the life of the process.
Filter* out = nullptr;
Filter* err = nullptr;

void finish() {
  for (auto [file, filter] : {std::pair(stdout, out), std::pair(stderr, err)}) {
    std::fflush(file);
    (void)write_all(filter->descriptor, filter->stream.rest());
  }
}

}  // namespace

void show_output_safely() {
  if (out != nullptr) return;
  static Filter filters[2] = {{STDOUT_FILENO}, {STDERR_FILENO}};
  std::fflush(stdout);
  std::FILE* shown_out = open_filter(filters[0], ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  std::FILE* shown_err = open_filter(filters[1], _IONBF);
  if (shown_out == nullptr || shown_err == nullptr) std::abort();  // no memory at the very start
  out = &filters[0];
  err = &filters[1];
  stdout = shown_out;
  stderr = shown_err;
  std::atexit(finish);
}

void write_to_terminal(std::string_view sequence) {
  std::fflush(stderr);
  (void)write_all(STDERR_FILENO, sequence);
}

}  // namespace kw

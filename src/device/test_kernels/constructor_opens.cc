// A kernel that tries, in a static constructor, to read a file and to make code; arguments (n, x,
// y).
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

static int opened;
static int error_of_open;
static bool made_code;

__attribute__((constructor)) static void look() {
  opened = ::open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
  error_of_open = errno;
  made_code = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0) != MAP_FAILED;
}

// Sets y[0] = 1 if a file was opened, y[1] = the errno if not, y[2] = 1 if code could be made.
extern "C" void kw_entry(void* const* args) {
  float* y = *static_cast<float* const*>(args[2]);
  y[0] = opened >= 0 ? 1 : 0;
  y[1] = static_cast<float>(error_of_open);
  y[2] = made_code ? 1 : 0;
}

// A kernel that can misbehave in every way, chosen by the first argument; arguments (mode, x, y).
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "trouble_modes.h"

extern char** environ;

namespace {

int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return recurse(depth + 1) + frame[0];
}

void forge(unsigned count) {
  char message[640];
  std::memset(message, 0, sizeof message);
  iovec part{message, sizeof message};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  for (unsigned i = 0; i < count; ++i) ::sendmsg(3, &header, MSG_DONTWAIT);
}

// Works until a time by the clock that needs no system call, since other clocks are denied.
void work_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

bool can_make_code() {
  constexpr int private_memory = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, private_memory, -1, 0);
  return ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, private_memory, -1, 0) !=
             MAP_FAILED ||
         ::mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

/// Whether the object's own file can be mapped as code, including its data behind the code.
bool can_make_code_of_data() {
  struct Code {
    off_t offset = 0;
    std::size_t bytes = 0;
  } code;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        const auto here = reinterpret_cast<std::uintptr_t>(&can_make_code);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& h = info->dlpi_phdr[i];
          if (h.p_type == PT_LOAD && here - info->dlpi_addr - h.p_vaddr < h.p_memsz)
            *static_cast<Code*>(into) = {static_cast<off_t>(h.p_offset), h.p_filesz};
        }
        return 0;
      },
      &code);
  const auto can_map = [&](std::size_t bytes) {
    for (int file = 3; file < 1024; ++file)
      if (::mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, code.offset) !=
          MAP_FAILED)
        return true;
    return false;
  };
  // If even the code alone cannot be mapped, the test would show nothing, so it counts as a
  // success.
  return !can_map(code.bytes) || can_map(code.bytes + 4096);
}

bool can_have_pages_filled() {
  constexpr int private_memory = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, private_memory, -1, 0);
  return ::mmap(nullptr, 4096, PROT_READ, private_memory | MAP_POPULATE, -1, 0) != MAP_FAILED ||
         ::madvise(page, 4096, MADV_POPULATE_WRITE) == 0 || ::madvise(page, 4096, MADV_FREE) == 0;
}

constexpr long kThreadFlags =
    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;

}  // namespace

// Results of a mode go to y[0].
extern "C" void kw_entry(void* const* args) {
  const int mode = *static_cast<const int*>(args[0]);
  auto* x = *static_cast<char* const*>(args[1]);
  auto* y = *static_cast<float* const*>(args[2]);
  auto* bytes = reinterpret_cast<char*>(y);
  constexpr long far = 4L << 20;
  y[0] = 1;
  switch (mode) {
    case kSegfault:
      *reinterpret_cast<volatile int*>(8) = 1;
      break;
    case kAbort:
      std::abort();
    case kDivide: {
      volatile int zero = 0;
      y[0] = static_cast<float>(7 / zero);
      break;
    }
    case kHang:
      for (volatile bool on = true; on;) {
      }
    case kExitZero:
      std::exit(0);
    case kByteBefore:
      bytes[-1] = static_cast<char>(bytes[-1] + 1);
      break;
    case kByteAfter:
      bytes[40] = static_cast<char>(bytes[40] + 1);  // the test's y has 40 bytes
      break;
    case kFarBefore:
      bytes[-far] = 1;
      break;
    case kFarAfter:
      bytes[far] = 1;
      break;
    case kFork:
      y[0] = ::fork() < 0 ? 0 : 1;
      break;
    case kWork:
      work_for(std::chrono::milliseconds(3));
      break;
    case kSpinAfterReturn:
      std::thread([] {
        for (volatile bool on = true; on;) {
        }
      }).detach();
      break;
    case kRound:
      y[0] = static_cast<float>(std::fegetround() == FE_TONEAREST);
      std::fesetround(FE_UPWARD);
      break;
    case kFlood:
      for (int i = 0; i < 200000; ++i) std::puts("all work and no play");
      break;
    case kCloseAll:
      for (int fd = 0; fd < 64; ++fd) ::close(fd);
      break;
    case kForge:
      forge(1);
      for (volatile bool on = true; on;) {
      }
    case kForgeAhead:
      std::thread([] {
        work_for(std::chrono::milliseconds(20));
        forge(1);
      }).detach();
      break;
    case kKillParent:
      y[0] =
          static_cast<float>(::kill(::getppid(), SIGKILL) != 0 && ::kill(-1, SIGKILL) != 0 ? 0 : 1);
      break;
    case kEnvironment: {
      int count = 0;
      for (char** e = environ; *e != nullptr; ++e) {
        ++count;
        if (std::strncmp(*e, "KW_TEST_SECRET=", 15) == 0) count += 1000;
      }
      y[0] = static_cast<float>(count);
      break;
    }
    case kThrow:
      throw 7;
    case kAllocate: {
      std::vector<char*> all;
      for (;;) {
        auto* p = new char[64 << 20];
        for (long i = 0; i < (64 << 20); i += 4096) p[i] = 1;
        all.push_back(p);
      }
    }
    case kWriteInput:
      x[0] = 1;
      break;
    case kSocket:
      y[0] = static_cast<float>(::socket(AF_INET, SOCK_STREAM, 0) < 0 ? 0 : 1);
      break;
    case kExec: {
      char* const none[] = {nullptr};
      ::execve("/bin/true", none, none);
      y[0] = 0;
      break;
    }
    case kWriteFile:
      y[0] = static_cast<float>(::open("/usr/kw-was-here", O_CREAT | O_WRONLY, 0600) < 0 ? 0 : 1);
      break;
    case kOverflowStack:
      y[0] = static_cast<float>(recurse(0));
      break;
    case kDieSoon:
      // The answer to the call must leave first, on a loaded machine as well.
      std::thread([] {
        work_for(std::chrono::milliseconds(200));
        ::_exit(0);
      }).detach();
      break;
    case kReadLibrary:
      y[0] = static_cast<float>(
          ::open("/lib64/ld-linux-x86-64.so.2", O_RDONLY | O_CLOEXEC) < 0 && errno == EMFILE ? 0
                                                                                             : 1);
      break;
    case kMakeCode:
      y[0] = static_cast<float>(can_make_code() || can_make_code_of_data());
      break;
    case kFillPages:
      y[0] = static_cast<float>(can_have_pages_filled());
      break;
    case kThreadUnlikeOthers:
      // Starts a child for whose end the calling thread waits where no signal can stop the thread.
      y[0] = static_cast<float>(
          ::syscall(SYS_clone, kThreadFlags | CLONE_VFORK, nullptr, nullptr, nullptr, 0) >= 0);
      break;
    case kRememberInPolicy:
      y[0] = static_cast<float>(
          ::syscall(SYS_mbind, reinterpret_cast<long>(x) & ~4095L, 4096, 1, nullptr, 0, 0) == 0 ||
          ::syscall(SYS_set_mempolicy, 0, nullptr, 0) == 0);
      break;
    default:
      break;
  }
}

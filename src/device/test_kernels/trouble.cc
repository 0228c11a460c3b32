// Every way to misbehave, chosen by the first argument; arguments (mode, x, y).
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
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
  for (unsigned i = 0; i < count; ++i) ::send(3, message, sizeof message, MSG_DONTWAIT);
}

}  // namespace

// What a candidate found out goes to y[0].
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
      for (const std::clock_t end = std::clock() + 3 * CLOCKS_PER_SEC / 1000; std::clock() < end;) {
      }
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
      ::pause();
      break;
    case kForgeAhead:
      std::thread([] {
        ::usleep(2000);
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
    case kDieSoon: {
      const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 20000}};
      ::setitimer(ITIMER_REAL, &soon, nullptr);
      break;
    }
    default:
      break;
  }
}

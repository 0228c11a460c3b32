// kw-worker: judges evaluations that come as frames on descriptor 3.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string_view>

#include "worker/worker.h"

int main(int argc, char** argv) {
  constexpr int kFrames = 3;
  if (argc > 1 || ::fcntl(kFrames, F_GETFD) < 0) {
    std::fprintf(stderr, "%s judges for kw, which starts it with a socket as descriptor 3.\n",
                 argv[0]);
    return 2;
  }
  // Ctrl-C is for the controller: it lets the evaluation in flight end and closes the pipe.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  // A core of a worker would hold truths and seeds, and no other process may read them.
  ::prctl(PR_SET_DUMPABLE, 0);
  auto worker = kw::worker::Worker::open();
  if (!worker) {
    std::fprintf(stderr, "kw-worker: %s\n", kw::describe(worker.error()).c_str());
    return 3;
  }
  return kw::worker::serve(**worker, kFrames);
}

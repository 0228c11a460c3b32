// kw-worker --target T: judges evaluations that come as frames on descriptor 3.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>

#include "worker/worker.h"

namespace {

/// Nothing where the command line is not understood.
std::optional<kw::Target> target_of(int argc, char** argv) {
  if (argc == 1) return kw::Target::Cpu;
  if (argc == 3 && std::string_view(argv[1]) == "--target")
    return kw::enum_from<kw::Target>(argv[2]);
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kFrames = 3;
  const auto target = target_of(argc, argv);
  if (!target || ::fcntl(kFrames, F_GETFD) < 0) {
    std::fprintf(stderr,
                 "%s [--target cpu|cuda] judges for kw, which starts it with a socket as "
                 "descriptor 3.\n",
                 argv[0]);
    return 2;
  }
  // Ctrl-C is for the controller: it lets the evaluation in flight end and closes the pipe.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  // A core of a worker would hold truths and seeds, and no other process may read them.
  ::prctl(PR_SET_DUMPABLE, 0);
  auto worker = kw::worker::Worker::open(*target);
  if (!worker) return kw::worker::refuse(worker.error(), kFrames);
  return kw::worker::serve(**worker, kFrames);
}

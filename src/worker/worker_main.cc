// kw-worker --target T: judges evaluations that come as frames on descriptor 3.
// kw-worker --bundle F --out R: judges those of a file.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>

#include "worker/bundle.h"
#include "worker/worker.h"

namespace {

struct Files {
  std::string_view bundle;
  std::string_view out;
};

/// Nothing where the command line asks for something else.
std::optional<Files> files_of(int argc, char** argv) {
  Files files;
  if (argc != 5) return std::nullopt;
  for (int i = 1; i < argc; i += 2) {
    if (std::string_view(argv[i]) == "--bundle") files.bundle = argv[i + 1];
    if (std::string_view(argv[i]) == "--out") files.out = argv[i + 1];
  }
  if (files.bundle.empty() || files.out.empty()) return std::nullopt;
  return files;
}

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
  if (const auto files = files_of(argc, argv)) {
    ::prctl(PR_SET_DUMPABLE, 0);
    return kw::worker::judge_bundle(files->bundle, files->out);
  }
  const auto target = target_of(argc, argv);
  if (!target || ::fcntl(kFrames, F_GETFD) < 0) {
    std::fprintf(stderr,
                 "%s [--target cpu|cuda] judges for kw, which starts it with a socket as "
                 "descriptor 3.\n%s --bundle FILE --out RESULTS judges what kw optimize --carrier "
                 "bundle wrote.\n",
                 argv[0], argv[0]);
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

// kw-worker --target T [--jail L] [--for WHO]: judges evaluations that come as frames on descriptor
// 3. kw-worker --bundle F --out R: judges the evaluations in a file.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/shown_output.h"
#include "worker/bundle.h"
#include "worker/worker.h"

namespace {

struct Files {
  std::string_view bundle;
  std::string_view out;
};

/// The files of --bundle and --out; nothing for another command line.
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

struct Service {
  kw::Target target = kw::kDefaultTarget;
  std::optional<kw::JailLevel> jail;  ///< Jail level that requests will name, if known.
  std::string client = "another kw";  ///< Name shown to others that wait for the device.
};

/// The options of a service; nothing if the command line is not understood.
std::optional<Service> service_of(int argc, char** argv) {
  Service service;
  if (argc % 2 == 0) return std::nullopt;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const auto target = kw::enum_from<kw::Target>(argv[i + 1]);
    const auto jail = kw::enum_from<kw::JailLevel>(argv[i + 1]);
    if (name == "--target" && target)
      service.target = *target;
    else if (name == "--jail" && jail)
      service.jail = jail;
    else if (name == "--for")
      service.client = argv[i + 1];
    else
      return std::nullopt;
  }
  return service;
}

/// Raises the limit on open files: looking at every thread of two players takes up to six
/// descriptors per thread.
void allow_many_files() {
  constexpr rlim_t kEnough = 1 << 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kFrames = 3;
  kw::show_output_safely();
  allow_many_files();
  if (const auto files = files_of(argc, argv)) {
    ::prctl(PR_SET_DUMPABLE, 0);
    return kw::worker::judge_bundle(files->bundle, files->out);
  }
  const auto service = service_of(argc, argv);
  if (!service || ::fcntl(kFrames, F_GETFD) < 0) {
    std::fprintf(stderr,
                 "%s [--target cpu|cuda] [--jail L] [--for WHO] judges for kw, which starts it "
                 "with a socket as "
                 "descriptor 3.\n%s --bundle FILE --out RESULTS judges what kw optimize --carrier "
                 "bundle wrote.\n",
                 argv[0], argv[0]);
    return 2;
  }
  // Ctrl-C is ignored, since the controller handles it: it lets the evaluation in flight end and
  // closes the pipe.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  // A core dump of a worker would hold reference values and seeds, and no other process may read
  // its memory.
  ::prctl(PR_SET_DUMPABLE, 0);
  auto worker = kw::worker::Worker::open(service->target, service->jail);
  if (!worker) return kw::worker::refuse(worker.error(), kFrames);
  (*worker)->work_for(service->client);
  return kw::worker::serve(**worker, kFrames);
}

// A kw-worker of this machine: its process, our end of the socket to it, and the folder of whatever
// it makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platform/files.h"
#include "platform/subprocess.h"
#include "record/task.h"

namespace kw::evaluate {

struct WorkerChoice {
  Target target = Target::Cpu;
  /// The level that requests will name: the worker starts players for it ahead. Nothing: it waits.
  std::optional<JailLevel> jail{};
  std::string client{};      ///< "kw judge mine.cpp": what others read who wait for the device.
  platform::Path program{};  ///< The executable; empty: kw-worker beside this program.
};

/// A running worker. Destruction ends it, waits until it is gone and removes its folder.
class WorkerProcess {
 public:
  /// Half a millisecond for the caller; the worker needs about 20 ms to look at its device and
  /// jails, and then waits for frames. Call it from a thread that outlives the worker.
  static Result<WorkerProcess> start(const WorkerChoice& choice);

  /// Our end of the socket; see worker/frame.h.
  int socket() const { return socket_.get(); }
  /// For a program that ends next: kills the worker without waiting for its memory to be given
  /// back, which takes 10 to 20 ms.
  void dismiss() { process_->dismiss(); }

 private:
  WorkerProcess() = default;
  // What the worker makes may come until it has ended, so its folder goes after it.
  std::optional<platform::TempDir> temporary_;
  std::optional<platform::Process> process_;
  platform::Fd socket_;
};

}  // namespace kw::evaluate

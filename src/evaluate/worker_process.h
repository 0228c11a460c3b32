// A kw-worker on this machine: its process, our end of the socket, and the folder of its temporary
// files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platform/files.h"
#include "platform/subprocess.h"
#include "record/task.h"

namespace kw::evaluate {

struct WorkerChoice {
  Target target = kDefaultTarget;
  /// Jail level that requests will name, for which the worker starts players ahead. Nothing: it
  /// starts none.
  std::optional<JailLevel> jail{};
  /// "kw judge mine.cpp": name shown to others that wait for the device.
  std::string client{};
  platform::Path program{};  ///< The executable; empty: kw-worker beside this program.
};

/// A running worker. The destructor ends it, waits until it is gone, and removes its folder.
class WorkerProcess {
 public:
  /// Starts a worker within half a millisecond; the worker then needs about 20 ms to look at its
  /// device and jails, and waits for messages. Call from a thread that outlives the worker.
  static Result<WorkerProcess> start(const WorkerChoice& choice);

  /// Our end of the socket; worker/frame.h says what is sent over it.
  int socket() const { return socket_.get(); }
  /// Kills the worker without waiting until its memory is freed, which takes 10 to 20 ms; for a
  /// program that ends next.
  void dismiss() { process_->dismiss(); }

 private:
  WorkerProcess() = default;
  // The folder is the first member, so that it is removed after the worker, which may write there
  // until its end.
  std::optional<platform::TempDir> temporary_;
  std::optional<platform::Process> process_;
  platform::Fd socket_;
};

}  // namespace kw::evaluate

// The controller's side of kw-nvrtc: starts the process in a jail, sends it jobs, and restarts it
// if it died.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/nvrtc_wire.h"
#include "platform/jail.h"

namespace kw::compile {

struct NvrtcServerSettings {
  platform::Path library;
  platform::Path builtins;               ///< Path of the companion library; may be empty.
  std::vector<platform::Path> readable;  ///< Folders of headers.
  JailLevel jail = JailLevel::Namespace;
  platform::Path program;  ///< The program kw-nvrtc; empty: the one beside the running executable.
};

/// Facts about NVRTC that it reported when it was loaded.
struct NvrtcVersion {
  int major = 0;
  int minor = 0;
  bool has_pch = false;
  std::vector<int> architectures;  ///< Numbers of architectures, ascending.
};

/// The result of one job. Every field was checked, since the child is not trusted.
struct NvrtcOutcome {
  std::optional<NvrtcAnswer> answer;  ///< None: the child ended without a complete answer.
  NvrtcFate fate;
  bool was_flooded = false;  ///< The child sent more than any answer may hold.
};

/// Thread-safe: jobs of several threads run in parallel, each in its own child.
class NvrtcServer {
 public:
  explicit NvrtcServer(NvrtcServerSettings settings);
  ~NvrtcServer();
  NvrtcServer(const NvrtcServer&) = delete;
  NvrtcServer& operator=(const NvrtcServer&) = delete;

  /// The version of NVRTC. Starts kw-nvrtc if it is not running, which takes about 0.3 s. Errors
  /// say why NVRTC cannot be used.
  Result<NvrtcVersion> version();

  /// Compiles a job. Waits as long as `limits` allows and, where the job uses a precompiled header
  /// that does not exist yet, for that header too. A kw-nvrtc that died is restarted and gets the
  /// job once more; if it dies again, the error says to retry.
  Result<NvrtcOutcome> run(const NvrtcJob& job, NvrtcPacket limits);

  /// Process id of kw-nvrtc, for tests; 0 if it is not running.
  pid_t pid();

 private:
  class Life;
  Result<std::shared_ptr<Life>> life();
  void bury(const std::shared_ptr<Life>& dead);

  NvrtcServerSettings settings_;
  std::mutex mutex_;
  std::shared_ptr<Life> life_;
};

}  // namespace kw::compile

// The controller's end of kw-nvrtc: starts it in a jail, hands it jobs, starts it again if it died.
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
  platform::Path builtins;               ///< May be empty.
  std::vector<platform::Path> readable;  ///< Folders of headers.
  JailLevel jail = JailLevel::Namespace;
  platform::Path program;  ///< kw-nvrtc; empty: beside the running executable.
};

/// What NVRTC said of itself when it was loaded.
struct NvrtcVersion {
  int major = 0;
  int minor = 0;
  bool has_pch = false;
  std::vector<int> architectures;  ///< Ascending.
};

/// What became of one job. Everything in it was checked; the child is not trusted further.
struct NvrtcOutcome {
  std::optional<NvrtcAnswer> answer;  ///< None: the child ended without a whole one.
  NvrtcFate fate;
  bool was_flooded = false;  ///< It sent more than any answer may hold.
};

/// Thread-safe: jobs of several threads run beside each other, each in a child of its own.
class NvrtcServer {
 public:
  explicit NvrtcServer(NvrtcServerSettings settings);
  ~NvrtcServer();
  NvrtcServer(const NvrtcServer&) = delete;
  NvrtcServer& operator=(const NvrtcServer&) = delete;

  /// Starts kw-nvrtc if it does not run: about 0.3 s. Errors say why NVRTC cannot be used.
  Result<NvrtcVersion> version();

  /// Compiles, waiting as long as `limits` allows and, where the job shares a precompiled header,
  /// once for that. A server that died is started again and the job sent once more; a second death
  /// is an error to retry.
  Result<NvrtcOutcome> run(const NvrtcJob& job, NvrtcPacket limits);

  /// The process that runs kw-nvrtc, for tests; 0: none.
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

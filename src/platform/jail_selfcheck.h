// The small program that a probe runs inside a jail to see whether the jail holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw::platform {

/// What the jail let through, as bits of the exit code; 0 for a jail that holds.
enum SelfCheckLeak : int {
  kLeakSocket = 1,   ///< A socket could be made.
  kLeakFile = 2,     ///< A file outside the jail could be read.
  kLeakProcess = 4,  ///< Another process could be started although the limit was 1.
  kLeakUid = 8,      ///< The program was still root although its uid should have changed.
};

/// Runs one of two commands. `kw-jail self-check FILE drops|keeps` tries to read FILE, to make a
/// socket and a process, and looks at its uid. `kw-jail change-uid UID` exits with 0 if the process
/// may become that uid.
int self_check(int argc, char** argv);

}  // namespace kw::platform

// The little program that a probe runs inside a jail to see whether the jail holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw::platform {

/// What got through, as bits of the exit code; 0 for a jail that holds.
enum SelfCheckLeak : int {
  kLeakSocket = 1,   ///< A socket could be made.
  kLeakFile = 2,     ///< A file outside could be read.
  kLeakProcess = 4,  ///< With the limit at 1, a further process could be started.
  kLeakUid = 8,      ///< Still root, though the uid should have changed.
};

/// kw-jail self-check FILE drops|keeps: tries to read FILE, to make a socket and a process, looks
/// at the uid. kw-jail change-uid UID: exits 0 if we may become that uid.
int self_check(int argc, char** argv);

}  // namespace kw::platform

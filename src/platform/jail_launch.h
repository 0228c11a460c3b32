// Launches a jail without probing first whether its level works here; private to src/platform.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/jail.h"

namespace kw::platform {

/// Uids of jailed programs when we are root, one per running jail. Debian policy 9.2.2 reserves
/// 65000-65533, and a container that maps 65536 uids has them too.
inline constexpr uid_t kFirstJailUid = 65100;
inline constexpr uid_t kJailUids = 256;

/// What this process is allowed to do on this machine.
struct JailRights {
  bool drops_uid = false;            ///< The process may change to another uid.
  bool counts_by_namespace = false;  ///< Linux >= 5.14 counts processes per user namespace.
};

/// What this process is allowed to do here, found out once and then remembered.
const JailRights& our_rights();

ProcessLimit process_limit_of(JailLevel level, const JailRights& rights);

/// Does what launch() does for a level that may not work here; the error then says why.
Result<Process> launch_as(const JailSpec& spec, const JailRights& rights,
                          const std::vector<std::string>& argv);

/// The path of kw-jail, beside the running executable.
Result<std::string> kw_jail_path();

/// Path of the system's bubblewrap, since a security policy may allow that program alone; else of
/// the bubblewrap beside the running executable, which a release file brings along.
Result<Path> find_bubblewrap();

}  // namespace kw::platform

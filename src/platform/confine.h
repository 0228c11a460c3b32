// The restrictions that a process puts on itself before it runs someone else's code (used by
// kw-jail).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/jail_policy.h"

namespace kw::platform {

/// Changes the uid, drops groups and capabilities, and forbids gaining any. Like the functions
/// below, returns in words what could not be done; empty when the restriction is in force.
std::string confine_uid(const JailPolicy& policy);
std::string confine_limits(const JailPolicy& policy);
/// Prepares Landlock rules for the policy's paths. Call before the uid changes, since the new uid
/// may not be allowed to enter their folders.
std::string open_ruleset(const JailPolicy& policy, int& ruleset);
/// Enforces and closes the rules that open_ruleset() prepared.
std::string confine_files(int ruleset);
/// Filters system calls. `exec_fd` is the only descriptor that may still be executed; the limit on
/// open files keeps its number from being used again, so only one exec is possible.
std::string confine_calls(const JailPolicy& policy, int exec_fd);

/// The Landlock ABI version of the kernel, 0 where it is absent or disabled.
int landlock_abi();
/// "Landlock ABI 7 (files, truncation, …)": the rights that this version can deny.
std::string describe_landlock(int abi);

}  // namespace kw::platform

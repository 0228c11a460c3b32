// The restrictions that a process lays on itself before it runs someone else's code (used by
// kw-jail).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/jail_policy.h"

namespace kw::platform {

/// Each returns what could not be done, in words; empty when the restriction is in force.
/// Uid, groups, capabilities, and no way to gain any.
std::string confine_uid(const JailPolicy& policy);
std::string confine_limits(const JailPolicy& policy);
/// Landlock rules for the policy's paths; done before the uid changes, which may not enter their
/// folders.
std::string open_ruleset(const JailPolicy& policy, int& ruleset);
/// Enforces and closes them.
std::string confine_files(int ruleset);
/// `exec_fd`: the one descriptor that may still be executed; it has a number that the limit on open
/// files keeps from being used again, so one exec is all there is.
std::string confine_calls(const JailPolicy& policy, int exec_fd);

/// The Landlock ABI version of the kernel, 0 where it is absent or disabled.
int landlock_abi();
/// "Landlock ABI 7 (files, truncation, …)": which rights this version can hold back.
std::string describe_landlock(int abi);

}  // namespace kw::platform

// Names of drafted tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::task {

/// Whether a task may have the name: it has letters, digits and _, and is no keyword of C++ and no
/// function of expressions.
bool can_name_task(std::string_view name);

/// The name in lower case and, where it cannot name a task, such as "2mm" or "fdtd-2d", with what
/// makes it one: "k_2mm", "fdtd_2d". What no name can be made of comes back as no name of a task.
std::string task_name(std::string_view name);

}  // namespace kw::task

// What the admission of a task found, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "worker/messages.h"

namespace kw::cli {

/// A line for each workload, in the order of the task, then every failure in full; no line is wider
/// than 80 columns.
std::string admission_summary(const std::vector<worker::AdmissionLine>& lines);

/// A line for each check and workload, failures last.
std::string admission_details(const std::vector<worker::AdmissionLine>& lines);

}  // namespace kw::cli

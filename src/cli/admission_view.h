// Formats the results of kw task check for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/admission.h"

namespace kw::cli {

/// One line for each workload in the task's order, then every remark on the task ("note") and every
/// failure in full. No line is wider than 80 columns.
std::string admission_summary(const std::vector<session::AdmissionLine>& lines);

/// One line for each check of the task and each workload, failures last.
std::string admission_details(const std::vector<session::AdmissionLine>& lines);

}  // namespace kw::cli

// Formats the results of kw task check for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/admission.h"

namespace kw::cli {

/// The lines with each failure once, its detail that of the first and followed by the number of
/// input sets on which the same failed, where there are several.
std::vector<session::AdmissionLine> failures_once(const std::vector<session::AdmissionLine>& lines);

/// One line for each workload in the task's order, then every remark on the task ("note") and every
/// failure in full, once. No line is wider than 80 columns.
std::string admission_summary(const std::vector<session::AdmissionLine>& lines);

/// One line for each check of the task and each workload, failures last.
std::string admission_details(const std::vector<session::AdmissionLine>& lines);

}  // namespace kw::cli

// Formats the results of kw task check.
// SPDX-License-Identifier: Apache-2.0
#include "cli/admission_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/display_width.h"
#include "base/foreign_text.h"

namespace kw::cli {
namespace {

constexpr std::size_t kColumns = 80;

/// The workload name that session::admit() uses for a problem of the whole task, or a remark on it.
constexpr const char* kAllWorkloads = "all";

/// A sentence on the whole task that refuses nothing. What a workload of that name passed has
/// details.
bool is_remark(const session::AdmissionLine& line) {
  return line.is_ok && line.workload == kAllWorkloads && line.detail.empty();
}

const char* mark_of(const session::AdmissionLine& line) {
  if (!line.is_examined) return "left";
  if (!line.is_applicable) return "none";
  if (!line.is_ok) return "FAIL";
  return is_remark(line) ? "note" : "ok";
}

/// The outcomes of kw task check's checks on one workload, added up.
struct WorkloadTally {
  std::string name;
  int checks = 0;
  int failures = 0;
  std::string reference;  ///< Where and how the reference computes.
  std::string left_out;   ///< Why something was not checked.
};

std::vector<WorkloadTally> tally(const std::vector<session::AdmissionLine>& lines) {
  std::vector<WorkloadTally> tallies;
  for (const session::AdmissionLine& line : lines) {
    if (line.workload == kAllWorkloads) continue;
    auto at = std::ranges::find(tallies, line.workload, &WorkloadTally::name);
    if (at == tallies.end()) at = tallies.insert(at, WorkloadTally{line.workload, 0, 0, "", ""});
    if (!line.is_examined) {
      at->left_out = line.detail;
      continue;
    }
    if (!line.is_applicable) continue;
    ++at->checks;
    at->failures += line.is_ok ? 0 : 1;
    if (line.what.starts_with("reference") && line.is_ok) at->reference = line.detail;
  }
  return tallies;
}

std::string line_of_workload(const WorkloadTally& t) {
  const char* mark = t.failures > 0 ? "FAIL" : t.checks > 0 ? "ok" : "left";
  std::string text = t.checks == 0 ? ""
                     : t.failures == 0
                         ? fmt::format("{} checks", t.checks)
                         : fmt::format("{} of {} checks failed", t.failures, t.checks);
  if (!t.reference.empty()) text += ", reference " + t.reference;
  if (!t.left_out.empty()) text += (text.empty() ? "left out: " : "; left out: ") + t.left_out;
  constexpr std::size_t kName = 20;
  return cut_to_width(fmt::format("{:<4} {} {}", mark, fill_to_width(sanitise_line(t.name), kName),
                                  sanitise_line(text)),
                      kColumns) +
         "\n";
}

}  // namespace

std::vector<session::AdmissionLine> failures_once(
    const std::vector<session::AdmissionLine>& lines) {
  std::vector<session::AdmissionLine> once;
  std::vector<int> counts;
  for (const session::AdmissionLine& line : lines) {
    const auto same = std::ranges::find_if(once, [&](const session::AdmissionLine& other) {
      return !line.is_ok && !other.is_ok && other.what == line.what &&
             other.workload == line.workload;
    });
    if (same != once.end()) {
      ++counts[static_cast<std::size_t>(same - once.begin())];
      continue;
    }
    once.push_back(line);
    counts.push_back(1);
  }
  for (std::size_t i = 0; i < once.size(); ++i)
    if (counts[i] > 1 && once[i].workload != kAllWorkloads)
      once[i].detail +=
          fmt::format("{}on {} input sets", once[i].detail.empty() ? "" : "; so it is ", counts[i]);
  return once;
}

std::string admission_summary(const std::vector<session::AdmissionLine>& lines) {
  std::string text, failures;
  for (const WorkloadTally& t : tally(lines)) text += line_of_workload(t);
  for (const session::AdmissionLine& line : failures_once(lines)) {
    if (line.is_ok && !is_remark(line)) continue;
    std::string words =
        line.workload == kAllWorkloads ? line.what : line.workload + ": " + line.what;
    if (!line.detail.empty()) words += ": " + line.detail;
    (line.is_ok ? text : failures) +=
        wrap_to_width(fmt::format("{} {}", mark_of(line), sanitise_line(words)), kColumns, 5) +
        "\n";
  }
  return text + failures;
}

std::string admission_details(const std::vector<session::AdmissionLine>& lines) {
  std::string text, failures;
  for (const session::AdmissionLine& line : failures_once(lines))
    (line.is_ok ? text : failures) += fmt::format("{:<4} {:<30} {:<18} {}\n", mark_of(line),
                                                  line.what, line.workload, line.detail);
  return text + failures;
}

}  // namespace kw::cli

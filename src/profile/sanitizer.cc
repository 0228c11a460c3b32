// Command line and output of compute-sanitizer.
// SPDX-License-Identifier: Apache-2.0
#include "profile/sanitizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "base/text.h"
#include "profile/embedded.h"
#include "record/wording.h"

namespace kw::profile {
namespace {

constexpr std::size_t kMostErrors = 16;
constexpr std::size_t kMostText = 512;
constexpr std::string_view kMark = "=========";

// Reads the count in lines like "ERROR SUMMARY: 3 errors" and "RACECHECK SUMMARY: 1 hazard
// displayed (1 error, 0 warnings)".
std::optional<long> summary_of(std::string_view line) {
  const auto at = line.find("SUMMARY:");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trim(line.substr(at + std::string_view("SUMMARY:").size()));
  long count = 0;
  const auto [end, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  if (trouble != std::errc{} || end == rest.data() || count < 0) return std::nullopt;
  return count;
}

// Whether the line begins an error: such a line is indented by one blank at most.
bool is_error(std::string_view line) {
  static constexpr std::string_view kBeginnings[] = {
      "Invalid ",     "Uninitialized ", "Barrier error", "Error: Race", "Race reported",
      "Out-of-range", "Misaligned ",    "Warning: Race", "Hardware "};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view b) { return line.starts_with(b); });
}

// Whether the kernel is one of our trusted kernels, among which are the controls; a candidate's
// kernel may not have such a name.
bool is_ours(std::string_view kernel) { return kernel.starts_with("kw_"); }
bool is_control(std::string_view kernel) { return kernel.starts_with("kw_control_"); }

std::string_view last_part(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Reads a place like "KERNEL+0x80 in FILE:12", which stands behind "at "; newer versions put both
// parts into one line, older ones print the offset first and the kernel behind the line.
void add_place(SanitizerError& error, std::string_view text) {
  if (const auto end = text.find("+0x"); end != std::string_view::npos)
    error.kernel = sanitise(text.substr(0, end), kMostText);
  else
    error.kernel = sanitise(text, kMostText);
  constexpr std::string_view kIn = " in ";
  const auto at = text.find(kIn);
  if (at == std::string_view::npos) return;
  std::string_view place = text.substr(at + kIn.size());
  place = place.substr(0, place.find(' '));
  const auto colon = place.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view digits = place.substr(colon + 1);
  int line = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (line <= 0) return;
  error.line = line;
  error.file = sanitise(last_part(place.substr(0, colon)), kMostText);
  const auto name = digits.find(':');
  if (name != std::string_view::npos && error.kernel.starts_with("0x"))
    error.kernel = sanitise(digits.substr(name + 1), kMostText);
}

void add_detail(SanitizerError& error, std::string_view line) {
  if (line.starts_with("at ") && error.kernel.empty()) return add_place(error, line.substr(3));
  const bool tells = line.starts_with("by thread") || line.starts_with("Address") ||
                     line.starts_with("and is ") || line.starts_with("Access to") ||
                     line.starts_with("and Read access at") ||
                     line.starts_with("and Write access at");
  if (!tells || error.detail.size() > kMostText) return;
  if (!error.detail.empty()) error.detail += ", ";
  error.detail += sanitise(line, kMostText);
}

// Begins an error with its first line, which for a race names the kernel.
void begin(SanitizerError& error, std::string_view line) {
  error.what = sanitise(line, kMostText);
  constexpr std::string_view kAccess = " access at ";
  if (const auto at = line.find(kAccess); at != std::string_view::npos)
    add_place(error, line.substr(at + kAccess.size()));
}

}  // namespace

std::optional<platform::Path> find_sanitizer() {
  std::error_code trouble;
  if (const char* named = std::getenv("KW_SANITIZER"))  // this one or none
    return std::filesystem::is_regular_file(named, trouble) ? std::optional<platform::Path>(named)
                                                            : std::nullopt;
  std::vector<platform::Path> places;
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':'))
      places.push_back(platform::Path(folder) / "compute-sanitizer");
  places.emplace_back("/usr/local/cuda/bin/compute-sanitizer");
  for (const platform::Path& place : places)
    if (std::filesystem::is_regular_file(place, trouble)) return place;
  return std::nullopt;
}

std::vector<std::string> sanitizer_command(const platform::Path& sanitizer, SanitizerTool tool) {
  return {sanitizer.string(), "--tool", std::string(name_of(tool)), "--target-processes", "all",
          "--print-limit", "100", "--show-backtrace", "no",
          // API errors are not reported, because one is expected: we ask for kernel parameters
          // until the driver answers that there are no more.
          "--report-api-errors", "no", "--destroy-on-device-error", "kernel", "--error-exitcode",
          "0"};
}

SanitizerReport parse_sanitizer(std::string_view text) {
  SanitizerReport report;
  SanitizerError error;  // the error that is being read; empty `what`: none
  long summary = 0, ours = 0, theirs = 0;
  const auto close = [&] {
    if (error.what.empty()) return;
    report.control_caught = report.control_caught || is_control(error.kernel);
    ++(is_ours(error.kernel) ? ours : theirs);
    if (!is_ours(error.kernel) && report.first.size() < kMostErrors) report.first.push_back(error);
    error = {};
  };
  for (std::string_view line : split_lines(text)) {
    if (!line.starts_with(kMark)) continue;
    line = trim(line.substr(kMark.size()));
    if (const auto count = summary_of(line)) {
      report.is_complete = true;
      summary = std::max(summary, *count);
    } else if (is_error(line)) {
      close();
      begin(error, line);
    } else if (line.starts_with("Program hit ")) {
      close();
      ++ours;  // a call of ours that fails because of an earlier kernel error
    } else if (!error.what.empty()) {
      add_detail(error, line);
    } else if (line.starts_with("Error: ") && report.complaint.text.empty()) {
      report.complaint.text = sanitise(line.substr(std::string_view("Error: ").size()), kMostText);
    }
  }
  close();
  report.errors = std::max(theirs, summary - ours);
  return report;
}

BuildUnit sanitizer_control(const std::string& arch) {
  BuildUnit u;
  u.role = "trusted_control", u.target = Target::Cuda, u.arch = arch, u.main_file = "control.cu";
  u.files = {{"control.cu", std::string(embedded_text("control.cu"))}};
  for (const SanitizerTool tool : {SanitizerTool::Memcheck, SanitizerTool::Racecheck,
                                   SanitizerTool::Initcheck, SanitizerTool::Synccheck})
    u.kernels.push_back(control_kernel(tool));
  return u;
}

std::string control_kernel(SanitizerTool tool) {
  return "kw_control_" + std::string(name_of(tool));
}

SanitizerPass pass_of(SanitizerTool tool, const std::string& workload,
                      const SanitizerReport& report) {
  SanitizerPass pass;
  pass.tool = std::string(name_of(tool));
  pass.workload = workload;
  pass.errors = std::max(report.errors, 0l);
  pass.is_void = pass.errors == 0 && !(report.is_complete && report.control_caught);
  if (!pass.is_void) return pass;
  pass.note = !report.complaint.text.empty() ? report.complaint.text
              : !report.is_complete          ? "the tool ended before its summary"
                                    : "the tool did not report the known defect that tests it";
  return pass;
}

std::vector<Finding> sanitizer_findings(const SanitizerPass& pass, const SanitizerReport& report,
                                        const BuildUnit* unit) {
  const auto note = [&](std::string about, Wording words) {
    return Finding{FindingKind::Note,     90,
                   std::move(words.text), "",
                   pass.workload,         MismatchPattern::None,
                   std::move(about),      std::move(words.numbers)};
  };
  if (pass.is_void)
    return {note(pass.tool + " does not work",
                 worded("compute-sanitizer's {} does not work here, so nothing is known of what "
                        "it checks in the candidate: {}.",
                        pass.tool, Wording{pass.note, report.complaint.numbers}))};
  std::vector<Finding> out;
  for (const SanitizerError& e : report.first) {
    Finding& f = out.emplace_back();
    f.kind = FindingKind::Diagnostic;
    f.rank = static_cast<int>(out.size());
    f.text = fmt::format("{}: {}{}{}{}{}.", pass.tool, e.what, e.kernel.empty() ? "" : " in ",
                         e.kernel, e.detail.empty() ? "" : ": ", e.detail);
    f.about = fmt::format("{}: {}", pass.tool, e.what);
    f.place = e.line > 0 ? fmt::format("{}:{}", e.file, e.line) : pass.workload;
    if (unit != nullptr)
      for (const SourceFile& file : unit->files)
        if (last_part(file.name) == e.file)
          f.frame = render_line(file.text, static_cast<std::size_t>(e.line), e.what);
  }
  if (pass.errors > static_cast<long>(report.first.size()))
    out.push_back(note(pass.tool + " counts more",
                       worded("compute-sanitizer's {} counts {} errors at {} in all.", pass.tool,
                              pass.errors, pass.workload)));
  return out;
}

}  // namespace kw::profile

// Command line and output of compute-sanitizer.
// SPDX-License-Identifier: Apache-2.0
#include "profile/sanitizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "base/text.h"
#include "platform/subprocess.h"
#include "profile/embedded.h"

namespace kw::profile {
namespace {

constexpr std::size_t kMostErrors = 16;
constexpr std::size_t kMostText = 512;
constexpr std::string_view kMark = "=========";

// "ERROR SUMMARY: 3 errors", "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)".
std::optional<long> summary_of(std::string_view line) {
  const auto at = line.find("SUMMARY:");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trim(line.substr(at + std::string_view("SUMMARY:").size()));
  long count = 0;
  const auto [end, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  if (trouble != std::errc{} || end == rest.data() || count < 0) return std::nullopt;
  return count;
}

// What begins an error: a statement that is not indented further than by one blank.
bool is_error(std::string_view line) {
  static constexpr std::string_view kBeginnings[] = {
      "Invalid ",     "Uninitialized ", "Barrier error", "Error: Race",   "Race reported",
      "Out-of-range", "Misaligned ",    "Program hit ",  "Warning: Race", "Hardware "};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view b) { return line.starts_with(b); });
}

void add_detail(SanitizerError& error, std::string_view line) {
  if (line.starts_with("at ") && error.kernel.empty()) {
    error.kernel = sanitise(line.substr(3), kMostText);
    return;
  }
  const bool tells =
      line.starts_with("by thread") || line.starts_with("Address") || line.starts_with("and is ");
  if (!tells || error.detail.size() > kMostText) return;
  if (!error.detail.empty()) error.detail += ", ";
  error.detail += sanitise(line, kMostText);
}

}  // namespace

std::optional<platform::Path> find_sanitizer() {
  std::vector<platform::Path> places;
  if (const char* named = std::getenv("KW_SANITIZER")) places.emplace_back(named);
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':'))
      places.push_back(platform::Path(folder) / "compute-sanitizer");
  places.emplace_back("/usr/local/cuda/bin/compute-sanitizer");
  std::error_code trouble;
  for (const platform::Path& place : places)
    if (std::filesystem::is_regular_file(place, trouble)) return place;
  return std::nullopt;
}

std::vector<std::string> sanitizer_command(const platform::Path& sanitizer, SanitizerTool tool,
                                           const platform::Path& log) {
  return {sanitizer.string(),
          "--tool",
          std::string(name_of(tool)),
          "--target-processes",
          "all",
          "--print-limit",
          "100",
          "--show-backtrace",
          "no",
          "--error-exitcode",
          "0",
          "--log-file",
          log.string()};
}

SanitizerReport parse_sanitizer(std::string_view text) {
  SanitizerReport report;
  SanitizerError* open = nullptr;
  long read = 0;
  for (std::string_view line : split_lines(text)) {
    if (!line.starts_with(kMark)) continue;
    line = trim(line.substr(kMark.size()));
    if (const auto count = summary_of(line)) {
      report.is_complete = true;
      report.errors = std::max(report.errors, *count);
      continue;
    }
    if (is_error(line)) {
      ++read;
      open = nullptr;
      if (report.first.size() == kMostErrors) continue;
      open = &report.first.emplace_back();
      open->what = sanitise(line, kMostText);
    } else if (open != nullptr) {
      add_detail(*open, line);
    }
  }
  report.errors = std::max(report.errors, read);
  return report;
}

BuildUnit sanitizer_control(const std::string& arch) {
  BuildUnit u;
  u.role = "trusted_control", u.target = Target::Cuda, u.arch = arch, u.main_file = "control.cu";
  u.files = {{"control.cu", std::string(embedded_text("control.cu"))}};
  return u;
}

bool is_control_caught(const SanitizerReport& control) {
  return control.is_complete &&
         std::any_of(control.first.begin(), control.first.end(), [](const SanitizerError& e) {
           return e.what.starts_with("Invalid __global__ write");
         });
}

std::vector<Finding> sanitizer_findings(SanitizerTool tool, const SanitizerReport& control,
                                        const SanitizerReport& candidate) {
  const std::string name(name_of(tool));
  if (!is_control_caught(control))
    return {{"note", 1,
             "compute-sanitizer did not report a write that is known to be out of bounds: what it "
             "says of the candidate is void.",
             "", name}};
  if (!candidate.is_complete)
    return {{"note", 1, "compute-sanitizer " + name + " ended before its summary.", "", name}};
  if (candidate.errors == 0)
    return {{"note", 1, "compute-sanitizer " + name + " found nothing.", "", name}};
  std::vector<Finding> out;
  for (const SanitizerError& e : candidate.first)
    out.push_back({"diagnostic", static_cast<int>(out.size()) + 1,
                   fmt::format("{}: {}{}{}{}{}.", name, e.what, e.kernel.empty() ? "" : " in ",
                               e.kernel, e.detail.empty() ? "" : ": ", e.detail),
                   "", name});
  if (candidate.errors > static_cast<long>(candidate.first.size()))
    out.push_back(
        {"note", static_cast<int>(out.size()) + 1,
         fmt::format("compute-sanitizer {} counts {} errors in all.", name, candidate.errors), "",
         name});
  return out;
}

}  // namespace kw::profile

// Command line, permission and output of Nsight Compute.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <system_error>

#include "base/text.h"
#include "record/counters.h"

namespace kw::profile {
namespace {

constexpr std::array<std::string_view, 23> kOwn{
    // Coalescing: sectors per request, and how many of a sector's 32 bytes are used
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
    // Bank conflicts
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    // Hierarchical roofline
    "gpu__time_duration.sum", "l1tex__t_bytes.sum", "lts__t_bytes.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    // Operations of matrix units by the type of their operands
    "sm__ops_path_tensor_src_tf32_dst_fp32.sum", "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
    "sm__ops_path_tensor_src_fp16.sum", "sm__ops_path_tensor_src_fp8.sum",
    // Use of the tensor and FMA pipes, for GPUs that lack the two counters that CudaForge names
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    // Theoretical occupancy, and its limit by warps
    "sm__maximum_warps_per_active_cycle_pct", "launch__occupancy_limit_warps"};

constexpr auto kMetrics = [] {
  std::array<std::string_view, kTellingCounters.size() + kOwn.size()> all{};
  std::ranges::copy(kOwn, std::ranges::copy(kTellingCounters, all.begin()).out);
  return all;
}();

// ncu computes this metric from the launch, so no query lists it.
constexpr std::string_view kTheoretical = "sm__maximum_warps_per_active_cycle_pct";
constexpr std::size_t kMostRows = 4096;
constexpr std::size_t kMostColumns = 512;
constexpr unsigned kSysAdmin = 21;  // capability.h: CAP_SYS_ADMIN

// The value after "name:" on its line.
std::optional<std::string_view> field(std::string_view text, std::string_view name) {
  for (std::string_view line : split_lines(text)) {
    line = trim(line);
    if (!line.starts_with(name)) continue;
    line = trim(line.substr(name.size()));
    if (line.starts_with(':')) return trim(line.substr(1));
  }
  return std::nullopt;
}

// Splits one line of CSV into its fields, which are plain, or quoted with doubled quotes inside.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> out(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size() && out.size() <= kMostColumns; ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += '"';
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// Reads a number like "1,234.5", as ncu prints it; nothing for text and for numbers that are not
// finite.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  const std::string trimmed(trim(text));
  if (trimmed.empty() || trimmed.find_first_not_of("0123456789+-.eE") != std::string::npos)
    return std::nullopt;
  // libc++ 19, which the portable worker is built with, has no from_chars for doubles.
  char* end = nullptr;
  const double value = std::strtod(trimmed.c_str(), &end);
  if (end != trimmed.c_str() + trimmed.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// What one of ncu's units is worth in the base unit: "Mbyte/second" 1e6, "usecond" and "us" 1e3 (of
// nanoseconds).
double factor_of(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kTimes[] = {
      {"nsecond", 1},   {"ns", 1},   {"usecond", 1e3}, {"us", 1e3},
      {"msecond", 1e6}, {"ms", 1e6}, {"second", 1e9},  {"s", 1e9}};
  for (const auto& [name, factor] : kTimes)
    if (unit == name) return factor;
  static constexpr std::pair<char, double> kPrefixes[] = {
      {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  for (const auto& [prefix, factor] : kPrefixes)
    if (unit.size() > 1 && unit.front() == prefix && unit.substr(1).starts_with("byte"))
      return factor;
  return 1;
}

}  // namespace

std::span<const std::string_view> ncu_metrics() { return kMetrics; }

std::optional<platform::Path> find_ncu() {
  std::error_code trouble;
  if (const char* named = std::getenv("KW_NCU"))  // this one or none
    return std::filesystem::is_regular_file(named, trouble) ? std::optional<platform::Path>(named)
                                                            : std::nullopt;
  std::vector<platform::Path> places;
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':'))
      places.push_back(platform::Path(folder) / "ncu");
  places.emplace_back("/usr/local/cuda/bin/ncu");
  std::set<platform::Path> versions;  // Sorted; the last is the newest.
  for (std::filesystem::directory_iterator at("/opt/nvidia/nsight-compute", trouble), end;
       !trouble && at != end; at.increment(trouble))
    versions.insert(at->path());
  for (auto at = versions.rbegin(); at != versions.rend(); ++at) places.push_back(*at / "ncu");
  for (const platform::Path& place : places)
    if (std::filesystem::is_regular_file(place, trouble)) return place;
  return std::nullopt;
}

NcuPermission ncu_permission_of(std::string_view params, std::string_view status) {
  const auto admin_only = field(params, "RmProfilingAdminOnly");
  if (!admin_only)
    return {
        .is_known = false,
        .why =
            "The driver does not say whether counters may be read (/proc/driver/nvidia/params)."};
  if (*admin_only == "0")
    return {.is_allowed = true, .why = "The driver lets every user read counters."};
  std::uint64_t capabilities = 0;
  if (const auto text = field(status, "CapEff"))
    std::from_chars(text->data(), text->data() + text->size(), capabilities, 16);
  if ((capabilities >> kSysAdmin & 1) != 0)
    return {.is_allowed = true,
            .needs_admin = true,
            .why = "The driver lets administrators alone read counters, and this process is one."};
  return {.why =
              "The driver lets administrators alone read counters: run as root with "
              "CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0."};
}

NcuPermission ncu_permission() {
  const auto params = platform::read_file("/proc/driver/nvidia/params");
  const auto status = platform::read_file("/proc/self/status");
  return ncu_permission_of(params.value_or(""), status.value_or(""));
}

std::vector<std::string> ncu_query_command(const platform::Path& ncu) {
  return {ncu.string(), "--query-metrics"};
}

std::vector<std::string> available_metrics(std::string_view answer,
                                           std::span<const std::string_view> wanted) {
  std::set<std::string_view> bases;
  for (const std::string_view line : split_lines(answer)) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t,"));
    if (word.find("__") != std::string_view::npos) bases.insert(word.substr(0, word.find('.')));
  }
  std::vector<std::string> out;
  for (const std::string_view metric : wanted)
    if (bases.empty() || metric.starts_with("launch__") || metric == kTheoretical ||
        bases.contains(metric.substr(0, metric.find('.'))))
      out.emplace_back(metric);
  return out;
}

std::vector<std::string> ncu_command(const platform::Path& ncu,
                                     const std::vector<std::string>& metrics) {
  return {ncu.string(),
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--target-processes",
          "all",
          "--replay-mode",
          "kernel",
          "--kernel-name-base",
          "demangled",
          "--clock-control",
          "none",
          "--cache-control",
          "none",
          "--profile-from-start",
          "off",
          "--metrics",
          join(metrics, ",")};
}

std::string ncu_version_of(std::string_view text) {
  for (const std::string_view line : split_lines(text)) {
    constexpr std::string_view kWord = "Version ";
    if (!line.starts_with(kWord)) continue;
    const std::string_view rest = line.substr(kWord.size());
    return sanitise(rest.substr(0, rest.find_first_of(" (")), 32);
  }
  return {};
}

std::string ncu_complaint(std::string_view text) {
  constexpr std::size_t kMost = 400;
  std::string all;
  for (const std::string_view line : split_lines(text)) {
    constexpr std::string_view kMark = "==ERROR==";
    if (!line.starts_with(kMark) || all.size() > kMost) continue;
    if (!all.empty()) all += "; ";
    all += sanitise(trim(line.substr(kMark.size())), kMost);
  }
  return all;
}

std::vector<KernelProfile> parse_ncu_csv(std::string_view text) {
  std::vector<KernelProfile> out;
  std::vector<std::string> names, units;
  std::size_t kernel_column = 0;
  for (const std::string_view line : split_lines(text)) {
    if (!line.starts_with('"')) continue;
    std::vector<std::string> fields = csv_fields(line);
    const auto kernel = std::find(fields.begin(), fields.end(), "Kernel Name");
    if (kernel != fields.end()) {  // A new process begins a new table.
      kernel_column = static_cast<std::size_t>(kernel - fields.begin());
      names = std::move(fields);
      units.clear();
      continue;
    }
    if (names.empty() || fields.size() != names.size()) continue;
    if (units.empty()) {
      units = std::move(fields);
      if (units[kernel_column].empty()) continue;
      fields = std::exchange(units, std::vector<std::string>(names.size()));  // No line of units.
    }
    if (out.size() == kMostRows) break;
    KernelProfile counters;
    counters.kernel = sanitise(fields[kernel_column], 512);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].find("__") != std::string::npos)
        if (const auto value = number_of(fields[i]))
          if (const double base = *value * factor_of(units[i]); std::isfinite(base))
            counters.counters[sanitise(names[i], 256)] = base;
    out.push_back(std::move(counters));
  }
  return out;
}

}  // namespace kw::profile

// Nsight Compute as a subprocess: whether it may run, its command line, and what it prints. Pure
// but for find_ncu and ncu_permission.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/files.h"
#include "record/evaluation.h"

namespace kw::profile {

/// The metrics that the rules read: the 24 that CudaForge (arXiv 2511.01884) found to follow run
/// time, sectors per request and bytes used per sector, bank conflicts, and time, bytes per level
/// and operations for a hierarchical roofline.
std::span<const std::string_view> ncu_metrics();

/// The path of Nsight Compute, looked for in KW_NCU, PATH, the toolkit's folder and /opt/nvidia;
/// nothing if it is in none.
std::optional<platform::Path> find_ncu();

/// Whether the driver lets this process read counters.
struct NcuPermission {
  bool is_allowed = false;
  bool is_known = true;      ///< False where the driver does not say: trying tells.
  bool needs_admin = false;  ///< A process that keeps CAP_SYS_ADMIN is allowed.
  std::string why;           ///< A sentence; where it is not allowed, also what would allow it.
};

/// Reads the permission from the text of /proc/driver/nvidia/params (RmProfilingAdminOnly) and of
/// /proc/self/status (CapEff; CAP_SYS_ADMIN is bit 21).
NcuPermission ncu_permission_of(std::string_view params, std::string_view status);
/// The permission of this process on this machine.
NcuPermission ncu_permission();

/// The command that asks ncu for the metrics of this GPU: each line of the answer begins with a
/// metric's name.
std::vector<std::string> ncu_query_command(const platform::Path& ncu);

/// The metrics of `wanted` whose base name (up to the first dot) the answer lists. Metrics of
/// launches, which no answer lists, are always kept. An answer without any name keeps all metrics:
/// ncu itself leaves out those that it does not know.
std::vector<std::string> available_metrics(std::string_view answer,
                                           std::span<const std::string_view> wanted);

/// The command line of ncu before that of the program to be profiled; ncu prints its table on
/// standard output. Only those launches are counted that the program itself encloses in
/// cuProfilerStart() and cuProfilerStop(). Clocks and caches stay as they are (`--clock-control
/// none --cache-control none`), because with a locked clock the GPU would be measured at another
/// speed.
std::vector<std::string> ncu_command(const platform::Path& ncu,
                                     const std::vector<std::string>& metrics);

/// "2025.3.1" from what `ncu --version` prints; empty if it does not say.
std::string ncu_version_of(std::string_view text);

/// The first lines with which ncu says what went wrong ("==ERROR== …"), without its marks; empty if
/// it does not complain.
std::string ncu_complaint(std::string_view text);

/// Reads `--csv --page raw`: a line of names, a line of units, one line per launch; lines of other
/// kinds (==PROF==, words of the program) are passed over. Foreign text: bounded, never fails;
/// rows of another length than the names are left out. Units with a prefix (Kbyte, us) are
/// converted to base units. Of each launch the kernel's name and its counters are filled in.
std::vector<KernelProfile> parse_ncu_csv(std::string_view text);

}  // namespace kw::profile

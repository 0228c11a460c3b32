// The folder of a run: best kernel, certificate, plots and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "platform/files.h"
#include "report/run_data.h"

namespace kw::report {

/// Writes into `folder` (created): best/<task>.cpp, best/certificate.json (wins only),
/// roofline.svg, progress.svg, results.csv, decisions.log. Files of an earlier report of the run
/// are replaced.
Result<> write_run_folder(const platform::Path& folder, const RunData& data);

/// Every attempt's source as <dir>/NNN_name.cpp, knobs pinned where the attempt says so.
Result<> save_attempts(const platform::Path& dir, const std::vector<Attempt>& attempts);

/// The closing table for people: baselines, best per idea, the winner per workload, what was spent.
std::string summary_table(const RunData& data);

/// The certificate of a confirmed win as pretty JSON: source hash, seeds, shapes, gates, accuracy,
/// jail, trust class, device, baseline, intervals, samples.
std::string certificate(const RunData& data);

/// One line per attempt and timed workload.
std::string results_csv(const std::vector<Attempt>& attempts);

}  // namespace kw::report

// The folder of a run: best kernel, certificate, plots and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "platform/files.h"
#include "report/digest.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// What best/ holds: the fastest correct thing that a run knows of.
struct Kept {
  bool is_baseline = false;  ///< No kernel of the run was faster.
  std::string name;
  std::string source;  ///< Knobs pinned; compiles alone.
  std::string words;   ///< Which it is and what is known of it: "baseline omp; …".
};

/// The winner; of a run without one, the candidate where its own measurement puts it ahead, else
/// the fastest baseline. Nothing: there was neither.
std::optional<Kept> kept_of(const RunData& data);

/// Writes into the run's folder in the store: best/<task>.cpp (or .cu) with what kept_of() says,
/// best/about.txt with its words, best/certificate.json (of wins), roofline.svg, progress.svg,
/// results.csv. Files of an earlier report of the run are
/// replaced. Reads every attempt once.
Result<> write_run_folder(const store::RunStore& store, const RunData& data, const Digest& digest);

/// "softmax.cu": what the best kernel of a run is called in best/.
std::string best_file(const RunConfig& config);

/// Every attempt's source as <dir>/NNN_name.cpp (or .cu).
Result<> save_attempts(const platform::Path& dir, const store::RunStore& store, std::int64_t run);

/// What the jail of a judged candidate lacked, in one line; empty where it was the full one or no
/// player was started.
std::string_view jail_lacks(const Evaluation& judged);

/// The closing table for people: baselines, best per idea, the winner per workload, what was spent.
std::string summary_table(const RunData& data, const Digest& digest);

/// "prices of 2026-03-21", or "prices of 2026-02-01 to 2026-03-21": the days on which their sources
/// said so. Empty where none is dated.
std::string price_days(const std::vector<Price>& prices);

/// "3 calls, 12,345 tokens, $0.04": what models have cost; with the prices it was reckoned by,
/// their days.
std::string spending_text(const Spending& spent, const std::vector<Price>& prices = {});

/// What the exchanges that led to an attempt have cost.
Result<Spending> spending_of(const store::RunStore& store, std::int64_t run,
                             const Attempt& attempt);

/// The certificate of a confirmed win as pretty JSON: source hash, seeds, shapes, gates, accuracy,
/// jail, trust class, device, baseline, intervals, samples.
std::string certificate(const RunData& data);

/// results.csv: the header, then one line per attempt and timed workload.
std::string csv_header();
std::string csv_lines(const Attempt& attempt);

}  // namespace kw::report

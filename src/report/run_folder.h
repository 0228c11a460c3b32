// Writes the folder of a run: best kernel, certificate, plots and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "platform/files.h"
#include "report/digest.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// The content of best/: the fastest correct kernel that a run knows of, which may be a baseline.
struct Kept {
  bool is_baseline = false;  ///< No kernel of the run was faster.
  std::string name;
  std::string source;  ///< With its knobs pinned, so that it compiles alone.
  std::string words;   ///< Which kernel it is and what was measured: "baseline omp: …".
};

/// The confirmed winner. Without one, the best candidate where measurements put it ahead of the
/// fastest baseline, else that baseline. Nothing where the run has neither.
std::optional<Kept> kept_of(const RunData& data);

/// Writes into the run's folder in the store: best/<task>.cpp (or .cu) with the source of
/// kept_of(), best/about.txt with its words, best/certificate.json for a win, roofline.svg,
/// progress.svg and results.csv. Replaces files of an earlier report of the run. Reads every
/// attempt once.
Result<> write_run_folder(const store::RunStore& store, const RunData& data, const Digest& digest);

/// The file name of the best kernel in best/, as "softmax.cu".
std::string best_file(const RunConfig& config);

/// Writes every attempt's source to <dir>/NNN_name.cpp (or .cu).
Result<> save_attempts(const platform::Path& dir, const store::RunStore& store, std::int64_t run);

/// What the jail of a judged candidate lacked, in one line; empty where the jail was complete or no
/// player was started.
std::string_view jail_lacks(const Evaluation& judged);

/// The closing table for people: baselines, the best attempt of each idea, the winner by workload,
/// and what the run cost.
std::string summary_table(const RunData& data, const Digest& digest);

/// "prices of 2026-03-21", or "prices of 2026-02-01 to 2026-03-21": the days on which the prices
/// were published. Empty where no price has a date.
std::string price_days(const std::vector<Price>& prices);

/// "3 calls, 12345 tokens, $0.0400": what models have cost, with the days of `prices` where some
/// are given.
std::string spending_text(const Spending& spent, const std::vector<Price>& prices = {});

/// The cost of the exchanges with models that led to an attempt. Reads each of them.
Result<Spending> spending_of(const store::RunStore& store, std::int64_t run,
                             const Attempt& attempt);

/// The certificate of a win as indented JSON: source hash, seeds, shapes, gates, accuracy, jail,
/// trust class, device, baseline, intervals, samples. Precondition: data.is_win().
std::string certificate(const RunData& data);

/// The header of results.csv, and the lines of one attempt: one for each timed workload.
std::string csv_header();
std::string csv_lines(const Attempt& attempt);

}  // namespace kw::report

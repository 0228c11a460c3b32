// Writes the folder of a run: best kernel, certificate, plots and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "platform/files.h"
#include "report/digest.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// The content of the folder best/: the fastest correct kernel that the run knows, which may be a
/// baseline.
struct Kept {
  bool is_baseline = false;  ///< No kernel of the run was faster.
  std::string name;
  std::string source;  ///< The kernel's source with fixed knobs, so that it compiles alone.
  std::string words;   ///< Which kernel it is and what was measured: "baseline omp: …".
};

/// Chooses the kernel for the folder best/: the confirmed winner; else the best candidate if it was
/// measured to be faster than the fastest baseline; else this baseline. Nothing if there is neither
/// candidate nor baseline.
std::optional<Kept> kept_of(const RunData& data);

/// Writes into the run's folder in the store: best/<task>.cpp (or .cu) with the source of
/// kept_of(), best/about.txt with its description, best/certificate.json for a win, roofline.svg,
/// progress.svg and results.csv. Replaces files of an earlier report of the run. Reads every
/// attempt once.
Result<> write_run_folder(const store::RunStore& store, const RunData& data, const Digest& digest);

/// The file name of the best kernel in the folder best/, such as "softmax.cu".
std::string best_file(const RunConfig& config);

/// Writes every attempt's source to <dir>/NNN_name.cpp (or .cu).
Result<> save_attempts(const platform::Path& dir, const store::RunStore& store, std::int64_t run);

/// A line that says which protection the jail of a judged candidate lacked; empty if the jail was
/// complete or the candidate was not run.
std::string_view jail_lacks(const Evaluation& judged);

/// The closing table for people: baselines, the best attempt of each kernel, the winner's result
/// for each workload, and what the run cost.
std::string summary_table(const RunData& data, const Digest& digest);

/// The days on which the prices were published: "prices of 2026-03-21", or "prices of 2026-02-01 to
/// 2026-03-21". Empty if no price has a date.
std::string price_days(const std::vector<Price>& prices);

/// What models have cost: "3 calls, 12345 tokens, $0.0400", followed by price_days() unless
/// `prices` is empty.
std::string spending_text(const Spending& spent, const std::vector<Price>& prices = {});

/// The cost of the exchanges with models that led to an attempt. Reads each exchange from the
/// store.
Result<Spending> spending_of(const store::RunStore& store, std::int64_t run,
                             const Attempt& attempt);

/// The certificate of a win as indented JSON: source hash, seeds, shapes, tolerances, accuracy,
/// jail, trust class, device, baseline, intervals, samples. Precondition: data.is_win().
std::string certificate(const RunData& data);

/// The header line of results.csv. csv_lines() returns the lines of one attempt, one for each timed
/// workload.
std::string csv_header();
std::string csv_lines(const Attempt& attempt);

}  // namespace kw::report

// Writes the files of a run's folder: tables, plots and the certificate.
// SPDX-License-Identifier: Apache-2.0
#include "report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "platform/jail.h"
#include "record/codec.h"
#include "record/interval.h"
#include "record/target.h"
#include "report/plot.h"
#include "report/workload_table.h"

namespace kw::report {
namespace {

std::string source_name(const Attempt& a) {
  return fmt::format("{:03}_{}{}", a.number, a.candidate.name, source_suffix(a.candidate.target));
}

std::string winner_lines(const RunData& data) {
  const std::optional<Attempt>& best = data.best;
  if (!best) return "no attempt was correct\n";
  const Evaluation& e = data.confirmation ? *data.confirmation : best->evaluation;
  // During the search the opponent was the best attempt of that time, not the baseline.
  const std::string& opponent = e.speedup.baseline.empty() ? data.baseline : e.speedup.baseline;
  std::string text =
      fmt::format("{} attempt {} {} {}: ", data.is_win() ? "CONFIRMED" : "not confirmed",
                  best->number, best->candidate.name, knobs_text(best->candidate.knobs));
  text += e.speedup.value > 0 ? fmt::format("{:.3f}x {}{}", e.speedup.value, opponent,
                                            in_brackets(interval_text(e.speedup)))
                              : "never timed against " + opponent;
  // The reason why the attempt is no win comes first.
  if (!e.verdict.is_correct())
    text += fmt::format("; {}: {}", name_of(e.verdict.outcome), e.verdict.evidence);
  text += '\n';
  for (const WorkloadResult& w : e.workloads) {
    if (w.group != Group::Time || w.samples.empty()) continue;
    text += workload_line(WorkloadTable::Run, w) + "\n";
  }
  for (const SkippedWorkload& s : e.skipped)
    if (s.group == Group::Time) text += fmt::format("  {:<20} not timed: {}\n", s.name, s.reason);
  if (const std::string_view lacks = jail_lacks(e); !lacks.empty())
    text += fmt::format("  weaker jail ({}): {}\n", name_of(e.jail), lacks);
  return text;
}

/// Names of the baselines that are the user's code: as it was given, or else, where the task has no
/// such baseline, the task's sequential reference.
constexpr auto kOwnCode = std::to_array<std::string_view>({"yours", "reference"});

/// A line that compares the user's code with the best kernel, "your code (jacobi.c): 13.3 ms → 6.7
/// ms, 1.99x"; empty if the task was not drafted from code.
std::string code_line(const RunData& data) {
  if (data.code.empty() || !data.best) return {};
  auto own = data.baselines.end();
  for (const std::string_view name : kOwnCode) {
    own = std::ranges::find(data.baselines, name, &BaselineLine::name);
    if (own != data.baselines.end() && own->mean_ns > 0) break;
  }
  const Evaluation& e = data.confirmation ? *data.confirmation : data.best->evaluation;
  const double after = e.mean_time_ns();
  if (own == data.baselines.end() || own->mean_ns <= 0 || after <= 0) return {};
  const auto shapes = std::ranges::count_if(e.workloads, [](const WorkloadResult& w) {
    return w.group == Group::Time && w.median_ns > 0;
  });
  return fmt::format("your code ({}): {} → {}, {:.2f}x{}{}\n", data.code, format_ns(own->mean_ns),
                     format_ns(after), own->mean_ns / after,
                     shapes > 1 ? fmt::format(", mean of {} shapes", shapes) : "",
                     data.is_win() ? "" : "; not confirmed");
}

}  // namespace

namespace {

/// Speedup of the run's best candidate over the baseline, from the confirmation if it could
/// measure; 0: no speedup is known, or the confirmation found a wrong result.
double figure_of_best(const RunData& data) {
  if (!data.best) return 0;
  const auto& confirmed = data.confirmation;
  if (!confirmed || confirmed->verdict.outcome == Outcome::Unmeasurable)
    return data.best->against_baseline.value;
  return confirmed->verdict.is_correct() ? confirmed->speedup.value : 0;
}

std::string words_of_best(const RunData& data, double figure) {
  const Candidate& candidate = data.best->candidate;
  std::string knobs = knobs_text(candidate.knobs);
  if (!knobs.empty()) knobs.insert(0, " ");
  return fmt::format("attempt {} {}{}: {:.3f}x the speed of {}, {}", data.best->number,
                     candidate.name, knobs, figure, data.baseline,
                     data.is_win() ? "win confirmed" : "win not confirmed");
}

Kept kept_baseline(const BaselineLine& baseline, bool has_correct) {
  return {true, baseline.name, baseline.source,
          fmt::format("baseline {}{}: {}", baseline.name,
                      baseline.trust_class == TrustClass::HostLauncher ? " (host launcher)" : "",
                      has_correct ? "no correct kernel of the run was measured to be faster"
                                  : "no kernel of the run was correct")};
}

}  // namespace

std::optional<Kept> kept_of(const RunData& data) {
  const double figure = figure_of_best(data);
  // Baselines are sorted by time, with those that cannot be used at the end.
  const BaselineLine* fastest = data.baselines.empty() || data.baselines.front().mean_ns <= 0
                                    ? nullptr
                                    : &data.baselines.front();
  bool is_ahead = figure > 1;
  // If the user named a slower baseline as the opponent, the speedup over it does not suffice, so
  // the times of kernel and fastest baseline are compared.
  if (is_ahead && !data.is_win() && fastest != nullptr && fastest->name != data.baseline)
    is_ahead = data.best->evaluation.mean_time_ns() < fastest->mean_ns;
  if (data.is_win() || (data.best && (is_ahead || fastest == nullptr)))
    return Kept{false, data.best->candidate.name, data.best_source, words_of_best(data, figure)};
  if (fastest == nullptr) return std::nullopt;
  return kept_baseline(*fastest, data.best.has_value());
}

std::string best_file(const RunConfig& config) {
  return config.task + std::string(source_suffix(config.target));
}

std::string price_days(const std::vector<Price>& prices) {
  std::string first;
  std::string last;
  for (const Price& price : prices) {
    if (price.as_of.empty()) continue;
    if (first.empty() || price.as_of < first) first = price.as_of;
    if (price.as_of > last) last = price.as_of;
  }
  if (first.empty()) return {};
  return "prices of " + first + (first == last ? std::string() : " to " + last);
}

std::string spending_text(const Spending& spent, const std::vector<Price>& prices) {
  std::string text = fmt::format("{} {}, {} tokens", spent.calls,
                                 spent.calls == 1 ? "call" : "calls", spent.tokens);
  if (spent.calls > spent.unpriced) {
    const std::string days = price_days(prices);
    text += fmt::format(", ${:.4f}", spent.usd) + (days.empty() ? "" : " at " + days);
  }
  if (spent.unpriced > 0) text += fmt::format(", {} of unknown price", spent.unpriced);
  return text;
}

Result<Spending> spending_of(const store::RunStore& store, std::int64_t run,
                             const Attempt& attempt) {
  Spending spent{attempt.cost_usd, attempt.usage.total(),
                 static_cast<std::int64_t>(attempt.exchanges.size()), 0};
  for (const std::string& key : attempt.exchanges)
    if (const auto exchange = KW_TRY(store.exchanges().find(run, key));
        exchange && !exchange->reply.cost_usd)
      ++spent.unpriced;
  return spent;
}

std::string_view jail_lacks(const Evaluation& judged) {
  return judged.jail_uid >= 0 ? platform::what_it_lacks(judged.jail) : std::string_view();
}

std::string summary_table(const RunData& data, const Digest& digest) {
  std::string text = code_line(data);
  for (const BaselineLine& b : data.baselines)
    text += b.mean_ns > 0 ? fmt::format("baseline {:<22} {:>9}\n", b.name, format_ns(b.mean_ns))
                          : fmt::format("baseline {:<22} not usable: {}\n", b.name, b.note);
  for (const AttemptLine& a : digest.ideas()) {
    if (a.outcome == Outcome::Correct)
      text += fmt::format("idea     {:<22} {:>9}  {:6.3f}x in search  {}\n", a.name,
                          format_ns(a.mean_ns), a.speedup, knobs_text(a.knobs));
    else
      text += fmt::format("idea     {:<22} {}\n", shown_name(a.name), a.words);
  }
  if (digest.has_more_ideas())
    text += fmt::format("         none of the others was faster; all attempts: kw show {}\n",
                        data.run.name);
  text += winner_lines(data);
  text +=
      fmt::format("{} attempts in {}{}\n", digest.attempts, format_ns(data.run.spent_ns),
                  data.run.stopped_by.empty() ? " so far" : "; stopped by: " + data.run.stopped_by);
  if (!data.run.config.models.empty())
    text += fmt::format("models: {}\n", spending_text(data.run.spent, data.run.config.prices));
  return text;
}

std::string certificate(const RunData& data) {
  KW_ASSERT(data.is_win());
  const Attempt& best = *data.best;
  Json object;
  object["what"] = fmt::format("{} is faster than {} on {}", best.candidate.name, data.baseline,
                               data.device.model);
  object["run"] = data.run.name;
  object["attempt"] = best.number;
  object["task"] = {{"name", data.run.config.task}, {"sha256", data.run.config.task_sha256}};
  object["candidate"] = {{"name", best.candidate.name},
                         {"source_sha256", sha256(data.best_source).hex()},
                         {"original_sha256", best.candidate.sha256},
                         {"knobs", best.candidate.knobs},
                         {"options", best.candidate.options}};
  // Flags of device code follow from the compiler's version and are not recorded.
  if (const auto flags = row_of(best.candidate.target).code_flags; !flags.empty())
    object["candidate"]["flags"] = std::vector<std::string_view>(flags.begin(), flags.end());
  Json device = encode_json(data.device);
  object["device"] = std::move(device);
  // The tolerance for results, and every shape with its values.
  if (data.terms) object["terms"] = encode_json(*data.terms);
  // The referee's complete record: seeds, accuracy, samples, jail, trust class, intervals.
  object["evaluation"] = encode_json(*data.confirmation);
  object["jail_lacks"] = jail_lacks(*data.confirmation);
  return dump_json_pretty(object);
}

std::string csv_header() {
  return "attempt,name,knobs,stage,outcome,class," + workload_csv_header(WorkloadCsv::Run) +
         ",at_ns\n";
}

std::string csv_lines(const Attempt& a) {
  const Evaluation& e = a.evaluation;
  const std::string head =
      fmt::format("{},{},{},{},{},{}", a.number, csv_field(a.candidate.name),
                  csv_field(knobs_text(a.candidate.knobs)), name_of(e.verdict.stage),
                  name_of(e.verdict.outcome), name_of(a.outcome_class));
  std::string text;
  for (const WorkloadResult& w : e.workloads) {
    if (w.group != Group::Time || w.median_ns <= 0) continue;
    text += fmt::format("{},{},{}\n", head,
                        workload_csv(WorkloadCsv::Run, w, a.against_baseline.value), a.at_ns);
  }
  if (text.empty())
    text = fmt::format("{},{},{}\n", head, workload_csv_blank(WorkloadCsv::Run), a.at_ns);
  return text;
}

Result<> save_attempts(const platform::Path& dir, const store::RunStore& store, std::int64_t run) {
  KW_TRY(platform::make_dirs(dir));
  return store.attempts().for_each(run, store::Sources::Load, [&](const Attempt& a) {
    return platform::write_file_atomic(dir / source_name(a), a.candidate.source, false);
  });
}

namespace {

Result<> write_best(const platform::Path& folder, const RunData& data) {
  KW_TRY(platform::remove_tree(folder));
  KW_TRY(platform::make_dirs(folder));
  if (const auto kept = kept_of(data)) {
    const std::string file = best_file(data.run.config);
    KW_TRY(platform::write_file_atomic(folder / file, kept->source, false));
    KW_TRY(platform::write_file_atomic(
        folder / "about.txt", fmt::format("{}: {}\n", file, sanitise_line(kept->words)), false));
  }
  if (data.has_certificate())
    KW_TRY(platform::write_file_atomic(folder / "certificate.json", certificate(data), false));
  return {};
}

Result<> write_progress(const platform::Path& path, const store::RunStore& store,
                        const RunData& data, const Digest& digest) {
  auto file = KW_TRY(platform::FileWriter::create(path));
  ProgressPlot plot(data, digest, [&](std::string_view text) { file.write(text); });
  KW_TRY(store.attempts().for_each_line(data.run.id,
                                        [&](const AttemptLine& line) { plot.add(line); }));
  plot.finish();
  return file.commit();
}

Result<> write_results(const platform::Path& path, const store::RunStore& store,
                       const RunData& data) {
  auto file = KW_TRY(platform::FileWriter::create(path));
  file.write(csv_header());
  KW_TRY(store.attempts().for_each(data.run.id, store::Sources::LeaveOut,
                                   [&](const Attempt& a) -> Result<> {
                                     file.write(csv_lines(a));
                                     return {};
                                   }));
  return file.commit();
}

}  // namespace

Result<> write_run_folder(const store::RunStore& store, const RunData& data, const Digest& digest) {
  const platform::Path folder = store.folder_of(data.run);
  KW_TRY(write_best(folder / "best", data));
  KW_TRY(platform::write_file_atomic(folder / "roofline.svg", roofline_svg(data), false));
  KW_TRY(write_progress(folder / "progress.svg", store, data, digest));
  return write_results(folder / "results.csv", store, data);
}

}  // namespace kw::report

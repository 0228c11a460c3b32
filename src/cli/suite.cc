// kw suite SPEC: compares search methods at equal budget.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/model_flags.h"
#include "cli/status.h"
#include "platform/files.h"
#include "platform/read_text.h"
#include "platform/signals.h"
#include "report/suite_tables.h"
#include "search/reward.h"
#include "search/strategy.h"
#include "session/suite_run.h"

namespace kw::cli {
namespace {

constexpr std::int64_t kMostJobs = 256;
constexpr std::int64_t kMostWorlds = 1000;

struct SuiteFlags {
  std::string spec;
  std::vector<std::string> models;
  AskingFlags asking;  ///< Only the timeout; the spec has the other settings.
  std::int64_t jobs = 2;
  std::string csv;
  std::string into;
  std::int64_t landscape = 0;
  bool list = false;
};

task::SuiteWords words() {
  task::SuiteWords words;
  for (const search::StrategyInfo& info : search::strategies())
    words.strategies.push_back(info.name);
  for (const search::RewardPolicy& policy : search::reward_policies())
    words.rewards.push_back(policy.name);
  return words;
}

Result<task::SuiteSpec> read_spec(const std::string& file) {
  const std::string text = KW_TRY(as_input(platform::read_text(file)));
  return as_input(task::parse_suite(text, file, words()));
}

/// The name of a cell (one search of a suite) for people: "softmax, greedy, seed 1".
std::string words_of(const report::SuiteCell& cell) {
  const report::SuiteMethod& m = cell.method;
  std::string text = cell.task + ", " + m.strategy;
  for (const std::string& part : {m.preset, m.model, m.reward, m.target})
    if (!part.empty()) text += ", " + part;
  if (!m.feedback.empty()) text += ", feedback " + m.feedback;
  if (!m.knowledge.empty()) text += ", knowledge " + m.knowledge;
  return text + ", seed " + std::to_string(cell.seed);
}

std::string outcome_of(const report::SuiteCell& cell) {
  if (!cell.trouble.empty()) return cell.trouble;
  std::string text = cell.speedup > 0 ? fmt::format("{:.3g}x", cell.speedup) : "nothing correct";
  if (!cell.run.empty()) text += " (" + cell.run + ")";
  return text;
}

std::vector<std::string> all_words(const session::PlannedCell& plan) {
  std::vector<std::string> words = plan.words;
  words.insert(words.end(), plan.asking_words.begin(), plan.asking_words.end());
  return words;
}

void list_cells(const std::vector<session::PlannedCell>& plans) {
  for (const session::PlannedCell& plan : plans)
    std::printf("%s\n", plan.words.empty() ? words_of(plan.cell).c_str()
                                           : ("kw " + join(all_words(plan), " ")).c_str());
}

Result<> write_files(const SuiteFlags& flags, const report::SuiteResult& result) {
  if (!flags.csv.empty()) KW_TRY(platform::write_user_file(flags.csv, report::suite_csv(result)));
  if (flags.into.empty()) return {};
  const std::string document = KW_TRY(as_input(platform::read_file(flags.into)));
  const std::string filled = KW_TRY(
      as_input(report::put_tables(document, result.spec.name, report::suite_markdown(result))));
  return platform::write_user_file(flags.into, filled);
}

Result<int> suite(const Global& global, const SuiteFlags& flags) {
  report::SuiteResult result;
  result.spec = KW_TRY(read_spec(flags.spec));
  if (flags.landscape > 0 && !flags.models.empty())
    return fail_input(ErrorCode::Contradiction, About{"--model"},
                      "--model has no effect with --landscape, which asks no model");
  if (flags.landscape > 0 && !flags.asking.timeout.empty())
    return fail_input(ErrorCode::Contradiction, About{"--model-timeout"},
                      "--model-timeout has no effect with --landscape, which asks no model");
  if (flags.list && (!flags.csv.empty() || !flags.into.empty()))
    return fail_input(ErrorCode::Contradiction, About{"--list"},
                      "--list runs nothing: --csv and --into would have nothing to write");
  if (flags.landscape > 0)
    result.spec = session::in_worlds(std::move(result.spec), static_cast<int>(flags.landscape));
  (void)KW_TRY(flags.asking.timeout_ns());
  const auto plans = KW_TRY(
      session::plan_cells(global, result.spec, {flags.spec, flags.models, flags.asking.timeout}));
  if (flags.list) {
    list_cells(plans);
    return static_cast<int>(kDone);
  }
  const auto store = KW_TRY(store::RunStore::open(global.workspace));
  const platform::SignalGuard signals;
  std::size_t done = 0;
  Status& status = *global.status;
  status.answer_interruption([&] { return signals.is_interrupted(); },
                             "interrupted: finishing the attempts in progress; Ctrl-C again to "
                             "stop now; run the same command to go on");
  const auto show_progress = [&] {
    status.doing(
        fmt::format("{} of {} searches done, {} at a time", done, plans.size(), flags.jobs));
  };
  show_progress();
  session::SuiteWays ways;
  ways.jobs = static_cast<int>(flags.jobs);
  ways.is_interrupted = [&] { return signals.is_interrupted(); };
  ways.on_cell = [&](const report::SuiteCell& cell, bool is_new) {
    ++done;
    show_progress();
    if (!cell.run.empty() || !cell.trouble.empty())
      std::fprintf(stderr, "kw: %zu/%zu %s: %s%s\n", done, plans.size(), words_of(cell).c_str(),
                   outcome_of(cell).c_str(), is_new ? "" : ", known");
  };
  auto cells = session::run_cells(global, store, result.spec, plans, ways);
  status.ask_for_news({});
  status.doing("");
  result.cells = KW_TRY(std::move(cells));
  KW_TRY(write_files(flags, result));
  std::printf("%s\n", global.json ? report::suite_json(result).c_str()
                                  : report::suite_markdown(result).c_str());
  if (signals.is_interrupted()) return static_cast<int>(kInterrupted);
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (plans[i].cell.trouble.empty() && !result.cells[i].trouble.empty())
      return static_cast<int>(kNotGood);
  return static_cast<int>(kDone);
}

}  // namespace

Command suite_command() {
  auto flags = std::make_shared<SuiteFlags>();
  Command command;
  command.name = "suite";
  command.summary = "Compare ways to search on several tasks at equal budget";
  command.declare = [flags](Flags& f) {
    f.positional("spec", flags->spec, "YAML file that says what is compared (docs/suites.md)");
    f.texts("--model", flags->models,
            "For 'real' among the spec's models; where it has none, instead of them; repeatable");
    flags->asking.declare_timeout(f);
    f.integer("--jobs", flags->jobs,
              "Searches that run at the same time; they take turns at measuring", {1, kMostJobs});
    f.text("--csv", flags->csv, "Write a line for each search to this file");
    f.text("--into", flags->into,
           "Put the tables into this document, between the suite's two marker lines");
    f.integer("--landscape", flags->landscape,
              "Search this many synthetic worlds of techniques instead: no model, no device",
              {1, kMostWorlds});
    f.on_off("--list", flags->list, "Print the commands of the searches and run nothing");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, suite(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

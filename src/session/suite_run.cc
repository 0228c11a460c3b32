// Runs the searches (cells) of a suite in a pool of threads, each as a child process, or, without a
// device, in this process.
// SPDX-License-Identifier: Apache-2.0
#include "session/suite_run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "platform/subprocess.h"
#include "record/codec.h"
#include "search/types.h"
#include "session/suites/suite_worlds.h"

namespace kw::session {
namespace {

using report::SuiteCell;

constexpr const char* kInterruptedCell = "Interrupted; the same command goes on with the suite.";
/// The exit code of kw where input cannot be used (docs/formats.md).
constexpr int kBadInput = 2;
constexpr int kLookMs = 200;  // how often to look for an interruption while a child runs
/// How long a child process may still take to finish its attempt and report after it was asked to
/// end.
constexpr auto kLastWords = std::chrono::minutes(10);

/// This process's environment for child processes, which need its keys, addresses and flags of
/// models.
std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

/// Runs kw with these arguments in a child process, forwards an interruption to it, and returns how
/// it ended.
Result<platform::Exit> run_kw(const Options& options, const std::vector<std::string>& words,
                              const std::function<bool()>& is_interrupted) {
  std::vector<std::string> argv{(KW_TRY(platform::executable_dir()) / "kw").string(), "--workspace",
                                options.workspace};
  if (!options.data_dir.empty()) argv.insert(argv.end(), {"--data-dir", options.data_dir});
  if (!options.jail.empty()) argv.insert(argv.end(), {"--jail", options.jail});
  argv.emplace_back("--json");
  argv.insert(argv.end(), words.begin(), words.end());
  platform::SpawnOptions spawn;
  spawn.env = environment();
  auto process = KW_TRY(platform::spawn(argv, spawn));
  pollfd ended{process.pidfd(), POLLIN, 0};
  while (::poll(&ended, 1, kLookMs) == 0) {
    process.drain();
    if (!is_interrupted()) continue;
    KW_TRY(process.signal(SIGINT));
    return process.wait(kLastWords);
  }
  return process.wait(kLastWords);
}

/// The run's name from the JSON that a child process printed, or the error that stopped the run.
Result<std::string> run_of(const platform::Exit& exit) {
  const auto said = parse_json(exit.out, "kw optimize");
  if (said && said->contains("run") && (*said)["run"].is_string())
    return (*said)["run"].get<std::string>();
  if (said && said->contains("error")) {
    const Json& error = (*said)["error"];
    const auto what = error.value("what", std::string());
    const auto where = error.value("where", std::string());
    const auto code = enum_from<ErrorCode>(error.value("code", std::string()));
    if (exit.code == kBadInput) return fail_input(code.value_or(ErrorCode::BadInput), what, where);
    return fail(code.value_or(ErrorCode::Failed), what, where);
  }
  return fail(ErrorCode::Ended, About{"kw optimize"},
              "kw optimize, which searches for this suite, ended with " + describe(exit));
}

bool is_written(const Attempt& attempt) {
  const auto ask = parse_json(attempt.ask, "ask");
  return ask && ask->is_object() &&
         ask->value("role", std::string()) == name_of(search::Role::Write);
}

/// The speedup of the run's confirmation: of the confirmed winner, or else of the first kernel that
/// was confirmed; 0 if the kernel was not correct then. Nothing if no kernel was faster than the
/// baseline, so that there was no confirmation.
Result<std::optional<double>> confirmed_speedup(const store::RunStore& store, std::int64_t run) {
  std::optional<double> speedup;
  for (const store::Event& event : KW_TRY(store.events().of(run, "confirm"))) {
    const auto e = KW_TRY(decode<Evaluation>(event.body));
    const double here = e.verdict.is_correct() ? e.speedup.value : 0;
    if (e.verdict.is_correct() && e.speedup.is_faster) return here;
    if (speedup.value_or(0) == 0) speedup = here;
  }
  return speedup;
}

class Pool {
 public:
  Pool(const Options& options, const store::RunStore& store, const task::SuiteSpec& spec,
       const std::vector<PlannedCell>& plans, const SuiteWays& ways)
      : options_(options), store_(store), spec_(spec), plans_(plans), ways_(ways) {}

  Result<std::vector<SuiteCell>> run() {
    for (const RunSummary& run : KW_TRY(store_.list()))
      if (run.config.label.starts_with("suite ")) known_[run.config.label] = run;
    for (const PlannedCell& plan : plans_)
      if (plan.is_inside()) KW_TRY(worlds_.open(options_, plan.cell.task));
    cells_.resize(plans_.size());
    {
      std::vector<std::jthread> threads;
      const auto count =
          std::min<std::size_t>(static_cast<std::size_t>(std::max(1, ways_.jobs)), plans_.size());
      for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    }
    return std::move(cells_);
  }

 private:
  void work() {
    for (;;) {
      std::size_t mine = 0;
      {
        const std::lock_guard guard(mutex_);
        if (next_ == plans_.size()) return;
        mine = next_++;
      }
      bool is_new = true;
      SuiteCell cell = plans_[mine].cell;
      if (plans_[mine].is_inside())
        search_inside(spec_, worlds_, cell);
      else if (cell.trouble.empty())
        if (const auto made = make(plans_[mine], cell, is_new); !made)
          cell.trouble = describe(made.error());
      const std::lock_guard guard(mutex_);
      if (ways_.on_cell) ways_.on_cell(cell, is_new);
      cells_[mine] = std::move(cell);
    }
  }

  Result<> make(const PlannedCell& plan, SuiteCell& cell, bool& is_new) {
    const auto known = known_.find(plan.label);
    const bool is_begun = known != known_.end();
    if (is_begun && known->second.state == RunState::Finished) {
      is_new = false;
      return read(known->second.name, cell);
    }
    if (ways_.is_interrupted && ways_.is_interrupted())
      return fail(ErrorCode::Cancelled, kInterruptedCell);
    std::vector<std::string> words = plan.words;
    if (is_begun)
      words = {"resume", known->second.name};
    else
      words.insert(words.end(), {"--label", plan.label});
    words.insert(words.end(), plan.asking_words.begin(), plan.asking_words.end());
    const auto exit = KW_TRY(
        run_kw(options_, words, [this] { return ways_.is_interrupted && ways_.is_interrupted(); }));
    return read(KW_TRY(run_of(exit)), cell);
  }

  Result<> read(const std::string& run, SuiteCell& cell) {
    const std::lock_guard guard(mutex_);
    return read_result(store_, run, cell);
  }

  const Options& options_;
  const store::RunStore& store_;
  const task::SuiteSpec& spec_;
  const std::vector<PlannedCell>& plans_;
  const SuiteWays& ways_;
  std::map<std::string, RunSummary> known_;  // the latest run of each label
  Worlds worlds_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::vector<SuiteCell> cells_;
};

}  // namespace

Result<> read_result(const store::RunStore& store, const std::string& run, SuiteCell& cell) {
  const RunSummary summary = KW_TRY(store.find(run));
  cell.run = summary.name;
  cell.spent = summary.spent;
  if (summary.state == RunState::Interrupted) return fail(ErrorCode::Cancelled, kInterruptedCell);
  if (summary.state != RunState::Finished)
    return fail(ErrorCode::WrongState, About{"stopped"}, summary.stopped_by, summary.name);
  cell.is_win = summary.is_confirmed;
  KW_TRY(store.attempts().for_each(
      summary.id, store::Sources::LeaveOut,
      [&](Attempt& a) -> Result<> {
        const Verdict& v = a.evaluation.verdict;
        cell.tries.push_back({is_written(a), v.stage, v.outcome, a.against_baseline.value});
        return {};
      },
      store::Samples::LeaveOut));
  if (const auto confirmed = KW_TRY(confirmed_speedup(store, summary.id))) {
    cell.speedup = *confirmed;
    return {};
  }
  for (const report::SuiteTry& t : cell.tries)
    if (t.outcome == Outcome::Correct) cell.speedup = std::max(cell.speedup, t.speedup);
  // Without a confirmation a speedup comes from the search only, so it does not count as a gain.
  cell.speedup = std::min(cell.speedup, 1.0);
  return {};
}

Result<std::vector<SuiteCell>> run_cells(const Options& options, const store::RunStore& store,
                                         const task::SuiteSpec& spec,
                                         const std::vector<PlannedCell>& plans,
                                         const SuiteWays& ways) {
  return Pool(options, store, spec, plans, ways).run();
}

}  // namespace kw::session

// kw show RUN [--attempt N]: one run, or one attempt with source, verdict, findings and samples.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/order_view.h"
#include "cli/verdict_view.h"
#include "record/codec.h"
#include "report/evaluation_json.h"
#include "report/run_folder.h"
#include "session/orders.h"
#include "session/stored_run.h"

namespace kw::cli {
namespace {

struct ShowFlags {
  std::string run;
  std::int64_t attempt = 0;
};

Json line_json(const AttemptLine& a) {
  return {{"number", a.number},
          {"parent", a.parent},
          {"name", a.name},
          {"origin", name_of(a.origin)},
          {"knobs", a.knobs},
          {"stage", name_of(a.stage)},
          {"outcome", name_of(a.outcome)},
          {"class", name_of(a.outcome_class)},
          {"speedup", a.speedup},
          {"reward", a.reward},
          {"at_ns", a.at_ns},
          {"words", a.words},
          {"plan", a.plan}};
}

/// For a run that is not finished: whether a process works on the run, and which command continues
/// or ends it.
std::string what_next(const RunSummary& run) {
  if (run.state == RunState::Finished) return {};
  if (run.state != RunState::Running)
    return fmt::format("not finished; go on with: kw resume {}\n", run.name);
  if (!run.stopped_by.empty())
    return "the run goes on in another process: its search is over, the winner is being "
           "confirmed\n";
  return fmt::format(
      "the run goes on in another process; to end its search and confirm the winner: kw steer {} "
      "--finish\n",
      run.name);
}

Result<int> show_run(const Global& global, const store::RunStore& store, const ShowFlags& flags) {
  const auto data = KW_TRY(session::load_run(store, flags.run));
  if (global.json) {
    Json object;
    object["run"] = encode_json(data.run);
    object["folder"] = store.folder_of(data.run).string();
    Json& attempts = object["attempts"] = Json::array();
    KW_TRY(store.attempts().for_each_line(
        data.run.id, [&](const AttemptLine& line) { attempts.push_back(line_json(line)); }));
    object["orders"] = orders_json(KW_TRY(session::orders_of(store, data.run.id)), data.run);
    object["confirmation"] = nullptr;
    if (data.confirmation) object["confirmation"] = report::evaluation_json(*data.confirmation);
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  fmt::print("{}: {}, strategy {}, seed {}, started {}{}\n", data.run.name, name_of(data.run.state),
             data.run.config.strategy, data.run.config.seed, data.run.started_at,
             data.run.config.label.empty() ? "" : ", label " + data.run.config.label);
  report::Digest digest;
  KW_TRY(store.attempts().for_each_line(data.run.id, [&](const AttemptLine& a) {
    digest.add(a);
    fmt::print("{:>4} {:>9}  {} {}  {}\n", a.number, format_ns(static_cast<double>(a.at_ns)),
               shown_name(a.name), shown_knobs(a.knobs), a.words);
  }));
  fmt::print("{}{}\n", report::summary_table(data, digest), store.folder_of(data.run).string());
  print_orders(KW_TRY(session::orders_of(store, data.run.id)), data.run);
  fmt::print("{}", what_next(data.run));
  return kDone;
}

void print_samples(const WorkloadResult& w) {
  fmt::print("samples of {} (ns: candidate, opponent, input set)\n", w.name);
  for (const Sample& s : w.samples)
    fmt::print("  {:>14.1f} {:>14.1f} {:>3}{}\n", s.candidate_ns, s.opponent_ns, s.input_set,
               s.opponent_first ? "  opponent first" : "");
}

Result<int> show_attempt(const Global& global, const store::RunStore& store,
                         const ShowFlags& flags) {
  const RunSummary run = KW_TRY(store.find(flags.run));
  const auto attempt = store.attempts().get(run.id, static_cast<int>(flags.attempt));
  if (!attempt && attempt.error().is_input)
    return fail_input(attempt.error().code, About{attempt.error().about},
                      fmt::format("{}; it has {}", attempt.error().what, run.attempts), run.name);
  if (!attempt) return std::unexpected(attempt.error());
  const Spending spent = KW_TRY(report::spending_of(store, run.id, *attempt));
  if (global.json) {
    Json object = line_json(line_of(*attempt));
    object["run"] = run.name;
    object["why"] = attempt->why;
    object["source"] = attempt->candidate.source;
    object["source_sha256"] = attempt->candidate.sha256;
    object["against_baseline"] = encode_json(attempt->against_baseline);
    object["evaluation"] = encode_json(attempt->evaluation);
    object["recalled"] = attempt->recalled;
    object["exchanges"] = attempt->exchanges;
    object["usage"] = encode_json(attempt->usage);
    object["cost_usd"] = spent.unpriced > 0 ? Json() : Json(spent.usd);
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  fmt::print("attempt {} of {}: {} {}\nwhy: {}\n{}\n\n", attempt->number, run.name,
             shown_name(attempt->candidate.name), shown_knobs(attempt->candidate.knobs),
             attempt->why, attempt->words);
  if (!attempt->exchanges.empty())
    fmt::print("plan: {}\nmodel: {} tokens, cost {}\n\n", attempt->plan, spent.tokens,
               dollars_text(spent));
  std::fflush(stdout);
  print_evaluation(attempt->evaluation);
  for (const WorkloadResult& w : attempt->evaluation.workloads)
    if (!w.samples.empty()) print_samples(w);
  fmt::print("\n{}", attempt->candidate.source);
  return kDone;
}

Result<int> show_stored(const Global& global, const ShowFlags& flags) {
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  return flags.attempt == 0 ? show_run(global, store, flags) : show_attempt(global, store, flags);
}

}  // namespace

Command show_command() {
  auto flags = std::make_shared<ShowFlags>();
  Command command;
  command.name = "show";
  command.summary = "Show a run, or one of its attempts";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
    f.integer("--attempt", flags->attempt,
              "Show source, verdict, findings and samples of this attempt", {1});
  };
  command.run = [flags](const Global& global) {
    return end_command(global, show_stored(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

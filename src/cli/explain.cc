// kw explain RUN ATTEMPT: one page of text about that attempt: where it came from, how it ended,
// what came of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/life.h"
#include "engine/orders.h"
#include "engine/readings.h"
#include "record/codec.h"
#include "report/run_folder.h"

namespace kw::cli {
namespace {

struct ExplainFlags {
  std::string run;
  std::string attempt;
};

Result<int> parse_attempt(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1)
    return fail_input("an attempt is named by its number, 1 or above, not '" + text + "'");
  return number;
}

/// The last confirmation of the attempt with this number.
Result<std::optional<Evaluation>> confirmation_of(const store::RunStore& store,
                                                  const RunSummary& run, int number) {
  const std::string wanted = fmt::format("{}-confirm-{}", run.name, number);
  std::optional<Evaluation> last;
  for (const store::Event& event : KW_TRY(store.events(run.id, "confirm"))) {
    auto evaluation = KW_TRY(decode<Evaluation>(event.body));
    if (evaluation.id == wanted) last = std::move(evaluation);
  }
  return last;
}

Result<> add_relatives(const store::RunStore& store, Life& life) {
  const Attempt& attempt = life.attempt;
  if (attempt.parent != 0) {
    life.parent = KW_TRY(store.attempt(life.run.id, attempt.parent));
    life.told = KW_TRY(engine::reading_of(store, life.run.id, attempt.parent));
    // A prompt shows a judge's reading of the parent only if the judge was asked before this
    // attempt was made; an attempt without exchanges had no prompt.
    if (life.told && (attempt.exchanges.empty() || life.told->asked_for > attempt.number))
      life.told.reset();
  }
  KW_TRY(store.for_each_line(life.run.id, [&](const AttemptLine& line) {
    if (line.parent == attempt.number) life.made_from.push_back(line);
  }));
  const int next = attempt.number + std::max(1, life.run.config.outstanding);
  if (next <= life.run.attempts) life.next = KW_TRY(store.attempt(life.run.id, next));
  return {};
}

Result<Life> life_of(const store::RunStore& store, const std::string& name, int number) {
  Life life;
  life.run = KW_TRY(store.find(name));
  if (number < 1 || number > life.run.attempts)
    return fail_input(fmt::format("this run has no attempt {}; the number of its attempts is {}",
                                  number, life.run.attempts),
                      life.run.name);
  life.attempt = KW_TRY(store.attempt(life.run.id, number));
  life.orders = engine::in_force(KW_TRY(engine::orders_of(store, life.run.id)), number);
  life.reading = KW_TRY(engine::reading_of(store, life.run.id, number));
  for (const std::string& key : life.attempt.exchanges)
    if (auto exchange = KW_TRY(store.exchange(life.run.id, key)))
      life.exchanges.push_back(std::move(*exchange));
  life.spent = KW_TRY(report::spending_of(store, life.run.id, life.attempt));
  KW_TRY(add_relatives(store, life));
  life.confirmation = KW_TRY(confirmation_of(store, life.run, number));
  return life;
}

Result<int> explain(const Global& global, const ExplainFlags& flags) {
  const int number = KW_TRY(parse_attempt(flags.attempt));
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const Life life = KW_TRY(life_of(store, flags.run, number));
  const std::string text = global.json ? dump_json(life_json(life)) + "\n" : page_of(life);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kDone;
}

}  // namespace

Command explain_command() {
  auto flags = std::make_shared<ExplainFlags>();
  Command command;
  command.name = "explain";
  command.summary = "Tell in words who proposed an attempt, why, and what became of it";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
    f.positional("attempt", flags->attempt, "Number of the attempt");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, explain(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

// Reads the life of an attempt from the store.
// SPDX-License-Identifier: Apache-2.0
#include "session/life.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/orders.h"
#include "engine/readings.h"
#include "record/codec.h"
#include "report/run_folder.h"

namespace kw::session {
namespace {

/// The last confirmation of the attempt with this number.
Result<std::optional<Evaluation>> confirmation_of(const store::RunStore& store,
                                                  const RunSummary& run, int number) {
  const std::string wanted = fmt::format("{}-confirm-{}", run.name, number);
  std::optional<Evaluation> last;
  for (const store::Event& event : KW_TRY(store.events().of(run.id, "confirm"))) {
    auto evaluation = KW_TRY(decode<Evaluation>(event.body));
    if (evaluation.id == wanted) last = std::move(evaluation);
  }
  return last;
}

Result<> add_relatives(const store::RunStore& store, Life& life) {
  const Attempt& attempt = life.attempt;
  if (attempt.parent != 0) {
    life.parent = KW_TRY(store.attempts().get(life.run.id, attempt.parent));
    life.told = KW_TRY(engine::reading_of(store, life.run.id, attempt.parent));
    // A prompt shows a judge's reading of the parent only if the judge was asked before this
    // attempt was made; an attempt without exchanges had no prompt.
    if (life.told && (attempt.exchanges.empty() || life.told->asked_for > attempt.number))
      life.told.reset();
  }
  KW_TRY(store.attempts().for_each_line(life.run.id, [&](const AttemptLine& line) {
    if (line.parent == attempt.number) life.made_from.push_back(line);
  }));
  const int next = attempt.number + std::max(1, life.run.config.outstanding);
  if (next <= life.run.attempts) life.next = KW_TRY(store.attempts().get(life.run.id, next));
  return {};
}

}  // namespace

Result<Life> life_of(const Options& options, const std::string& name, int number) {
  const auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  Life life;
  life.run = KW_TRY(store.find(name));
  if (number < 1 || number > life.run.attempts)
    return fail_input(ErrorCode::NotFound, About{"attempt"},
                      fmt::format("this run has no attempt {}; the number of its attempts is {}",
                                  number, life.run.attempts),
                      life.run.name);
  life.attempt = KW_TRY(store.attempts().get(life.run.id, number));
  life.orders = engine::in_force(KW_TRY(engine::orders_of(store, life.run.id)), number);
  life.reading = KW_TRY(engine::reading_of(store, life.run.id, number));
  for (const std::string& key : life.attempt.exchanges)
    if (auto exchange = KW_TRY(store.exchanges().find(life.run.id, key)))
      life.exchanges.push_back(std::move(*exchange));
  life.spent = KW_TRY(report::spending_of(store, life.run.id, life.attempt));
  KW_TRY(add_relatives(store, life));
  life.confirmation = KW_TRY(confirmation_of(store, life.run, number));
  return life;
}

}  // namespace kw::session

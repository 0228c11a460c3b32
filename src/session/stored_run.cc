// Loads stored runs as report data.
// SPDX-License-Identifier: Apache-2.0
#include "session/stored_run.h"

#include "record/codec.h"

namespace kw::session {

Result<report::RunData> load_run(const store::RunStore& store, const std::string& name) {
  report::RunData data;
  data.run = KW_TRY(store.find(name));
  data.baseline = data.run.config.baseline;
  if (const int best = data.run.best_attempt; best != 0)
    data.best = KW_TRY(store.attempts().get(data.run.id, best));
  const std::string wanted = data.run.name + "-confirm-" + std::to_string(data.run.best_attempt);
  for (const store::Event& event : KW_TRY(store.events().of(data.run.id))) {
    if (event.kind == kTermsEvent) data.terms = KW_TRY(decode<Terms>(event.body));
    if (event.kind != "confirm") continue;
    auto evaluation = KW_TRY(decode<Evaluation>(event.body));
    // A resumed run may have confirmed the same attempt twice; the later confirmation counts.
    if (evaluation.id == wanted) data.confirmation = std::move(evaluation);
  }
  return data;
}

bool is_over(const RunSummary& run) {
  return run.state == RunState::Finished || run.state == RunState::Interrupted;
}

}  // namespace kw::session

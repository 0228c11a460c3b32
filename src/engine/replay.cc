// Replays a stored run without writers or judges.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/graphs.h"
#include "engine/loop.h"
#include "engine/orders.h"
#include "engine/run.h"

namespace kw::engine {

Result<std::vector<std::string>> replay(const Workbench& workbench, const store::RunStore& store,
                                        const RunSummary& stored) {
  const auto& baselines = workbench.baselines();
  const auto baseline = std::find_if(baselines.begin(), baselines.end(), [&](const Candidate& c) {
    return c.name == stored.config.baseline;
  });
  if (baseline == baselines.end())
    return fail_input(ErrorCode::Changed, About{stored.config.baseline},
                      "the task no longer has the baseline '" + stored.config.baseline + "'",
                      stored.name);
  constexpr int kNoneIsNew = std::numeric_limits<int>::max();
  auto orders = KW_TRY(OrderBook::open(store, stored.id, kNoneIsNew));
  std::vector<std::string> decisions;
  const auto log = [&](const std::string& line) { decisions.push_back(line); };
  std::shared_ptr<const TechniqueGraph> graph;
  if (KW_TRY(knows_graph(stored.config)))
    graph = std::make_shared<const TechniqueGraph>(KW_TRY(recorded_graph(store, stored)));
  auto loop = KW_TRY(Loop::create(workbench, stored.config, *baseline, log, std::move(graph)));
  const auto obey_due = [&] {
    while (const auto due = orders.take(loop.next_number(), loop.told())) loop.obey(due->order);
  };
  const search::StrategyInfo* strategy = KW_TRY(search::find_strategy(stored.config.strategy));
  bool differs = false;
  // Sources are loaded for a writing strategy alone, whose later asks refer to them; the workbench
  // gives all others.
  const auto sources = strategy->is_writing ? store::Sources::Load : store::Sources::LeaveOut;
  KW_TRY(store.attempts().for_each(stored.id, sources, [&](Attempt& attempt) -> Result<> {
    if (differs) return {};
    while (loop.in_flight().size() <
           static_cast<std::size_t>(std::max(1, stored.config.outstanding))) {
      obey_due();
      if (!KW_TRY(loop.ask())) break;
    }
    const auto& asked = loop.in_flight();
    const std::string now = asked.empty() ? "nothing" : search::encode_ask(asked.front().ask);
    differs = now != attempt.ask;
    if (differs)
      decisions.push_back(ask_line(attempt.number, now));
    else
      loop.absorb(attempt);
    return {};
  }));
  if (differs) return decisions;
  obey_due();  // obey the orders that came when nothing was asked any more
  decisions.push_back("stop " + stored.stopped_by);
  return decisions;
}

}  // namespace kw::engine

// Finds the exchanges of an attempt in the store.
// SPDX-License-Identifier: Apache-2.0
#include "session/exchanges.h"

#include <fmt/format.h>

#include <utility>

#include "propose/counsel.h"
#include "propose/judge.h"
#include "store/run_store.h"

namespace kw::session {

Result<AttemptExchanges> exchanges_of(const Options& options, const std::string& name,
                                      int attempt) {
  const auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  const RunSummary run = KW_TRY(store.find(name));
  const std::string scope = propose::scope_of_attempt(attempt);
  const std::string read = propose::scope_of_reading(attempt);
  AttemptExchanges found{run.name, {}};
  KW_TRY(store.exchanges().for_each(run.id, [&](Exchange& exchange) -> Result<> {
    if (exchange.scope == scope || exchange.scope == read ||
        propose::attempt_of_counsel(exchange.scope) == attempt)
      found.exchanges.push_back(std::move(exchange));
    return {};
  }));
  if (found.exchanges.empty())
    return fail_input(ErrorCode::NotFound,
                      fmt::format("no model was asked for this attempt ({})", scope), name);
  return found;
}

}  // namespace kw::session

// Keeps shipped knowledge in a workspace.
// SPDX-License-Identifier: Apache-2.0
#include "session/known_cards.h"

#include "session/searching/shelf.h"
#include "session/tasks.h"

namespace kw::session {

Result<> keep_known_cards(const Options& options, store::RunStore& store,
                          const std::vector<Target>& targets) {
  const engine::Shelf shelf = KW_TRY(open_shelf(KW_TRY(open_data(options)), "", "", 0, {}));
  for (const Target target : targets) KW_TRY(engine::keep_knowledge(store, shelf, target));
  return {};
}

}  // namespace kw::session

// The cards of knowledge in a workspace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "record/enums.h"
#include "session/options.h"
#include "store/run_store.h"

namespace kw::session {

/// Brings the shipped cards and those of the playbook into the workspace's index, as the start of a
/// run does.
Result<> keep_known_cards(const Options& options, store::RunStore& store,
                          const std::vector<Target>& targets);

}  // namespace kw::session

// The knowledge for a run's prompts (the shelf), with an embedding model if the flags ask for one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/knowledge.h"
#include "memory/data_files.h"
#include "record/attempt.h"

namespace kw::session {

/// Checks an embedding model before a run begins: under a budget in dollars its price must be
/// known; otherwise an unknown price is only reported. A known price is added to the prices stored
/// in `config`.
Result<> check_embedder(const memory::DataFiles& data, const std::string& embedder,
                        const std::string& base_url, RunConfig& config,
                        const std::function<void(const std::string&)>& on_notice);

/// Opens the shipped knowledge cards and the playbook's. `embedder_name` is the value of --embed;
/// empty: none. Error: the embedding model cannot be opened (key, provider); no call is made yet.
/// Its server gets timeouts_of(`timeout_ns`). `on_notice` receives later problems.
Result<engine::Shelf> open_shelf(const memory::DataFiles& data, const std::string& embedder_name,
                                 const std::string& base_url, std::int64_t timeout_ns,
                                 std::function<void(const std::string&)> on_notice);

}  // namespace kw::session

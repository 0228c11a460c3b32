// The shelf of knowledge that a run takes along, with an embedding model if one is asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/knowledge.h"
#include "memory/data_files.h"
#include "record/attempt.h"

namespace kw::cli {

/// Checks an embedding model before a run begins: a budget in dollars requires its price; without
/// budget an unknown price is only reported. A known price is added to those that `config` keeps.
Result<> check_embedder(const memory::DataFiles& data, const std::string& embedder,
                        const std::string& base_url, RunConfig& config,
                        const std::function<void(const std::string&)>& on_notice);

/// The shipped cards and those of the playbook. `embedder_name` is the value of --embed; empty:
/// none. Error: the embedding model cannot be opened (key, provider); it is not asked yet. Its
/// server has the timeouts_of(`timeout_ns`). `on_notice` gets later trouble.
Result<engine::Shelf> open_shelf(const memory::DataFiles& data, const std::string& embedder_name,
                                 const std::string& base_url, std::int64_t timeout_ns,
                                 std::function<void(const std::string&)> on_notice);

}  // namespace kw::cli

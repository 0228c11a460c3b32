// The shelf of knowledge that a run takes along, with an embedding model behind it if asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/knowledge.h"
#include "memory/data_files.h"
#include "record/attempt.h"

namespace kw::cli {

/// What a run that may rank by `embedder` (as below) has to know before it begins: under a budget
/// in dollars its price; else that it is unknown, which is said. A known one joins those that
/// `config` keeps.
Result<> check_embedder(const memory::DataFiles& data, const std::string& embedder,
                        const std::string& base_url, RunConfig& config,
                        const std::function<void(const std::string&)>& on_notice);

/// Shipped cards and those of the playbook. `embedder` as --embed names it, empty: none; one that
/// cannot be opened (key, provider) is an error; nothing is asked yet. Its server is borne with as
/// timeouts_of(`timeout_ns`) says. `on_notice` hears of trouble later.
Result<engine::Shelf> open_shelf(const memory::DataFiles& data, const std::string& embedder_name,
                                 const std::string& base_url, std::int64_t timeout_ns,
                                 std::function<void(const std::string&)> on_notice);

}  // namespace kw::cli

// The shelf of knowledge that a run takes along, with an embedding model behind it if asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/knowledge.h"
#include "memory/data_files.h"

namespace kw::cli {

/// Shipped cards and those of the playbook. `embedder` as --embed names it, empty: none; one that
/// cannot be opened (key, provider) is an error; nothing is asked yet. Its server is borne with as
/// timeouts_of(`timeout_ns`) says. `on_notice` hears of trouble later.
Result<engine::Shelf> open_shelf(const memory::DataFiles& data, const std::string& embedder_name,
                                 const std::string& base_url, std::int64_t timeout_ns,
                                 std::function<void(const std::string&)> on_notice);

}  // namespace kw::cli

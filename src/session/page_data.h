// A stored run as its page shows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/run_data.h"
#include "session/options.h"
#include "store/run_store.h"

namespace kw::session {

/// Loads a stored run with its device, sources and orders. Error: no such run.
Result<report::RunData> data_for_page(const Options& options, const store::RunStore& store,
                                      const std::string& name);

}  // namespace kw::session

// The tasks "synthetic:SEED[:IDEAS[:MS]]" and "recorded:RUN": landscapes (search spaces with
// computed or recorded times), which are searched without worker, device or compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/workbench.h"
#include "evaluate/carrier.h"
#include "session/options.h"

namespace kw::session {

struct LandscapeTask {
  std::string name;    ///< The name of the landscape's runs: "synthetic" or "recorded".
  std::string sha256;  ///< Hash of a record; empty: the landscape is synthetic and cannot change.
  std::unique_ptr<engine::Workbench> workbench;  ///< Owns the landscape; must outlive the carrier.
  std::unique_ptr<evaluate::Carrier> carrier;
};

/// Whether the name begins like that of a landscape (a search space of stored times); does not
/// check the rest of the name.
bool is_landscape(const std::string& task);

/// Opens a landscape, a search space of computed or recorded times; nothing if !is_landscape().
/// Error: a bad seed or number of ideas, or an unknown run.
std::optional<Result<LandscapeTask>> open_landscape(const Options& options,
                                                    const std::string& task);

}  // namespace kw::session

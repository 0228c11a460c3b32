// The tasks "synthetic:SEED[:IDEAS[:MS]]" and "recorded:RUN": landscapes (search spaces with
// computed or recorded times), which are searched without worker, device or compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/flags.h"
#include "engine/workbench.h"
#include "evaluate/carrier.h"

namespace kw::cli {

struct SyntheticBench {
  std::string name;    ///< The name of the landscape's runs: "synthetic" or "recorded".
  std::string sha256;  ///< Hash of a record; empty: the landscape is synthetic and cannot change.
  std::unique_ptr<engine::Workbench> workbench;  ///< Owns the landscape; must outlive the carrier.
  std::unique_ptr<evaluate::Carrier> carrier;
};

/// Whether the task's name has the prefix of a landscape; neither parses nor opens the rest.
bool is_landscape(const std::string& task);

/// The workbench and carrier of a landscape; nothing if !is_landscape(). Error: a bad seed or
/// number of ideas, or an unknown run.
std::optional<Result<SyntheticBench>> synthetic_bench(const Global& global,
                                                      const std::string& task);

}  // namespace kw::cli

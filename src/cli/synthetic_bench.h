// The tasks "synthetic:SEED[:IDEAS[:MS]]" and "recorded:RUN": landscapes to search without worker,
// device or compiler.
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
  std::string name;                              ///< Of its runs: "synthetic" | "recorded".
  std::string sha256;                            ///< Of a record; empty: nothing can change.
  std::unique_ptr<engine::Workbench> workbench;  ///< Owns the landscape; outlives the carrier.
  std::unique_ptr<evaluate::Carrier> carrier;
};

/// Without looking further than at how its name begins.
bool is_landscape(const std::string& task);

/// Nothing unless it is_landscape(); a bad seed or number of ideas, or no such run, is an error.
std::optional<Result<SyntheticBench>> synthetic_bench(const Global& global,
                                                      const std::string& task);

}  // namespace kw::cli

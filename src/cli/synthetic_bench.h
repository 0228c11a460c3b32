// The task "synthetic:SEED[:IDEAS[:MS]]": a landscape to search without worker, device or compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/workbench.h"
#include "evaluate/carrier.h"

namespace kw::cli {

struct SyntheticBench {
  std::unique_ptr<engine::Workbench> workbench;  ///< Owns the landscape; outlives the carrier.
  std::unique_ptr<evaluate::Carrier> carrier;
};

/// Nothing unless `task` starts with "synthetic:"; a bad seed or number of ideas is an error.
std::optional<Result<SyntheticBench>> synthetic_bench(const std::string& task);

}  // namespace kw::cli

// Readings of judge models, kept with the run so that no prompt differs after a resume.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "record/proposal.h"
#include "store/run_store.h"

namespace kw::engine {

/// What a judge model concluded from the findings on this attempt; nothing if no judge was asked.
Result<std::optional<Reading>> reading_of(const store::RunStore& store, std::int64_t run,
                                          int attempt);

Result<> keep_reading(store::RunStore& store, std::int64_t run, const Reading& reading);

}  // namespace kw::engine

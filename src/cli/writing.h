// The flags about the language models of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "record/attempt.h"

namespace kw::cli {

/// The most kernels that models may write for one attempt, of which the best-ranked is judged.
inline constexpr std::int64_t kMostShortlist = 16;

/// The flags about a run's models.
struct WritingFlags {
  ModelFlags models;
  SpendFlags spend;
  PaceFlags pace;
  LengthFlags length;
  AskingFlags asking;
  std::int64_t writes = 0;  ///< 0: the default of StrategyOptions.
  std::int64_t shortlist = 1;
  std::string ensemble;  ///< The policy that chooses among models; empty: bandit.
  std::vector<std::string> constraints;
  std::vector<std::string> hints;

  void declare(Flags& flags);
  /// Sets the fields of `config` about models: models, limits, rates, lengths, reply settings,
  /// writes, constraints and hints. Error: a flag that has an effect only on models, without
  /// --model.
  Result<> into(RunConfig& config) const;
  /// Whether some model writes candidates rather than only playing another role.
  Result<bool> has_writer() const;
};

}  // namespace kw::cli

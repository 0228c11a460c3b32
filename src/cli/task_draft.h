// kw task new --describe and kw task accept: tasks that a model drafts and a person accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/target_flags.h"
#include "platform/files.h"

namespace kw::cli {

struct DescribeFlags {
  std::string words;
  ModelFlags models;
  SpendFlags spend;
  PaceFlags pace;
  LengthFlags length;
  AskingFlags asking;
  std::int64_t tries = 4;
  bool yes = false;

  void declare(Flags& flags);
  /// Whether flags are given that have an effect only with --describe.
  bool any() const {
    return !models.models.empty() || spend.any() || pace.any() || length.any() || asking.any() ||
           yes;
  }
};

/// Lets the model draft a task into `folder`, which must not exist. The result is marked as a draft
/// unless it passes the checks and --yes was given. kNotGood: the task does not pass the checks
/// yet.
Result<int> draft_from_words(const Global& global, const DescribeFlags& flags,
                             const platform::Path& folder);

/// Runs the checks of kw task check on a drafted task, as it is now. If it passes, removes the file
/// that marks the task as a draft.
Result<int> accept_draft(const Global& global, const std::string& name);

}  // namespace kw::cli

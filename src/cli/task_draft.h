// kw task new --describe and kw task accept: tasks that a model drafts and a person accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/target_flags.h"
#include "platform/files.h"
#include "task/definition.h"
#include "worker/messages.h"

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

/// Checks that the task accepts its reference and rejects every null answer and every mutant, by
/// building and running each; returns and stores one line for each result. After `budget_ns` no
/// further check begins, the lines say what was left out, and the task is not admitted; 0: no
/// limit.
Result<std::vector<worker::AdmissionLine>> admit(const Global& global, task::Definition definition,
                                                 const Aim& aim = {}, std::int64_t budget_ns = 0);
bool is_admitted(const std::vector<worker::AdmissionLine>& lines);
/// "admitted" or "NOT admitted", and the workloads that were not fully checked.
std::string admission_words(const std::vector<worker::AdmissionLine>& lines);

/// Lets the model draft a task into `folder`, which must not exist. The result is marked as a draft
/// unless it passes the checks and --yes was given. kNotGood: the task does not pass the checks
/// yet.
Result<int> draft_from_words(const Global& global, const DescribeFlags& flags,
                             const platform::Path& folder);

/// Runs the checks of kw task check on a drafted task, as it is now. If it passes, removes the file
/// that marks the task as a draft.
Result<int> accept_draft(const Global& global, const std::string& name);

}  // namespace kw::cli

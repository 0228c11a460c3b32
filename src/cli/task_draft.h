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
  /// Flags that mean nothing without --describe.
  bool any() const {
    return !models.models.empty() || spend.any() || pace.any() || length.any() || asking.any() ||
           yes;
  }
};

/// Builds and runs the reference of a task, every null answer and every mutant: a line each, empty
/// for none; the store keeps what came of it. After `budget_ns` nothing more is begun, the lines
/// say what was left, and the task is not admitted; 0: however long it takes.
Result<std::vector<worker::AdmissionLine>> admit(const Global& global, task::Definition definition,
                                                 const Aim& aim = {}, std::int64_t budget_ns = 0);
bool is_admitted(const std::vector<worker::AdmissionLine>& lines);
/// "admitted" or "NOT admitted", and which workloads were left out, at least in part.
std::string admission_words(const std::vector<worker::AdmissionLine>& lines);

/// Has the model draft the task into `folder`, which must not exist; the result is marked as a
/// draft unless it passes and --yes was given. kNotGood: it does not pass yet.
Result<int> draft_from_words(const Global& global, const DescribeFlags& flags,
                             const platform::Path& folder);

/// Admits a draft once more, as it is now, and takes its mark away.
Result<int> accept_draft(const Global& global, const std::string& name);

}  // namespace kw::cli

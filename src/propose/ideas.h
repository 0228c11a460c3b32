// The ideas of a run without a model: the task's own candidates, its playbook, and generic
// variants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"
#include "task/definition.h"
#include "task/header.h"

namespace kw::propose {

/// A source with its tuning space; `candidate` has the default value of every knob.
struct SourceIdea {
  Candidate candidate;
  task::CandidateHeader header;
  std::string why;
};

/// The ideas for `target`, in the order in which to try them. `playbook` holds the files of the
/// task's playbook folder by name. Generic variants, which exist for cpu only, are added where the
/// playbook has no kernel for the task. Error: a shipped kernel cannot be read; the error shows the
/// line.
Result<std::vector<SourceIdea>> gather_ideas(const task::Definition& task,
                                             const std::map<std::string, std::string>& playbook,
                                             Target target = kDefaultTarget);

}  // namespace kw::propose

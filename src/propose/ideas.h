// The ideas of a run without a model: the task's own candidates, its playbook, generic variants.
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

/// A source with its tuning space; `candidate` stands at the default point.
struct Idea {
  Candidate candidate;
  task::CandidateHeader header;
  std::string why;
};

/// The ideas for `target`, in the order in which they should be tried. `playbook` holds the files
/// of the task's playbook folder by name; generic variants, which are for cpu, join only where the
/// playbook has no kernel for the task. An unreadable shipped kernel is an error that shows the
/// line.
Result<std::vector<Idea>> gather_ideas(const task::Definition& task,
                                       const std::map<std::string, std::string>& playbook,
                                       Target target = Target::Cpu);

}  // namespace kw::propose

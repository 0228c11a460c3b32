// Cells of a suite in technique worlds and on records, searched in this process without the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/flags.h"
#include "report/suite_data.h"
#include "search/recorded.h"
#include "search/technique_world.h"

namespace kw::cli {

/// Worlds and records by task. Each is made once, since finding a world's optimum means looking at
/// all of it. When all are open, several threads may use them.
class Worlds {
 public:
  /// Opens a task: techniques:SEED, or recorded:RUN, which is read.
  Result<> open(const Global& global, const std::string& task);
  /// An open world; lives as long as this object.
  const search::TechniqueWorld& world(const std::string& task) const { return *worlds_.at(task); }
  const search::RecordedLandscape& record(const std::string& task) const {
    return *records_.at(task);
  }

 private:
  std::map<std::string, std::unique_ptr<search::TechniqueWorld>> worlds_;
  std::map<std::string, std::unique_ptr<search::RecordedLandscape>> records_;
};

/// Searches for a cell whose task is open, and stores its winner's true speedup, the optimum and
/// the attempts. Depends on spec, cell and task only.
void search_inside(const task::SuiteSpec& spec, const Worlds& worlds, report::SuiteCell& cell);

}  // namespace kw::cli

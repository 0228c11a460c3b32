// Cells of a suite in technique worlds and on records: searched right here, with the store off.
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

/// Worlds and records by task, made once: to know a world's optimum is to look everywhere. Once all
/// are open, for several threads.
class Worlds {
 public:
  /// `task`: techniques:SEED, or recorded:RUN, which is read.
  Result<> open(const Global& global, const std::string& task);
  /// What is open; lives as long as this.
  const search::TechniqueWorld& world(const std::string& task) const { return *worlds_.at(task); }
  const search::RecordedLandscape& record(const std::string& task) const {
    return *records_.at(task);
  }

 private:
  std::map<std::string, std::unique_ptr<search::TechniqueWorld>> worlds_;
  std::map<std::string, std::unique_ptr<search::RecordedLandscape>> records_;
};

/// The search of a cell whose task is open: its winner's true speedup, the optimum, the attempts.
/// Depends on spec, cell and task alone.
void search_inside(const task::SuiteSpec& spec, const Worlds& worlds, report::SuiteCell& cell);

}  // namespace kw::cli

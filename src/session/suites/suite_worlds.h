// Does the searches of a suite whose tasks are technique worlds or recorded runs, in this process
// and without the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "report/suite_data.h"
#include "search/recorded.h"
#include "search/technique_world.h"
#include "session/options.h"

namespace kw::session {

/// Opened technique worlds and recorded runs, by task. Each is built only once, since finding a
/// world's optimum examines the whole world. After the last open(), several threads may read.
class Worlds {
 public:
  /// Opens a task: builds the world of techniques:SEED, or reads the run of recorded:RUN.
  Result<> open(const Options& options, const std::string& task);
  /// A world that open() has built; lives as long as this object.
  const search::TechniqueWorld& world(const std::string& task) const { return *worlds_.at(task); }
  const search::RecordedLandscape& record(const std::string& task) const {
    return *records_.at(task);
  }

 private:
  std::map<std::string, std::unique_ptr<search::TechniqueWorld>> worlds_;
  std::map<std::string, std::unique_ptr<search::RecordedLandscape>> records_;
};

/// Searches the cell's task, which must be open, and stores in the cell its winner's true speedup,
/// the optimum and the attempts. The result depends only on spec, cell and task.
void search_inside(const task::SuiteSpec& spec, const Worlds& worlds, report::SuiteCell& cell);

}  // namespace kw::session

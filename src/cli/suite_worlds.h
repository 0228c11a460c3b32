// Cells of a suite in technique worlds: searched right here, with the store off.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "report/suite_data.h"
#include "search/technique_world.h"

namespace kw::cli {

/// Worlds by task, made once: to know its optimum is to look everywhere. For several threads.
class Worlds {
 public:
  /// `task`: techniques:SEED. Lives as long as this.
  const search::TechniqueWorld& at(const std::string& task);

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<search::TechniqueWorld>> worlds_;
};

/// The search of a cell: its winner's true speedup, the world's optimum, the attempts. Depends on
/// spec and cell alone.
void search_world(const task::SuiteSpec& spec, Worlds& worlds, report::SuiteCell& cell);

}  // namespace kw::cli

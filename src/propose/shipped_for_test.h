// The shipped tasks, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "memory/data_files.h"
#include "memory/shipped_task.h"
#include "task/load.h"

namespace kw::propose {

/// The definition of a task that ships with the program.
inline task::Definition shipped(const std::string& name) {
  const auto data = memory::DataFiles::open(std::nullopt);
  auto definition = task::parse_task(*memory::shipped_task(*data, name));
  EXPECT_TRUE(definition.has_value()) << name;
  return std::move(*definition);
}

}  // namespace kw::propose

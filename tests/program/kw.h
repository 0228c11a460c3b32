// Drives the built kw in a workspace of its own, as a user would.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/files.h"
#include "platform/subprocess.h"

namespace kw::program {

using Words = std::vector<std::string>;

struct Ran {
  int code = -1;  ///< -1 where a signal ended it.
  int signal = 0;
  std::string out;
  std::string err;

  std::string first_error() const { return err.substr(0, err.find('\n')); }
  /// Standard output as the one JSON object it must be; null with a failure of the test otherwise.
  nlohmann::json json() const;
};

/// A directory with its own home, removed at the end. Programs start in it.
class Workspace {
 public:
  Workspace();
  const platform::Path& path() const { return dir_.path(); }
  /// Runs kw to its end; more than a minute fails the test. `env` on top of PATH and HOME.
  Ran kw(const Words& arguments, const Words& env = {}) const;
  platform::Process start(const Words& arguments) const;
  void write(const std::string& file, const std::string& text) const;
  /// The file's text; empty where there is none.
  std::string read(const std::string& file) const;

 private:
  platform::SpawnOptions options(const Words& env) const;
  platform::TempDir dir_;
};

Ran ended(const Result<platform::Exit>& exit);

/// The task of tests that must not measure: a folder that is right in every part.
void write_good_task(const Workspace& workspace, const std::string& folder);
extern const char* const kGoodTaskYaml;

}  // namespace kw::program

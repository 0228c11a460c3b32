// A GPU emulated on the host's cores for the built kw, which a test can make fail
// (tests/cuda/emulator).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kw.h"

namespace kw::program {

/// Base of tests whose workspace has a task and whose kw finds the stand-in. A test is skipped if
/// there is no nvcc or no jail. Objects are built once for all tests of a build.
class StandIn : public testing::Test {
 protected:
  void SetUp() override;

  Ran kw(const Words& arguments) const { return w_.kw(arguments, env()); }
  /// Runs the kw-worker that lies beside kw.
  Ran worker(const Words& arguments) const;
  Words env() const;
  /// Changes the stand-in for programs that start later. `faults` has lines of a word and a value,
  /// which the emulator's README lists.
  void be(const std::string& faults) const { w_.write("gpu/faults", faults); }
  /// Makes every further call of the driver end with `status`, also in programs that already run.
  void lose(int status) const { w_.write("gpu/lost", std::to_string(status)); }
  void bring_back() const;
  /// A correct kernel of task twice that takes `ms` milliseconds and little more.
  static std::string sleeper(int ms);
  /// Stores plausible ceilings in the workspace, since measuring them on the stand-in takes
  /// minutes.
  void know_ceilings() const;
  /// Whether a run could not begin because the machine was too busy to time its baseline; another
  /// run may succeed.
  static bool is_too_busy(const std::string& said) {
    return said.find("no baseline of this task could be timed") != std::string::npos;
  }
  /// Judges a kernel of the task named `twice` with `--until check` and JSON output.
  Ran check(const std::string& file) const;

  Workspace w_{Whose::Suite};
};

/// Expects one line on standard error and no other output.
void expect_one_line(const Ran& ran, int code);

}  // namespace kw::program

// A GPU made of the host's cores for the built kw, which a test can break (tests/cuda/emulator).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kw.h"

namespace kw::program {

/// A workspace whose kw finds the stand-in, with a task. The test is skipped where there is no nvcc
/// or no jail. Objects are built once for all tests of a build.
class StandIn : public testing::Test {
 protected:
  void SetUp() override;

  Ran kw(const Words& arguments) const { return w_.kw(arguments, env()); }
  /// The kw-worker beside kw.
  Ran worker(const Words& arguments) const;
  Words env() const;
  /// Changes the stand-in for the programs that start next; lines of a word and a value, as its
  /// README says.
  void be(const std::string& faults) const { w_.write("gpu/faults", faults); }
  /// Makes every further call of the driver end with `status`, in running programs too.
  void lose(int status) const { w_.write("gpu/lost", std::to_string(status)); }
  void bring_back() const;
  /// A right kernel of task twice that takes `ms` and little more.
  static std::string sleeper(int ms);
  /// Puts plausible ceilings into the workspace, which a stand-in would take minutes to measure.
  void know_ceilings() const;
  /// Whether a run could not begin because its baseline could not be timed on a busy machine;
  /// another run may succeed.
  static bool is_too_busy(const std::string& said) {
    return said.find("no baseline of this task could be timed") != std::string::npos;
  }
  /// Judges a kernel of task twice until the check, as JSON.
  Ran check(const std::string& file) const;

  Workspace w_{Whose::Suite};
};

/// Expects one line on standard error and no other output.
void expect_one_line(const Ran& ran, int code);

}  // namespace kw::program

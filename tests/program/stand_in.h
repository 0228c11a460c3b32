// A GPU made of the host's cores for the built kw, which a test can break (tests/cuda/emulator).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kw.h"

namespace kw::program {

/// A workspace whose kw finds the stand-in, and a task for it; left out where there is no nvcc or
/// no jail. Objects are built once for all tests of a build.
class StandIn : public testing::Test {
 protected:
  void SetUp() override;

  Ran kw(const Words& arguments) const { return w_.kw(arguments, env()); }
  /// The kw-worker that stands beside it.
  Ran worker(const Words& arguments) const;
  Words env() const;
  /// What the stand-in is from the next program on, a word and a value a line: see its README.
  void be(const std::string& faults) const { w_.write("gpu/faults", faults); }
  /// From now on every call of the driver ends with `status`, in programs that run too.
  void lose(int status) const { w_.write("gpu/lost", std::to_string(status)); }
  void bring_back() const;
  /// Kernel of task twice that is right and takes `ms` and little more.
  static std::string sleeper(int ms);
  /// Puts plausible ceilings into the workspace, which a stand-in would take minutes to measure.
  void know_ceilings() const;
  /// Whether a run could not begin since a busy machine kept its baseline from being timed; another
  /// may.
  static bool is_too_busy(const std::string& said) {
    return said.find("no baseline of this task could be timed") != std::string::npos;
  }
  /// Judges a kernel of task twice until the check, as JSON.
  Ran check(const std::string& file) const;

  Workspace w_{Whose::Suite};
};

/// One line on standard error and nothing else was said.
void expect_one_line(const Ran& ran, int code);

}  // namespace kw::program

// Runs the built kw in a workspace of its own, as a user would.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/files.h"
#include "platform/subprocess.h"

namespace kw::program {

using Words = std::vector<std::string>;

/// The longest time that anything may take, since tests share a loaded machine and may run
/// sanitised programs.
inline constexpr platform::Nanoseconds kPatience = std::chrono::minutes(5);
/// Calls the function until it returns true; false if kPatience ended before.
bool wait_until(const std::function<bool()>& is_so);

struct Ran {
  int code = -1;  ///< -1: a signal ended the program.
  int signal = 0;
  std::string out;
  std::string err;

  std::string first_error() const { return err.substr(0, err.find('\n')); }
  /// Standard output parsed as a single JSON object; if it is none, the test fails and the value is
  /// null.
  nlohmann::json json() const;
};

/// Which kw a workspace starts: Ours is that of this build. Suite is the one that KW_SUITE_KW
/// names, for tests that judge kernels, search for long or start kw dozens of times, where a
/// sanitised kw would take three times as long.
enum class Whose { Ours, Suite };

/// A temporary directory with its own home, in which programs are started. It is removed at the
/// end, but compiled objects are kept for later tests.
class Workspace {
 public:
  explicit Workspace(Whose whose = Whose::Ours);
  const platform::Path& path() const { return dir_.path(); }
  /// The folder that holds kw and the programs that kw starts.
  platform::Path programs() const { return platform::Path(program_).parent_path(); }
  const std::string& program() const { return program_; }
  /// Options with which programs are started in the workspace; `env` is added to PATH and HOME.
  platform::SpawnOptions options(const Words& env) const;
  /// Runs kw to its end; the test fails if that takes longer than kPatience. `env` is added to PATH
  /// and HOME.
  Ran kw(const Words& arguments, const Words& env = {}) const;
  /// What kw prints when it refuses a command, which must end with exit code 2.
  std::string refusal(Words command, const Words& more) const;
  /// Runs a shell script in the same way as kw(); $KW is the program's path.
  Ran shell(const std::string& script) const;
  platform::Process start(const Words& arguments) const;
  /// Starts kw with standard error going to the file `err`, which can be read while kw runs.
  platform::Process start_audible(const Words& arguments, const std::string& err,
                                  const Words& env = {}) const;
  /// The only run of the workspace, as `kw runs` lists it; null if there is none yet.
  nlohmann::json run() const;
  void write(const std::string& file, const std::string& text) const;
  /// The file's text; empty if there is no such file.
  std::string read(const std::string& file) const;

 private:
  platform::Process spawn(const Words& words, const Words& env) const;
  platform::TempDir dir_;
  std::string program_;
};

Ran ended(const Result<platform::Exit>& exit);

/// True if the run ended because no jail works here, so the test may be skipped. With
/// KW_REQUIRE_JAIL=1 that is a failure.
bool lacks_jail(const Ran& ran);

/// Writes a complete and valid task folder, for tests that must not measure.
void write_good_task(const Workspace& workspace, const std::string& folder);
/// Writes a task whose reference is so slow that on any machine a few pairs of calls show a kernel
/// to be faster. A good kernel takes about 50 us, because calls of less than 16 us cannot be
/// measured.
void write_easy_task(const Workspace& workspace, const std::string& folder);
/// Does write_easy_task() in the folder "twice" of a workspace that already knows the machine's
/// ceilings and the baselines' times. They are measured once for all tests, for use by tests of
/// later steps.
void write_known_task(const Workspace& workspace);
/// The folder that `make` fills once for all tests, for use by tests of later steps. The next test
/// tries again where it was not made. It is made anew for another build of the program.
platform::Path made_once(const std::string& name,
                         const std::function<void(const platform::Path&)>& make);
/// Leaves in the workspace the task "twice" and the run "twice-1", whose only kernel,
/// kFasterKernel, is confirmed as faster than the reference. The run is made once for all tests.
/// Its code is not 0 where it could not be made, and the workspace then has no run.
Ran write_won_run(const Workspace& workspace);
/// Names of the strategies for which a model writes sources, as kw lists them when it gets an
/// unknown name. Needs a task "twice".
std::vector<std::string> writing_strategies(const Workspace& workspace);
/// A kernel for the easy task that takes a quarter of the reference's time. It is bound by
/// arithmetic: near a memory ceiling, that ceiling would be measured again.
extern const char* const kFasterKernel;
extern const char* const kGoodTaskYaml;

}  // namespace kw::program

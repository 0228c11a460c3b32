// Drives the built kw in a workspace of its own, as a user would.
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

/// The longest that anything may take: tests share a loaded machine with others, sanitised.
inline constexpr platform::Nanoseconds kPatience = std::chrono::minutes(5);
/// Calls the function until it returns true; false where the patience ended.
bool wait_until(const std::function<bool()>& is_so);

struct Ran {
  int code = -1;  ///< -1: a signal ended the program.
  int signal = 0;
  std::string out;
  std::string err;

  std::string first_error() const { return err.substr(0, err.find('\n')); }
  /// Standard output as the one JSON object it must be; null with a failure of the test otherwise.
  nlohmann::json json() const;
};

/// Whose kw a workspace starts: that of this build, or the one that KW_SUITE_KW names, where tests
/// judge kernels, search for long or start it dozens of times and a sanitised one would take three
/// times as long.
enum class Whose { Ours, Suite };

/// A directory with its own home, removed at the end. Programs start in it. What they compile is
/// kept for the next test.
class Workspace {
 public:
  explicit Workspace(Whose whose = Whose::Ours);
  const platform::Path& path() const { return dir_.path(); }
  /// The folder of the program and of the programs that it starts.
  platform::Path programs() const { return platform::Path(program_).parent_path(); }
  const std::string& program() const { return program_; }
  /// How programs are started in it; `env` on top of PATH and HOME.
  platform::SpawnOptions options(const Words& env) const;
  /// Runs kw to its end; a test fails where that takes longer than kPatience. `env` on top of PATH
  /// and HOME.
  Ran kw(const Words& arguments, const Words& env = {}) const;
  /// What kw says when it turns a command down, which must end with 2.
  std::string refusal(Words command, const Words& more) const;
  /// Runs a shell script like kw(), with the program's path in $KW.
  Ran shell(const std::string& script) const;
  platform::Process start(const Words& arguments) const;
  /// Starts kw with standard error in the file `err`, which can be read while kw runs.
  platform::Process start_audible(const Words& arguments, const std::string& err,
                                  const Words& env = {}) const;
  /// The only run of the workspace, as `kw runs` shows it; null while there is none.
  nlohmann::json run() const;
  void write(const std::string& file, const std::string& text) const;
  /// The file's text; empty where there is none.
  std::string read(const std::string& file) const;

 private:
  platform::Process spawn(const Words& words, const Words& env) const;
  platform::TempDir dir_;
  std::string program_;
};

Ran ended(const Result<platform::Exit>& exit);

/// True where a run ended for want of a jail and the test may be left out; KW_REQUIRE_JAIL=1
/// forbids that.
bool lacks_jail(const Ran& ran);

/// Writes the task of tests that must not measure: a complete and valid folder.
void write_good_task(const Workspace& workspace, const std::string& folder);
/// Writes the task with a reference so slow that a few pairs show any kernel to be faster, on any
/// machine. A good kernel takes about 50 us, because calls of less than 16 us cannot be measured.
void write_easy_task(const Workspace& workspace, const std::string& folder);
/// write_easy_task() in the folder "twice", where the machine's ceilings and the times of the
/// task's baselines are known. They were measured once for all tests: for those that look at what
/// comes after.
void write_known_task(const Workspace& workspace);
/// Strategies that have sources written, as kw lists them where it does not know a name. Needs a
/// task "twice".
std::vector<std::string> writing_strategies(const Workspace& workspace);
/// A kernel for the easy task that takes a quarter of the reference's time. It is bound by
/// arithmetic, because near a memory ceiling that ceiling would be measured again.
extern const char* const kFasterKernel;
extern const char* const kGoodTaskYaml;

}  // namespace kw::program

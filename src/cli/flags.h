// Flags: what a subcommand declares, without the heavy headers of the parser behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/help.h"

namespace kw::cli {

class Status;

/// Exit codes of every command; documented in docs/formats.md.
enum ExitCode : int {
  kDone = 0,         ///< judge: correct; optimize: a confirmed win.
  kNotGood = 1,      ///< Judged and not correct, or nothing confirmed faster.
  kUsage = 2,        ///< Wrong flags, or input that cannot be used.
  kEnvironment = 3,  ///< Disk, compiler, jail, worker.
  kNotShown = 4,     ///< verify: correct, and not shown to be as fast as asked.
  kInterrupted = 130,
};

/// What a whole number may be; anything else is told with the bound that it misses.
struct WholeNumbers {
  std::int64_t least = 0;
  /// Fits an int: more of anything is a slip of the finger.
  std::int64_t most = 1'000'000'000;
};

/// Declares the flags of one subcommand. Every variable is bound by reference, keeps its default
/// unless the flag is given, and must live until the command has run.
class Flags {
 public:
  explicit Flags(void* app) : app_(app) {}
  void positional(const std::string& name, std::string& into, const std::string& help,
                  bool required = true);
  void positionals(const std::string& name, std::vector<std::string>& into,
                   const std::string& help);
  void text(const std::string& flag, std::string& into, const std::string& help);
  void texts(const std::string& flag, std::vector<std::string>& into, const std::string& help);
  void integer(const std::string& flag, std::int64_t& into, const std::string& help,
               WholeNumbers range = {});
  void on_off(const std::string& flag, bool& into, const std::string& help);

 private:
  void* app_;  ///< CLI::App, known only to flags.cc.
};

/// Flags that every command understands.
struct Global {
  std::string workspace = ".";
  std::string data_dir;  ///< Overrides the shipped tasks, playbook and prompts.
  std::string jail;      ///< The level demanded; empty: the strongest that works here.
  bool json = false;
  /// What the configuration file says of a flag of another command; empty: nothing.
  std::function<std::vector<std::string>(const std::string& command, const std::string& flag)>
      configured{};
  std::string title = "kw";  ///< "kw judge mine.cpp": how others call this program.
  Status* status = nullptr;  ///< What is being done, shown while it takes; null: nobody looks.
  /// Ctrl-C or SIGTERM came: what takes long ends as soon as it can. Empty: nobody watches.
  std::function<bool()> is_interrupted{};
};

/// One subcommand; `run` is called after its flags were parsed.
struct Command {
  std::string name;
  std::string summary;
  std::function<void(Flags&)> declare;
  std::function<int(const Global&)> run;
  std::vector<Command> children;  ///< `kw task new`; without `run` one of them must be given.
  /// Where the flags do not fit a screen: what --help shows of them.
  std::vector<HelpGroup> screen{};
};

/// Parses and runs; returns the exit code. Unknown commands and flags name the nearest known one.
/// `alone`: what is done where no command is given.
int run_program(const std::vector<Command>& commands,
                const std::function<int(const Global&)>& alone, int argc, char** argv);

}  // namespace kw::cli

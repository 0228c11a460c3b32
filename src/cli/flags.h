// How a subcommand declares its flags, without the heavy headers of the parser.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/help.h"
#include "session/options.h"

namespace kw::cli {

class Status;

/// Exit codes of all commands, documented in docs/formats.md.
enum ExitCode : int {
  kDone = 0,         ///< judge: correct; optimize: a confirmed win.
  kNotGood = 1,      ///< Judged and not correct, or nothing confirmed faster.
  kUsage = 2,        ///< Wrong flags, or input that cannot be used.
  kEnvironment = 3,  ///< Disk, compiler, jail, worker.
  kNotShown = 4,     ///< verify: correct, but not shown to be as fast as asked.
  kInterrupted = 130,
};

/// The range of a whole number; the error message for a value outside names the bound that is
/// violated.
struct WholeNumbers {
  std::int64_t least = 0;
  /// The default bound fits an int; larger values are typing mistakes.
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
  void* app_;  ///< Points to a CLI::App, which only flags.cc knows.
};

/// Flags that every command understands.
struct Global : session::Options {
  bool json = false;
  /// Returns the values that the configuration file gives to a flag of another command; empty:
  /// none.
  std::function<std::vector<std::string>(const std::string& command, const std::string& flag)>
      configured{};
  /// Shows the current work on the terminal while it takes time; null: shows nothing.
  Status* status = nullptr;
};

/// One subcommand; `run` is called after the flags were parsed.
struct Command {
  std::string name;
  std::string summary;
  std::function<void(Flags&)> declare;
  std::function<int(const Global&)> run;
  /// Subcommands, such as `new` of `kw task`; if `run` is empty, the user must name one.
  std::vector<Command> children;
  /// What --help shows first, for a command whose flags do not fit one screen.
  std::vector<HelpGroup> screen{};
};

/// Parses the arguments, runs a command, and returns the exit code. Messages about unknown commands
/// and flags suggest the most similar existing name. `alone` runs if no command is given.
int run_program(const std::vector<Command>& commands,
                const std::function<int(const Global&)>& alone, int argc, char** argv);

}  // namespace kw::cli

// Formats the pages of --help and --help-all from what a command declares. Functions have no side
// effects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kw::cli {

/// One flag, positional argument or subcommand, as a line of help.
struct HelpEntry {
  std::string name;   ///< The name: "--time", "TASK", "optimize".
  std::string value;  ///< The value of a flag, such as "5m"; empty: the flag has none.
  std::string words;
};

/// A group of flags on the first help screen of a command with many flags.
struct HelpGroup {
  std::string title;
  std::vector<HelpEntry> shown;  ///< Entries whose descriptions fit one line of 80 columns.
  /// Names of further flags, which only --help-all shows, with the descriptions that the command
  /// declares.
  std::vector<std::string> more;
};

struct HelpPage {
  std::string usage;  ///< The usage: "kw optimize TASK".
  std::string summary;
  std::vector<HelpEntry> arguments;
  std::vector<HelpEntry> flags;
  std::vector<HelpEntry> commands;
  std::vector<HelpEntry> everywhere;  ///< Flags that every command understands.
};

/// The first help screen: in groups if there are any, else all arguments and flags of the command.
std::string help_text(const HelpPage& page, const std::vector<HelpGroup>& groups,
                      std::size_t columns);

/// The full help: all arguments and flags, in the groups of the first screen.
std::string help_all_text(const HelpPage& page, const std::vector<HelpGroup>& groups,
                          std::size_t columns);

}  // namespace kw::cli

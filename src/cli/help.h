// Pages of --help and --help-all: pure, from what a command declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kw::cli {

/// One flag or positional argument, or one command of a list.
struct HelpEntry {
  std::string name;   ///< "--time", "TASK", "optimize".
  std::string value;  ///< What stands behind a flag, "5m"; empty: nothing.
  std::string words;
};

/// A part of the first screen of a command with many flags.
struct HelpGroup {
  std::string title;
  std::vector<HelpEntry> shown;   ///< With words short enough for one line of 80 columns.
  std::vector<std::string> more;  ///< Flags that --help-all has here, with their own words.
};

struct HelpPage {
  std::string usage;  ///< "kw optimize TASK".
  std::string summary;
  std::vector<HelpEntry> arguments;
  std::vector<HelpEntry> flags;
  std::vector<HelpEntry> commands;
  std::vector<HelpEntry> everywhere;  ///< Flags that every command understands.
};

/// The first screen: in groups where there are any, else all arguments and flags of the command.
std::string help_text(const HelpPage& page, const std::vector<HelpGroup>& groups,
                      std::size_t columns);

/// Everything, in the same groups.
std::string help_all_text(const HelpPage& page, const std::vector<HelpGroup>& groups,
                          std::size_t columns);

}  // namespace kw::cli

// Options: what a session needs to know about its surroundings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "worker/messages.h"

namespace kw::session {

using worker::Doing;
using worker::Progress;

struct Options {
  std::string workspace = ".";  ///< The folder that holds tasks/ and runs/.
  std::string data_dir;         ///< Overrides the shipped tasks, playbook and prompts.
  std::string jail;          ///< The level that is demanded; empty: the strongest that works here.
  std::string title = "kw";  ///< What other programs that wait call this one: "kw judge mine.cpp".
  /// Returns true after the user interrupted, so that long work ends soon; empty: never.
  std::function<bool()> is_interrupted{};
  /// Hears what the worker is doing, from any thread; empty: nobody listens.
  std::function<void(const Progress&)> on_progress{};
  /// Hears what a person should know, in lines without a line end; empty: nobody listens.
  std::function<void(const std::string&)> on_notice{};

  void notice(const std::string& line) const {
    if (on_notice) on_notice(line);
  }
};

}  // namespace kw::session

// A pseudo-terminal that runs kw: reads its output and types as a person would.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "kw.h"

namespace kw::program {

/// A pseudo-terminal with one program in the foreground. Destruction kills the program.
class Terminal {
 public:
  /// Starts kw in the workspace; `env` is added to the environment that Workspace::kw() uses.
  Terminal(const Workspace& w, const Words& arguments, int columns, const Words& env);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  /// Types Ctrl-C, which the terminal turns into a signal.
  void type_interrupt() const;
  /// Reads until `text` appears on the terminal; false if the program ended before.
  bool wait_for(const std::string& text);
  /// Reads for the given time; true if the program ended meanwhile.
  bool ends_within(std::chrono::milliseconds span);
  /// Reads until the program ends. `out` is everything written to the terminal, with its line ends
  /// "\r\n"; `err` is empty.
  Ran end();

 private:
  /// Waits at most the given time for output; false if none came, or none can come any more.
  bool read_more(std::chrono::milliseconds patience = kAll);
  static constexpr auto kAll = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  platform::Fd master_;
  pid_t pid_ = -1;
  std::string seen_;
  bool is_over_ = false;
};

/// The lines of a live view that overwrite each other, without the lines that stay.
Words passing_lines(const std::string& written);

}  // namespace kw::program

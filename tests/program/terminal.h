// A pseudo-terminal with kw: its output, and what a person types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "kw.h"

namespace kw::program {

/// A person's terminal with one program in the foreground. Destruction kills the program.
class Terminal {
 public:
  /// Starts kw in the workspace; `env` on top of what Workspace::kw() gives it.
  Terminal(const Workspace& w, const Words& arguments, int columns, const Words& env);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  /// Types Ctrl-C, which the terminal turns into a signal.
  void type_interrupt() const;
  /// Reads until `text` appears on the terminal; false where the program ended before.
  bool wait_for(const std::string& text);
  /// Reads for the given time; true where the program ended meanwhile.
  bool ends_within(std::chrono::milliseconds span);
  /// Reads to the program's end: `out` is all that was written to the terminal, with its line ends
  /// ("\r\n"), and `err` is empty.
  Ran end();

 private:
  /// Waits at most the given time; false where nothing came, or nothing more will come.
  bool read_more(std::chrono::milliseconds patience = kAll);
  static constexpr auto kAll = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  platform::Fd master_;
  pid_t pid_ = -1;
  std::string seen_;
  bool is_over_ = false;
};

/// The lines of a live view that replace each other, without those that stay.
Words passing_lines(const std::string& written);

}  // namespace kw::program

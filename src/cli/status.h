// Status: what a command is doing or waiting for, shown as a line at the bottom of a terminal;
// without a terminal as an occasional line in the output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/styled.h"
#include "platform/clock.h"
#include "session/options.h"

namespace kw::cli {

/// The current work of the command.
struct Activity {
  std::string words;        ///< The work in words; empty: nothing that takes time.
  double seconds = 0;       ///< Seconds since the work began.
  bool is_waiting = false;  ///< Whether the command waits for a device that another process uses.
  double waited_s = 0;  ///< Seconds of waiting for devices in total, including the current wait.
};

/// Decides when to print a line that shows that work goes on, if there is no status line at the
/// bottom of a terminal: after ten seconds, then after intervals that triple up to five minutes.
class Reminders {
 public:
  void begin(std::int64_t now_ns);
  /// Returns true once for each reminder that is due; `now_ns` must not decrease.
  bool is_due(std::int64_t now_ns);

 private:
  std::int64_t next_ns_ = 0;
  std::int64_t span_ns_ = 0;
};

/// The status of the program; there is only one object. A thread, which starts with the first
/// activity, shows the status. Safe to call from any thread.
class Status {
 public:
  /// `is_document`: the command prints a document (--json), so only waits and interruptions are
  /// shown, each on a line of its own.
  explicit Status(bool is_document, const platform::Clock& clock = platform::real_clock());
  ~Status();
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  /// Sets the text for the current work and restarts its clock; empty: the program does nothing
  /// that takes time.
  void doing(const std::string& words);
  /// Changes the text for the current work, whose clock goes on.
  void still_doing(const std::string& words);
  /// Sets the current work from a worker's message, and adds up the time spent waiting for devices.
  void hear(const session::Progress& progress);
  Activity activity() const;
  /// Records that a line was printed, which postpones the next reminder.
  void told();

  /// Sets a function that formats the status line instead of the default "WORDS, 12 s". The status
  /// thread calls the function a few times a second; an empty function restores the default. After
  /// this call returns, the previous function is no longer called.
  void compose_by(std::function<OwnLine(const Activity&, const Look&)> compose);
  /// Sets a function that the status thread calls ten times a second, even if no work is set, and
  /// whose lines are printed; empty: no function.
  void ask_for_news(std::function<std::vector<OwnLine>()> news);
  /// Prints `words` as soon as `is_interrupted` returns true, so that a person who interrupts is
  /// told at once.
  void answer_interruption(std::function<bool()> is_interrupted, const std::string& words);

 private:
  void begin_thread();
  void run(const std::stop_token& end);
  void tick();
  void tell_line();

  const bool is_document_;
  const bool has_bottom_line_;
  const platform::Clock& clock_;
  mutable std::mutex mutex_;
  std::mutex calls_;  ///< Held while a function of another object is called.
  std::string words_;
  std::int64_t began_ns_ = 0;
  bool is_waiting_ = false;
  std::int64_t waited_ns_ = 0;
  Reminders reminders_;
  std::function<OwnLine(const Activity&, const Look&)> compose_;
  std::function<std::vector<OwnLine>()> news_;
  std::jthread thread_;
};

/// The default status line: "WORDS, 12 s".
OwnLine status_line(const Activity& activity, const Look& look);

}  // namespace kw::cli

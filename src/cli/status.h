// Status: what this command is doing and waiting for, while it takes: a line at the bottom of a
// terminal, elsewhere now and then a line of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/styled.h"
#include "platform/clock.h"
#include "worker/messages.h"

namespace kw::cli {

/// What is being done.
struct Activity {
  std::string words;        ///< Empty: nothing that takes.
  double seconds = 0;       ///< Since it began.
  bool is_waiting = false;  ///< For a device that somebody else has.
  double waited_s = 0;      ///< For devices, in all, this wait included.
};

/// When somebody who sees no line at the bottom is told that something still goes on: after ten
/// seconds, then after three times as long, every five minutes at least.
class Reminders {
 public:
  void begin(std::int64_t now_ns);
  /// True once for each time; `now_ns` never steps back.
  bool is_due(std::int64_t now_ns);

 private:
  std::int64_t next_ns_ = 0;
  std::int64_t span_ns_ = 0;
};

/// One for a program; what it shows it shows from a thread of its own, begun with the first
/// activity. Safe to call from any thread.
class Status {
 public:
  /// Where the result is a document (--json), only waits and interruptions are told, as lines.
  explicit Status(bool is_document, const platform::Clock& clock = platform::real_clock());
  ~Status();
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  /// From now on this is done; empty: nothing that takes.
  void doing(const std::string& words);
  /// The same thing in other words: its clock goes on.
  void still_doing(const std::string& words);
  /// The same from a worker; sums up its waits.
  void hear(const worker::Progress& progress);
  Activity activity() const;
  /// A line was printed: whoever sees no line at the bottom need not be told soon.
  void told();

  /// Composes the line at the bottom in place of "WORDS, 12 s"; called from the thread, a few times
  /// a second. Empty: as usual. When this returns, the last one is called no more.
  void compose_by(std::function<OwnLine(const Activity&, const Look&)> compose);
  /// Asked from the thread, ten times a second, also without an activity; what it returns is
  /// printed. Empty: nobody.
  void ask_for_news(std::function<std::vector<OwnLine>()> news);
  /// Tells a person who interrupts at once what happens now.
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
  std::mutex calls_;  ///< Held while a function of somebody else is called.
  std::string words_;
  std::int64_t began_ns_ = 0;
  bool is_waiting_ = false;
  std::int64_t waited_ns_ = 0;
  Reminders reminders_;
  std::function<OwnLine(const Activity&, const Look&)> compose_;
  std::function<std::vector<OwnLine>()> news_;
  std::jthread thread_;
};

/// "WORDS, 12 s" in one line.
OwnLine status_line(const Activity& activity, const Look& look);

}  // namespace kw::cli

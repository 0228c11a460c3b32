// Implements the thread that updates the status line ten times a second.
// SPDX-License-Identifier: Apache-2.0
#include "cli/status.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

namespace kw::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::chrono::milliseconds kTick{100};
/// A step that takes less than this time in seconds is not shown.
constexpr double kNotice = 0.2;

}  // namespace

void Reminders::begin(std::int64_t now_ns) {
  span_ns_ = 10 * kSecond;
  next_ns_ = now_ns + span_ns_;
}

bool Reminders::is_due(std::int64_t now_ns) {
  if (now_ns < next_ns_) return false;
  span_ns_ = std::min(3 * span_ns_, 300 * kSecond);
  next_ns_ = now_ns + span_ns_;
  return true;
}

OwnLine status_line(const Activity& activity, const Look& look) {
  const Tone tone = activity.is_waiting ? Tone::Attention : Tone::Plain;
  const std::string since =
      activity.seconds >= 1 ? ", " + clock_text(activity.seconds) : std::string();
  Look before = look;
  if (look.columns > since.size()) before.columns -= since.size();
  OwnLine line = cut({{short_wait(activity.words, look), tone}}, before);
  line.bytes += since;
  line.columns += since.size();
  return line;
}

Status::Status(bool is_document, const platform::Clock& clock)
    : is_document_(is_document),
      has_bottom_line_(!is_document && can_rewrite(STDERR_FILENO)),
      clock_(clock) {}

Status::~Status() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  show_status({});
}

void Status::begin_thread() {
  if (thread_.joinable()) return;
  reminders_.begin(clock_.now_ns());
  thread_ = std::jthread([this](const std::stop_token& end) { run(end); });
}

void Status::told() {
  const std::lock_guard guard(mutex_);
  reminders_.begin(clock_.now_ns());
}

void Status::doing(const std::string& words) {
  // The status line must have been erased before the command prints its next line.
  std::unique_lock<std::mutex> calls(calls_, std::defer_lock);
  if (words.empty()) {
    calls.lock();
    show_status({});
  }
  const std::lock_guard guard(mutex_);
  is_waiting_ = false;
  if (words == words_) return;
  words_ = words;
  began_ns_ = clock_.now_ns();
  if (!words.empty()) begin_thread();
}

void Status::still_doing(const std::string& words) {
  const std::lock_guard guard(mutex_);
  words_ = words;
}

void Status::hear(const session::Progress& progress) {
  if (progress.doing == session::Doing::Working) return doing(progress.words);
  const std::lock_guard guard(mutex_);
  const std::int64_t now = clock_.now_ns();
  if (progress.doing == session::Doing::Waited) {
    is_waiting_ = false;
    waited_ns_ += progress.waited_ns;
    return;
  }
  const std::string words = "waiting: " + progress.words;
  const bool is_new = words != words_;
  if (!std::exchange(is_waiting_, true)) began_ns_ = now;
  words_ = words;
  if (is_new && !has_bottom_line_) std::fprintf(stderr, "kw: %s\n", words.c_str());
  if (is_new) reminders_.begin(now);
  begin_thread();
}

Activity Status::activity() const {
  const std::lock_guard guard(mutex_);
  const double seconds = static_cast<double>(clock_.now_ns() - began_ns_) / 1e9;
  return {words_, seconds, is_waiting_,
          static_cast<double>(waited_ns_) / 1e9 + (is_waiting_ ? seconds : 0)};
}

void Status::compose_by(std::function<OwnLine(const Activity&, const Look&)> compose) {
  const std::lock_guard guard(calls_);
  compose_ = std::move(compose);
}

void Status::ask_for_news(std::function<std::vector<OwnLine>()> news) {
  const std::lock_guard guard(calls_);
  news_ = std::move(news);
  if (!news_) return;
  const std::lock_guard inner(mutex_);
  begin_thread();
}

void Status::answer_interruption(std::function<bool()> is_interrupted, const std::string& words) {
  ask_for_news([is_interrupted = std::move(is_interrupted), words,
                is_answered = false]() mutable -> std::vector<OwnLine> {
    if (is_answered || !is_interrupted()) return {};
    is_answered = true;
    return fold({{words, Tone::Attention}}, 4, look_of(STDERR_FILENO));
  });
}

void Status::run(const std::stop_token& end) {
  // This thread blocks the signals, so that they are delivered to the command's thread and
  // interrupt its system calls.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &both, nullptr);
  while (!end.stop_requested()) {
    tick();
    std::this_thread::sleep_for(kTick);
  }
}

void Status::tick() {
  const std::lock_guard guard(calls_);
  if (news_)
    for (const OwnLine& line : news_()) print_own(line);
  const Activity now = activity();
  if (!has_bottom_line_) return tell_line();
  if (now.words.empty() || now.seconds < kNotice) {
    if (now.words.empty()) show_status({});
    return;
  }
  const Look look = look_of(STDERR_FILENO);
  show_status(compose_ ? compose_(now, look) : status_line(now, look));
}

void Status::tell_line() {
  std::string line;
  {
    const std::lock_guard guard(mutex_);
    const std::int64_t now = clock_.now_ns();
    if (is_document_ || words_.empty() || !reminders_.is_due(now)) return;
    line = words_;
    const double seconds = static_cast<double>(now - began_ns_) / 1e9;
    if (seconds >= 1) line += ", " + clock_text(seconds);
  }
  std::fprintf(stderr, "kw: %s\n", line.c_str());
}

}  // namespace kw::cli

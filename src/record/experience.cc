// Computes keys, ages and sums of experience with techniques.
// SPDX-License-Identifier: Apache-2.0
#include "record/experience.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

namespace kw {
namespace {

/// Reads the two or four digits at `at`, and then the character that must follow them.
bool read_part(std::string_view text, std::size_t at, std::size_t digits, char after,
               unsigned& into) {
  const char* const end = text.data() + at + digits;
  const auto read = std::from_chars(text.data() + at, end, into);
  return read.ec == std::errc() && read.ptr == end && *end == after;
}

/// The days from the epoch to a time of the form "2026-02-28T12:00:00Z", without its seconds.
std::optional<double> days_of(std::string_view at) {
  constexpr std::size_t kLeastLength = std::string_view("2026-02-28T12:00:").size();
  unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0;
  if (at.size() < kLeastLength || !read_part(at, 0, 4, '-', year) ||
      !read_part(at, 5, 2, '-', month) || !read_part(at, 8, 2, 'T', day) ||
      !read_part(at, 11, 2, ':', hour) || !read_part(at, 14, 2, ':', minute))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) + (60.0 * hour + minute) / (24 * 60);
}

}  // namespace

std::string key_of(const Experience& e) {
  return fmt::format("{}|{}|{}|{}|{}|{}", e.family, e.task, name_of(e.target), e.device,
                     name_of(e.bound), e.technique);
}

double days_between(const std::string& from, const std::string& to) {
  const auto first = days_of(from), last = days_of(to);
  return first && last ? std::max(0.0, *last - *first) : 0;
}

StepCount aged(const Experience& e, const std::string& now) {
  const double share = std::exp2(-days_between(e.at, now) / kExperienceHalfLifeDays);
  return {share * e.count.tried, share * e.count.worked, share * e.count.gain};
}

Experience merged(Experience known, const Experience& news) {
  known.count = aged(known, news.at);
  known.count.add(news.count);
  if (!news.failure.empty()) known.failure = news.failure;
  known.run = news.run;
  known.at = news.at;
  return known;
}

}  // namespace kw

// Computes keys, ages and sums of experience with techniques.
// SPDX-License-Identifier: Apache-2.0
#include "record/experience.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

namespace kw {
namespace {

std::optional<double> days_of(const std::string& at) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0;
  if (std::sscanf(at.c_str(), "%4d-%2u-%2uT%2u:%2u", &year, &month, &day, &hour, &minute) != 5)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
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

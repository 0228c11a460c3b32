// Experience: how often a technique was tried, worked and failed, and how such counts age.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "record/enums.h"
#include "record/technique_graph.h"

namespace kw {

/// Tries of one technique on kernels of one task, device and bottleneck. Entries with the same key
/// are merged into one.
struct Experience {
  std::int64_t id = 0;  ///< Row of the store; 0: not stored yet.
  std::string task;
  std::string family;
  Target target = kDefaultTarget;
  std::string device;  ///< DeviceFacts::id.
  /// Bottleneck of the kernel that the technique was applied to; Unknown where it was used in a
  /// first kernel.
  Bound bound = Bound::Unknown;
  std::string technique;
  StepCount count;      ///< Counts as of the time `at`: older tries count less.
  std::string failure;  ///< Latest failure in one line; empty: none yet.
  std::string run;      ///< Run of the latest try.
  std::string at;       ///< Time of the latest try: UTC, ISO 8601.
  int uses = 0;         ///< Runs whose first prompt was told this entry.
  int helped = 0;       ///< Runs among `uses` that ended with a confirmed win.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("task", s.task), v("family", s.family), v("target", s.target),
        v("device", s.device), v("bound", s.bound), v("technique", s.technique),
        v("count", s.count), v("failure", s.failure), v("run", s.run), v("at", s.at),
        v("uses", s.uses), v("helped", s.helped);
  }
};

/// After this many days a try counts half: compilers, devices and models change within a year.
inline constexpr double kExperienceHalfLifeDays = 90;

/// Key of an entry: "softmax|row|cpu|box|memory|vectorization".
std::string key_of(const Experience& experience);

/// Days from one UTC text to a later one; 0 where either is no date, or the second is not later.
double days_between(const std::string& from, const std::string& to);

/// Counts of the entry as of `now`; where a date cannot be read they do not age.
StepCount aged(const Experience& experience, const std::string& now);

/// `known` aged to the time of `news`, with the counts of `news` added; both must have the same
/// key.
Experience merged(Experience known, const Experience& news);

}  // namespace kw

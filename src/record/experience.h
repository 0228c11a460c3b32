// Experience: what a technique did where it was tried, failures included, and how it ages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "record/enums.h"
#include "record/technique_graph.h"

namespace kw {

/// Tries of one technique on kernels of one task, device and bottleneck. Entries of equal key are
/// one entry.
struct Experience {
  std::int64_t id = 0;  ///< Of the store; 0: not stored yet.
  std::string task;
  std::string family;
  Target target = Target::Cpu;
  std::string device;            ///< DeviceFacts::id.
  Bound bound = Bound::Unknown;  ///< Of the kernel that it was applied to; Unknown: a first kernel.
  std::string technique;
  StepCount count;      ///< As it stands at `at`: older tries count less.
  std::string failure;  ///< The latest, one line; empty: none yet.
  std::string run;      ///< The latest.
  std::string at;       ///< UTC, ISO 8601, of the latest try.
  int uses = 0;         ///< Runs whose first prompt was told it.
  int helped = 0;       ///< Those of them that ended with a confirmed win.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("task", s.task), v("family", s.family), v("target", s.target),
        v("device", s.device), v("bound", s.bound), v("technique", s.technique),
        v("count", s.count), v("failure", s.failure), v("run", s.run), v("at", s.at),
        v("uses", s.uses), v("helped", s.helped);
  }
};

/// After so many days a try counts half: compilers, devices and models change within a year.
inline constexpr double kExperienceHalfLifeDays = 90;

/// "softmax|row|cpu|box|memory|vectorization".
std::string key_of(const Experience& experience);

/// Days from one UTC text to a later one; 0 where either is no date, or the second is not later.
double days_between(const std::string& from, const std::string& to);

/// Its count as it stands at `now`; a date that cannot be read does not age.
StepCount aged(const Experience& experience, const std::string& now);

/// `known`, aged to the moment of `news` of the same key, and the news added.
Experience merged(Experience known, const Experience& news);

}  // namespace kw

// Advice: what experience says about techniques for the kernel at hand, in words for a prompt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/experience.h"

namespace kw::memory {

/// The kernel at hand.
struct AdviceScope {
  std::string task;
  std::string family;
  Target target = Target::Cpu;
  std::string device;
  Bound bound = Bound::Unknown;  ///< Unknown: a first kernel, or one that was not timed.
  std::string now;               ///< UTC: tries age until then.
};

/// All that is known of one technique, by how much each entry bears on the kernel at hand.
struct Advice {
  std::string technique;
  StepCount count;                ///< Weighted and aged.
  double promise = 0;             ///< Expected logarithm of the gain of one more try.
  std::size_t nearest = 0;        ///< Entry that bears on it most.
  std::vector<std::int64_t> ids;  ///< Stored entries that it rests on.
};

/// How much an entry bears on the kernel at hand, 0–1: full for the same task, device and
/// bottleneck; less for its family and for others; another bottleneck counts little, and what was
/// told to runs that did not win counts less each time.
double bearing(const Experience& entry, const AdviceScope& scope);

/// Leaves those that bear on it most, at most kMostKept: a run keeps them.
void keep_nearest(std::vector<Experience>& known, const AdviceScope& scope);
inline constexpr std::size_t kMostKept = 400;

/// One for each technique, the most promising first; entries of other targets say nothing. What
/// other tasks have shown, however often, weighs as much as three tries: the task's own tries soon
/// outweigh it.
std::vector<Advice> advise(const std::vector<Experience>& known, const AdviceScope& scope);

inline constexpr std::size_t kMostPromising = 5;  ///< Techniques that a prompt names.
inline constexpr std::size_t kMostWarnings = 3;   ///< The same, of those that did not help.

/// One thing that memory tells, and why it is told.
struct Remembered {
  std::string text;
  std::string why;
  std::string code{};   ///< A snippet; empty: none.
  std::int64_t id = 0;  ///< Of a card; 0: experience.
};

/// What a prompt tells of it: techniques with a gain to expect, then those that failed or cost time
/// where they were tried enough to say so.
std::vector<Remembered> words_of(const std::vector<Advice>& advice,
                                 const std::vector<Experience>& known, const AdviceScope& scope);

/// Ids of the stored entries that words_of() tells of.
std::vector<std::int64_t> told_of(const std::vector<Advice>& advice);

}  // namespace kw::memory

// Advice: what experience says about techniques for a kernel, in words for a prompt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/experience.h"

namespace kw::memory {

/// The kernel for which advice is wanted.
struct AdviceScope {
  std::string task;
  std::string family;
  Target target = Target::Cpu;
  std::string device;
  /// Bottleneck of the kernel; Unknown: it is a first kernel, or was not timed.
  Bound bound = Bound::Unknown;
  std::string now;  ///< The current time in UTC; older tries count less.
};

/// Everything that is known of one technique, where each entry counts by how close it is to the
/// kernel.
struct Advice {
  std::string technique;
  StepCount count;                ///< Tries, weighted by closeness and age.
  double promise = 0;             ///< Expected logarithm of the gain from one more try.
  std::size_t nearest = 0;        ///< Index of the entry that counts most.
  std::vector<std::int64_t> ids;  ///< Ids of the stored entries that the advice rests on.
};

/// How much an entry counts for the kernel, 0–1: fully for the same task, device and bottleneck;
/// less for another task of the family, still less for other families; little for another
/// bottleneck. An entry that was shown to runs which did not win counts less each time.
double bearing(const Experience& entry, const AdviceScope& scope);

/// Keeps the kMostKept entries that count most, because a run stores them.
void keep_nearest(std::vector<Experience>& known, const AdviceScope& scope);
inline constexpr std::size_t kMostKept = 400;

/// The advice on each technique, the most promising first; entries of other targets are ignored.
/// The tries of other tasks, however many, count as much as three tries, so the task's own tries
/// soon outweigh them.
std::vector<Advice> advise(const std::vector<Experience>& known, const AdviceScope& scope);

/// The most promising techniques that a prompt names.
inline constexpr std::size_t kMostPromising = 5;
/// The most techniques without success that a prompt names.
inline constexpr std::size_t kMostWarnings = 3;

/// One thing that a prompt tells from memory, and why it is told.
struct Remembered {
  std::string text;
  std::string why;
  std::string code{};   ///< A snippet of code; empty: there is none.
  std::int64_t id = 0;  ///< The id of a card; 0: the text is experience.
};

/// What a prompt tells from advice: first techniques with an expected gain, then techniques that
/// failed or cost time in enough tries.
std::vector<Remembered> words_of(const std::vector<Advice>& advice,
                                 const std::vector<Experience>& known, const AdviceScope& scope);

/// Ids of the stored entries that words_of() uses.
std::vector<std::int64_t> told_of(const std::vector<Advice>& advice);

}  // namespace kw::memory

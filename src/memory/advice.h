// Advice: what experience says about techniques for a kernel, as sentences for a prompt.
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
  Target target = kDefaultTarget;
  std::string device;
  /// Bottleneck of the kernel; Unknown: there is no kernel yet, or it was not timed.
  Bound bound = Bound::Unknown;
  std::string now;  ///< The current time in UTC; older tries count less.
};

/// What experience says about one technique. Each entry counts by how close it is to the kernel.
struct TechniqueAdvice {
  std::string technique;
  StepCount count;                ///< Tries, weighted by closeness and age.
  double promise = 0;             ///< Expected logarithm of the gain from one more try.
  std::size_t nearest = 0;        ///< Index of the entry that counts most.
  std::vector<std::int64_t> ids;  ///< Ids of the stored entries that the advice rests on.
};

/// How much an entry counts for the kernel, 0–1: fully for the same task, device and bottleneck;
/// less for another task of the family, still less for other families; little for another
/// bottleneck. An entry counts less each time that it was shown to a run which did not win.
double bearing(const Experience& entry, const AdviceScope& scope);

/// Removes all but the kMostKept entries that count most for the kernel, because a run stores the
/// rest.
void keep_nearest(std::vector<Experience>& known, const AdviceScope& scope);
inline constexpr std::size_t kMostKept = 400;

/// Advice on each technique, most promising first; entries of other targets are ignored. However
/// many tries other tasks have, these count as at most three, so that the task's own tries soon
/// outweigh them.
std::vector<TechniqueAdvice> advise(const std::vector<Experience>& known, const AdviceScope& scope);

/// The most promising techniques that a prompt names.
inline constexpr std::size_t kMostPromising = 5;
/// The most techniques without success that a prompt names.
inline constexpr std::size_t kMostWarnings = 3;

/// A piece of experience or knowledge that a prompt shows, and why it was chosen.
struct Remembered {
  std::string text;
  std::string why;
  std::string code{};   ///< A snippet of code; empty: there is none.
  std::int64_t id = 0;  ///< The id of a card; 0: the text is experience.
};

/// Words the advice for a prompt: first techniques with an expected gain, then techniques that
/// failed or cost time in enough tries.
std::vector<Remembered> words_of(const std::vector<TechniqueAdvice>& advice,
                                 const std::vector<Experience>& known, const AdviceScope& scope);

/// Ids of the stored entries that words_of() uses.
std::vector<std::int64_t> told_of(const std::vector<TechniqueAdvice>& advice);

}  // namespace kw::memory

// Weights experience by how similar its kernel is to the kernel for which advice is wanted.
// SPDX-License-Identifier: Apache-2.0
#include "memory/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"

namespace kw::memory {
namespace {

// How much a try counts that was made in another task family, on another device, or at another
// bottleneck, as a share of a try in the same situation.
constexpr double kSameFamily = 0.6, kOtherFamily = 0.25;
constexpr double kOtherDevice = 0.7;
constexpr double kUnknownBound = 0.7, kOtherBound = 0.3;

/// The tries of all other tasks together count at most as much as this many tries of the task
/// itself.
constexpr double kMostTriedElsewhere = 3;

constexpr double kWorthNaming = 0.02;  // as a logarithm, about 2 %
constexpr double kEnoughTries = 1;     // weighted tries; fewer justify no warning

double nearness(const Experience& e, const AdviceScope& scope) {
  double share = e.task == scope.task ? 1 : e.family == scope.family ? kSameFamily : kOtherFamily;
  if (e.device != scope.device) share *= kOtherDevice;
  if (e.bound == scope.bound) return share;
  const bool is_unknown = e.bound == Bound::Unknown || scope.bound == Bound::Unknown;
  return share * (is_unknown ? kUnknownBound : kOtherBound);
}

StepCount scaled(const StepCount& c, double share) {
  return {share * c.tried, share * c.worked, share * c.gain};
}

bool is_promising(const TechniqueAdvice& a) { return a.promise > kWorthNaming; }
bool is_warning(const TechniqueAdvice& a) {
  return a.promise <= 0 && a.count.tried >= kEnoughTries;
}

/// The first `most` items of a list for which `holds` is true.
template <class Holds>
std::vector<const TechniqueAdvice*> first_of(const std::vector<TechniqueAdvice>& all,
                                             std::size_t most, Holds holds) {
  std::vector<const TechniqueAdvice*> chosen;
  for (const TechniqueAdvice& a : all)
    if (chosen.size() < most && holds(a)) chosen.push_back(&a);
  return chosen;
}

/// The warnings, sorted so that those based on the most tries come first.
std::vector<const TechniqueAdvice*> warnings_of(const std::vector<TechniqueAdvice>& all) {
  std::vector<const TechniqueAdvice*> chosen = first_of(all, all.size(), is_warning);
  std::ranges::stable_sort(chosen, [](const TechniqueAdvice* a, const TechniqueAdvice* b) {
    return a->count.tried > b->count.tried;
  });
  if (chosen.size() > kMostWarnings) chosen.resize(kMostWarnings);
  return chosen;
}

std::string place_of(const Experience& e, const AdviceScope& scope) {
  const std::string on = e.bound == Bound::Unknown
                             ? "first kernels"
                             : fmt::format("{}-bound kernels", name_of(e.bound));
  if (e.task == scope.task) return fmt::format("{} for this very task", on);
  return fmt::format("{} for `{}` ({})", on, e.task, e.family);
}

std::string why_of(const Experience& e, const AdviceScope& scope) {
  std::vector<std::string> same;
  if (e.task == scope.task)
    same.emplace_back("the same task");
  else if (e.family == scope.family)
    same.emplace_back("the same family");
  if (e.device == scope.device) same.emplace_back("the same device");
  if (e.bound == scope.bound && e.bound != Bound::Unknown) same.emplace_back("the same bottleneck");
  return (same.empty() ? std::string("nothing nearer is known") : join(same, ", ")) +
         fmt::format("; last seen in {}", e.run);
}

std::string text_of(const TechniqueAdvice& a, const Experience& e, const AdviceScope& scope) {
  const StepCount& c = e.count;
  std::string text = fmt::format("`{}`: worked in {:.2g} of {:.2g} tries on {}", a.technique,
                                 c.worked, c.tried, place_of(e, scope));
  if (c.worked > 0) text += fmt::format(", {:.3g}x where it worked", std::exp(c.gain / c.worked));
  text += fmt::format("; all that is known says {:.3g}x for one more try.", std::exp(a.promise));
  if (!e.failure.empty()) text += fmt::format(" Its last failure: {}.", e.failure);
  return text;
}

}  // namespace

double bearing(const Experience& entry, const AdviceScope& scope) {
  if (entry.target != scope.target) return 0;
  // An entry that was shown four times without success counts a third.
  const double success = std::min(1.0, 2 * (entry.helped + 1.0) / (entry.uses + 2.0));
  return nearness(entry, scope) * success;
}

void keep_nearest(std::vector<Experience>& known, const AdviceScope& scope) {
  const auto weight = [&](const Experience& e) {
    return bearing(e, scope) * aged(e, scope.now).tried;
  };
  std::ranges::stable_sort(
      known, [&](const Experience& a, const Experience& b) { return weight(a) > weight(b); });
  if (known.size() > kMostKept) known.resize(kMostKept);
}

std::vector<TechniqueAdvice> advise(const std::vector<Experience>& known,
                                    const AdviceScope& scope) {
  std::map<std::string, TechniqueAdvice> by_name;
  std::map<std::string, StepCount> elsewhere;
  std::map<std::string, double> nearest;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Experience& e = known[i];
    const double share = bearing(e, scope);
    if (share <= 0) continue;
    TechniqueAdvice& advice = by_name[e.technique];
    advice.technique = e.technique;
    const StepCount count = aged(e, scope.now);
    StepCount& sum = e.task == scope.task ? advice.count : elsewhere[e.technique];
    sum.add(scaled(count, share));
    if (e.id != 0) advice.ids.push_back(e.id);
    double& best = nearest[e.technique];
    if (share * count.tried > best) best = share * count.tried, advice.nearest = i;
  }
  std::vector<TechniqueAdvice> all;
  for (auto& [name, advice] : by_name) {
    const StepCount& others = elsewhere[name];
    advice.count.add(
        scaled(others, std::min(1.0, kMostTriedElsewhere / std::max(1e-9, others.tried))));
    advice.promise = advice.count.weight();
    all.push_back(std::move(advice));
  }
  std::ranges::stable_sort(all, [](const TechniqueAdvice& a, const TechniqueAdvice& b) {
    return a.promise > b.promise;
  });
  return all;
}

std::vector<Remembered> words_of(const std::vector<TechniqueAdvice>& advice,
                                 const std::vector<Experience>& known, const AdviceScope& scope) {
  std::vector<Remembered> told;
  const auto tell = [&](const TechniqueAdvice& a, const std::string& how) {
    const Experience& e = known[a.nearest];
    told.push_back({how + text_of(a, e, scope), why_of(e, scope)});
  };
  for (const TechniqueAdvice* a : first_of(advice, kMostPromising, is_promising))
    tell(*a, "Promising: ");
  for (const TechniqueAdvice* a : warnings_of(advice)) tell(*a, "Did not help: ");
  return told;
}

std::vector<std::int64_t> told_of(const std::vector<TechniqueAdvice>& advice) {
  std::vector<std::int64_t> ids;
  const auto add = [&](const TechniqueAdvice& a) {
    ids.insert(ids.end(), a.ids.begin(), a.ids.end());
  };
  for (const TechniqueAdvice* a : first_of(advice, kMostPromising, is_promising)) add(*a);
  for (const TechniqueAdvice* a : warnings_of(advice)) add(*a);
  std::ranges::sort(ids);
  return ids;
}

}  // namespace kw::memory

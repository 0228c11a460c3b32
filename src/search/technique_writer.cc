// The simulated writer of a technique world: replaces a language model by random rules.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "search/technique_world.h"

namespace kw::search {
namespace {

using Set = TechniqueWorld::Set;

// Parameters of the simulated writer. None was measured on a model; strategies are compared under
// the same values.
constexpr double kFirstFails = 0.3;   // chance that a first kernel fails
constexpr int kMostAtFirst = 5;       // limit for the techniques of a first kernel
constexpr double kMoreAtFirst = 0.7;  // chance that a first kernel shows one more technique
// Factor on the chance to fail if the writer is shown code that has the technique.
constexpr double kShownHelps = 0.6;
constexpr double kCopyFails = 0.1;  // factor on the chance that a copied step fails
constexpr double kMendFails = 0.5;  // factor on the chance that a repair fails
// Factor on the chance that a repair fails if the writer is not told about the failure.
constexpr double kMendsBlindly = 0.9;
// Further factor on the chance to fail if another role has read the code first.
constexpr double kCounselHelps = 0.7;
// Factor on the chance to choose a technique that the history says was tried before.
constexpr double kTriedBefore = 0.3;
// Chance that a repair leaves the technique out, unless the ask forbids this.
constexpr double kWeakens = 0.15;
constexpr double kTakesFromShown = 0.7;  // chance to adopt something of the code that is shown
constexpr double kKeeps = 0.85;          // chance to keep each technique when a file is rewritten
// Chance that the critic sees an error before the code is judged.
constexpr double kCriticSees = 0.5;
constexpr std::size_t kNoTechnique = static_cast<std::size_t>(-1);

/// The simulated source that was written for an ask.
struct Written {
  Set from = 0;                      // techniques of the code from which it was made
  Set set = 0;                       // techniques that it was meant to have
  std::size_t added = kNoTechnique;  // the technique that was tried
  bool is_broken = false;
};

class Writer {
 public:
  Writer(const TechniqueWorld& world, const PlayOptions& options, std::uint64_t seed,
         FeedbackLevel feedback)
      : world_(world),
        options_(options),
        seed_(Seed::from_number(seed).child("writer")),
        feedback_(feedback) {}

  Answer answer(const Ask& ask) {
    Rng rng(seed_.child(static_cast<std::uint64_t>(ask.id)));
    const Written written = ask.role == Role::Write ? write(ask, rng) : combine(ask);
    written_[ask.id] = written;
    if (written.added != kNoTechnique && is_told(written))
      tried_[written.from] |= TechniqueWorld::bit(written.added);
    return judge(ask, written, rng);
  }

 private:
  Written combine(const Ask& ask) const {
    Written w;
    for (std::size_t t = 0; t < world_.cards().size(); ++t)
      if (ask.knobs.at(world_.cards()[t].name) != 0) w.set |= TechniqueWorld::bit(t);
    // A strategy without a writer makes no repairs, so a technique that fails in one combination
    // fails in all.
    const Seed fates = Seed::from_number(world_.options().seed).child("fates");
    for (std::size_t t = 0; t < world_.cards().size(); ++t)
      if ((w.set & TechniqueWorld::bit(t)) != 0 &&
          Rng(fates.child(t)).uniform() < world_.failure(0, t))
        w.is_broken = true;
    return w;
  }

  Written write(const Ask& ask, Rng& rng) const {
    if (ask.errand == Errand::Write) return first(ask, rng);
    const Written parent = written_.at(ask.parent);
    if (parent.is_broken && ask.errand != Errand::Rethink) return mend(ask, parent, rng);
    const Set from = parent.is_broken ? parent.from : parent.set;
    if (ask.manner.form == ReplyForm::Whole) return anew(ask, from, rng);
    return add(ask, from, parent.is_broken ? parent.added : kNoTechnique, rng);
  }

  /// A first kernel with the technique that the ask names, or with several techniques at once.
  Written first(const Ask& ask, Rng& rng) const {
    Written w;
    w.is_broken = rng.uniform() < kFirstFails;
    if (ask.manner.takes_all) return all_of_menu(ask, w, rng);
    if (!ask.manner.technique.empty() || !ask.manner.menu.empty()) {
      Written one = add(ask, 0, kNoTechnique, rng);
      one.is_broken = one.is_broken || w.is_broken;
      return one;
    }
    for (int i = 0; i < kMostAtFirst && rng.uniform() < kMoreAtFirst; ++i) {
      const Written more = add(ask, w.set, kNoTechnique, rng);
      w.set = more.set;
      w.is_broken = w.is_broken || more.is_broken;
    }
    return w;
  }

  /// Tries all techniques of the menu at once; those that the shown code already has seldom fail.
  Written all_of_menu(const Ask& ask, Written w, Rng& rng) const {
    const Set known = shown(ask);
    for (const MenuItem& item : ask.manner.menu) {
      const std::size_t t = place_of(item.name);
      if (t == kNoTechnique) continue;
      const double copies = (known & TechniqueWorld::bit(t)) != 0 ? kCopyFails : 1;
      w.is_broken = w.is_broken || rng.uniform() < copies * world_.failure(w.set, t);
      w.set |= TechniqueWorld::bit(t);
      w.added = t;
    }
    return w;
  }

  Written mend(const Ask& ask, const Written& parent, Rng& rng) const {
    Written w = parent;
    if (!ask.manner.keeps_kernel && rng.uniform() < kWeakens) {
      w.set = parent.from;
      w.is_broken = false;
      return w;
    }
    const double chance =
        parent.added == kNoTechnique ? kFirstFails : fails(ask, parent.from, parent.added);
    w.is_broken =
        rng.uniform() < chance * (feedback_ == FeedbackLevel::None ? kMendsBlindly : kMendFails);
    return w;
  }

  Written anew(const Ask& ask, Set from, Rng& rng) const {
    Set kept = 0;
    for (std::size_t t = 0; t < world_.cards().size(); ++t)
      if ((from & TechniqueWorld::bit(t)) != 0 && rng.uniform() < kKeeps)
        kept |= TechniqueWorld::bit(t);
    Written w = add(ask, kept, kNoTechnique, rng);
    w.from = from;
    return w;
  }

  Written add(const Ask& ask, Set from, std::size_t not_this, Rng& rng) const {
    Written w{from, from, kNoTechnique, false};
    w.added = choose(ask, from, not_this, rng);
    if (w.added == kNoTechnique) return w;
    w.set |= TechniqueWorld::bit(w.added);
    w.is_broken = rng.uniform() < fails(ask, from, w.added);
    return w;
  }

  double fails(const Ask& ask, Set from, std::size_t t) const {
    double chance = world_.failure(from, t);
    if (!ask.manner.examples.empty() || (shown(ask) & TechniqueWorld::bit(t)) != 0)
      chance *= kShownHelps;
    if (!ask.manner.counsel.empty()) chance *= kCounselHelps;
    return chance;
  }

  /// Techniques of the shown code, which are known in addition to the parent's.
  Set shown(const Ask& ask) const {
    Set all = 0;
    for (const int attempt : ask.manner.writer.sources) {
      const auto found = written_.find(attempt);
      if (found != written_.end() && !found->second.is_broken) all |= found->second.set;
    }
    return all;
  }

  /// The view of the role that decides what to do, which is the first one asked.
  static const View& planner(const Ask& ask) {
    return ask.manner.counsel.empty() ? ask.manner.writer : ask.manner.counsel.front();
  }

  /// Whether later writers are told about this try: about a failure from FeedbackLevel::Errors on,
  /// about any other result from Findings on.
  bool is_told(const Written& w) const {
    return feedback_ >= (w.is_broken ? FeedbackLevel::Errors : FeedbackLevel::Findings);
  }

  /// Techniques whose tries on the same code the writer knows of, as far as the shown history
  /// tells.
  Set tried(const Ask& ask, Set from) const {
    const View& view = planner(ask);
    if (!view.is_bounded) {
      const auto found = tried_.find(from);
      return found == tried_.end() ? 0 : found->second;
    }
    Set all = 0;
    for (const int attempt : view.lines) {
      const auto found = written_.find(attempt);
      if (found == written_.end()) continue;
      const Written& w = found->second;
      if (w.from == from && w.added != kNoTechnique && is_told(w))
        all |= TechniqueWorld::bit(w.added);
    }
    return all;
  }

  std::size_t choose(const Ask& ask, Set from, std::size_t not_this, Rng& rng) const {
    if (const std::size_t named = place_of(ask.manner.technique); named != kNoTechnique)
      return (from & TechniqueWorld::bit(named)) != 0 ? kNoTechnique : named;
    const Set menu = offered_by_menu(ask);
    const Set offered = shown(ask) & ~from;
    const bool takes = offered != 0 && rng.uniform() < kTakesFromShown;
    const Set before = tried(ask, from);
    std::vector<double> weights(world_.cards().size(), 0);
    double sum = 0;
    for (std::size_t t = 0; t < weights.size(); ++t) {
      if (((from | ~menu) & TechniqueWorld::bit(t)) != 0 || t == not_this ||
          (takes && (offered & TechniqueWorld::bit(t)) == 0))
        continue;
      weights[t] = world_.taste(t) * told(from, t);
      if (!planner(ask).hides_profile && feedback_ == FeedbackLevel::Profile)
        weights[t] *= 1 - 0.8 * world_.used(from, world_.resource(t));
      if ((before & TechniqueWorld::bit(t)) != 0) weights[t] *= kTriedBefore;
      if (!ask.manner.counsel.empty() && !world_.has_what_it_needs(from, t)) weights[t] *= 0.5;
      sum += weights[t];
    }
    double lot = rng.uniform() * sum;
    for (std::size_t t = 0; t < weights.size(); ++t) {
      if (weights[t] <= 0) continue;
      lot -= weights[t];
      if (lot < 0) return t;
    }
    return kNoTechnique;
  }

  double told(Set from, std::size_t t) const {
    if (!options_.told) return 1;
    const Bound at = from == 0 ? Bound::Unknown : world_.traits(from).bound;
    return options_.told(world_.cards()[t].name, at);
  }

  /// Techniques that the menu offers; without a menu, all of them.
  Set offered_by_menu(const Ask& ask) const {
    if (ask.manner.menu.empty()) return ~Set{0};
    Set all = 0;
    for (const MenuItem& item : ask.manner.menu)
      if (const std::size_t t = place_of(item.name); t != kNoTechnique)
        all |= TechniqueWorld::bit(t);
    return all;
  }

  std::size_t place_of(const std::string& technique) const {
    const auto& cards = world_.cards();
    const auto found = std::ranges::find(cards, technique, &TechniqueCard::name);
    return found == cards.end() ? kNoTechnique : static_cast<std::size_t>(found - cards.begin());
  }

  Answer judge(const Ask& ask, const Written& w, Rng& rng) {
    Answer answer;
    Tell& tell = answer.tell;
    if (ask.role == Role::Write) {
      tell.written = world_.idea_of(w.set);
      // As with real sources, ideas are numbered in the order in which different sources appear.
      tell.idea = ideas_
                      .emplace(std::pair(w.set, w.is_broken ? ask.id : 0),
                               1 + static_cast<int>(ideas_.size()))
                      .first->second;
      tell.traits = world_.traits(w.set);
      if (!ask.manner.counsel.empty() && w.added != kNoTechnique)
        tell.chosen = world_.cards()[w.added].name;
      tell.traits.is_repeated = !w.is_broken && !judged_.insert(w.set).second;
    }
    if (w.is_broken) {
      if (!ask.manner.review.empty() && rng.uniform() < kCriticSees) {
        tell.outcome = Outcome::Rejected;
        return answer;
      }
      const bool compiles = rng.uniform() < 0.5;
      tell.stage = compiles ? Stage::Check : Stage::Compile;
      tell.outcome = compiles ? Outcome::WrongResult : Outcome::CompileFailed;
      tell.traits.object.clear();
      return answer;
    }
    answer.truth = world_.speedup(w.set);
    tell.outcome = Outcome::Correct;
    tell.stage = Stage::Measure;
    const double seen = answer.truth * std::exp(world_.options().noise * rng.normal());
    tell.speedup.value = tell.speedup.low = tell.speedup.high = tell.reward = tell.merit = seen;
    constexpr double kPlainNs = 1e7;
    tell.time_ns = kPlainNs / seen;
    tell.roofline_fraction = std::min(1.0, answer.truth / world_.best_speedup());
    return answer;
  }

  const TechniqueWorld& world_;
  const PlayOptions& options_;
  const Seed seed_;
  const FeedbackLevel feedback_;
  std::map<int, Written> written_;
  std::map<Set, Set> tried_;  // techniques tried, by the techniques of the code they were added to
  std::map<std::pair<Set, int>, int> ideas_;
  std::set<Set> judged_;
};

}  // namespace

Play play(Strategy& strategy, const TechniqueWorld& world, const PlayOptions& options,
          std::uint64_t seed, FeedbackLevel feedback) {
  Writer writer(world, options, seed, feedback);
  return play(strategy, [&](const Ask& ask) { return writer.answer(ask); }, options);
}

}  // namespace kw::search

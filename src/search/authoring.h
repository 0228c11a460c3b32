// What all methods that ask for new sources share: expert kernels come first, knobs are tuned
// before the next source is asked for, and a person's orders are obeyed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/expert_start.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {

/// Base of methods that ask for sources. A method says which source it wants next and hears what
/// became of it; this class makes the asks, tunes knobs and follows a person's orders.
class Authoring : public QueuedStrategy {
 public:
  std::string describe() const final;
  void steer(const Steering& steering) final;

 protected:
  Authoring(std::vector<Idea> ideas, const StrategyOptions& options);

  // A method overrides the following functions.

  /// The next source to ask for. Nothing: the method waits for tells, or is_done(). Not called
  /// while expert kernels are judged or knobs are tuned.
  virtual std::optional<Ask> next() = 0;
  /// Called after every tell, whatever the role of its ask. For Role::Tune `ask.parent` is the ask
  /// that showed the source first.
  virtual void judged(const Ask& ask, const Tell& tell) = 0;
  /// Called when a person has given an order: what was planned may no longer be allowed.
  virtual void steered() {}
  /// Only for methods that end: whether the best written source is tuned after the last source was
  /// judged. Other methods tune a source as soon as it is judged.
  virtual bool tunes_at_end() const { return false; }
  /// What the method is doing, in one line for people.
  virtual std::string doing() const = 0;
  virtual bool is_done() const { return false; }

  // Methods build their asks by the following functions.

  /// An ask for a source, to be completed by the method.
  static Ask write(Errand errand, int parent, std::string why);
  /// Whether a person's orders allow deriving from this ask. After a pin, only the pinned ask and
  /// asks made since then are allowed.
  bool may_derive(int ask) const;
  /// The ask that everything must derive from; 0: none.
  int pinned() const { return steering_.pinned; }
  const BestAsk& best() const { return best_; }
  bool is_tuning() const { return tuning_.is_active(); }

 private:
  std::optional<Ask> propose() final;
  void learn(const Ask& ask, const Tell& tell) final;
  bool is_exhausted() const final;
  std::optional<Ask> choose();
  /// An unanswered ask, made again, if a person's orders still allow it.
  std::optional<Ask> choose_again();
  void end_of_start(const Ask& ask, const Tell& tell);
  void tune_written(const Tell& tell);
  bool is_stopped(int ask) const;

  ExpertStart start_;
  WrittenTuning tuning_;
  BestAsk best_;
  Lineage lineage_;
  Steering steering_;
  int pinned_after_ = 0;  // number of asks made before the pin
  int starting_ = 0;      // expert kernels in flight
  Tell best_written_;     // its ask is 0 while no written source was correct
};

}  // namespace kw::search

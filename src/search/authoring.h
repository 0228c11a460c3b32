// Authoring: what all methods share that have sources written: the experts' kernels first, knobs
// tuned before the next word, and what a person decides meanwhile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/expert_start.h"
#include "search/queued.h"
#include "search/written.h"

namespace kw::search {

/// A method says which source it wants next and takes what became of it; asks, tuning and steering
/// are done here.
class Authoring : public QueuedStrategy {
 public:
  std::string describe() const final;
  void steer(const Steering& steering) final;

 protected:
  Authoring(std::vector<Idea> ideas, const StrategyOptions& options);

  // What a method is:

  /// The next source to ask for; nothing: it waits for tells, or is_done(). Not asked while
  /// experts' kernels are judged or knobs tuned.
  virtual std::optional<Ask> next() = 0;
  /// After every tell, of whatever role. Of Role::Tune `ask.parent` is the ask that showed the
  /// source first.
  virtual void judged(const Ask& ask, const Tell& tell) = 0;
  /// A person has decided something: what was planned may not hold any more.
  virtual void steered() {}
  /// For methods that end: the best that was written is tuned once the last word is judged. Others
  /// tune it when it is told.
  virtual bool tunes_at_end() const { return false; }
  /// One line for people.
  virtual std::string doing() const = 0;
  virtual bool is_done() const { return false; }

  // What it is made with:

  /// An ask for a source, to be completed.
  static Ask write(Errand errand, int parent, std::string why);
  /// Whether a person lets anything be made from this ask: all that was asked since a pin was set
  /// comes from what it names.
  bool may_derive(int ask) const;
  /// Ask that everything is to derive from; 0: none.
  int pinned() const { return steering_.pinned; }
  const BestAsk& best() const { return best_; }
  bool is_tuning() const { return tuning_.is_active(); }

 private:
  std::optional<Ask> propose() final;
  void learn(const Ask& ask, const Tell& tell) final;
  bool is_exhausted() const final;
  std::optional<Ask> choose();
  /// An ask that nobody answered and that a person's orders still allow.
  std::optional<Ask> choose_again();
  void end_of_start(const Ask& ask, const Tell& tell);
  void tune_written(const Tell& tell);
  bool is_stopped(int ask) const;

  ExpertStart start_;
  WrittenTuning tuning_;
  BestAsk best_;
  Lineage lineage_;
  Steering steering_;
  int pinned_after_ = 0;  // asks made before the pin
  int starting_ = 0;      // experts' kernels in flight
  Tell best_written_;     // its ask is 0 where none was correct
};

}  // namespace kw::search

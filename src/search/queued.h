// Bookkeeping that every strategy needs: ids of asks, and which ask a tell belongs to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "search/strategy.h"

namespace kw::search {

/// Numbers asks and passes each tell to learn() together with its ask. An ask that nobody answered
/// says nothing, so its tell is not passed on and the ask is made again. A strategy that wraps
/// another one passes the tells of the inner asks on; their Tell::ask then names the outer ask, in
/// the run's numbering.
class QueuedStrategy : public Strategy {
 public:
  std::optional<Ask> ask() final {
    auto ask = propose();
    if (ask) {
      ask->id = ++asked_;
      waiting_.push_back(*ask);
    }
    return ask;
  }

  void tell(const Tell& tell) final {
    KW_ASSERT(!waiting_.empty());
    const Ask ask = std::move(waiting_.front());
    waiting_.pop_front();
    if (tell.is_unanswered)
      unanswered_.push_back(ask);
    else
      learn(ask, tell);
  }

  bool finished() const final { return waiting_.empty() && unanswered_.empty() && is_exhausted(); }

 protected:
  virtual std::optional<Ask> propose() = 0;
  virtual void learn(const Ask& ask, const Tell& tell) = 0;
  /// Whether there will be no further proposal unless a tell changes this.
  virtual bool is_exhausted() const = 0;

  /// The oldest unanswered ask, to be made again or dropped; nothing if there is none.
  std::optional<Ask> take_unanswered() {
    if (unanswered_.empty()) return std::nullopt;
    Ask ask = std::move(unanswered_.front());
    unanswered_.pop_front();
    if (ask.repeats == 0) {
      ask.repeats = ask.id;
      ask.why += "; once more, since nobody answered";
    }
    return ask;
  }

  bool is_waiting() const { return !waiting_.empty(); }
  int asked() const { return asked_; }

 private:
  std::deque<Ask> waiting_;
  std::deque<Ask> unanswered_;
  int asked_ = 0;
};

}  // namespace kw::search

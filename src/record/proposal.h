// What a proposer is asked to write, and what it wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/exchange.h"
#include "record/verdict.h"

namespace kw {

/// Why a source is wanted. All but Write have a parent.
enum class Errand {
  Write,    ///< A first kernel, from the task alone.
  Repair,   ///< The parent failed: mend it.
  Rethink,  ///< The parent failed as its own parent did: another approach, not another line.
  Improve,  ///< The parent is correct: make it faster.
};
template <>
struct EnumNames<Errand> {
  static constexpr std::array<std::string_view, 4> names{"write", "repair", "rethink", "improve"};
};

/// What came back from a proposer. `candidate` has an empty source where there is none to judge,
/// and `evidence` then says why: the verdict is (propose, no_candidate).
struct Proposal {
  Candidate candidate;  ///< At its knobs' first values.
  std::string evidence;
  std::vector<Finding> findings;       ///< Diagnostics of a header that cannot be read.
  std::string plan;                    ///< What it said it would do; for people and for history.
  std::vector<std::string> exchanges;  ///< Keys of the exchanges with models, in order.
  Usage usage;                         ///< Of all of them.
  double cost_usd = 0;                 ///< Known prices only.

  bool has_candidate() const { return !candidate.source.empty(); }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("candidate", s.candidate), v("evidence", s.evidence), v("findings", s.findings),
        v("plan", s.plan), v("exchanges", s.exchanges), v("usage", s.usage),
        v("cost_usd", s.cost_usd);
  }
};

/// What a judge model read in the findings on one attempt: words for the next prompt, and nothing
/// else. No verdict, rank or reward depends on them.
struct Reading {
  int attempt = 0;       ///< That it is about.
  int asked_for = 0;     ///< Attempt whose prompt wanted it; the exchange counts there.
  std::string words;     ///< Empty: there are none, and `trouble` says why.
  std::string trouble;   ///< One line.
  std::string exchange;  ///< Key; empty: no reply came.
  Usage usage;
  double cost_usd = 0;  ///< Where the price is known.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("attempt", s.attempt), v("asked_for", s.asked_for), v("words", s.words),
        v("trouble", s.trouble), v("exchange", s.exchange), v("usage", s.usage),
        v("cost_usd", s.cost_usd);
  }
};

}  // namespace kw

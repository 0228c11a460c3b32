// The options of single strategies, as a run keeps them and as the strategies read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kw {

/// Options of best-of-n.
struct BestOfNOptions {
  int writes = 8;  ///< Number of kernels to write.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("writes", s.writes);
  }
};

/// The most repairs of one source that anybody may ask for.
inline constexpr int kMostRepairs = 100;

/// Options of refine and agent.
struct RepairOptions {
  /// Most repairs of a failing source, one after the other, before the source is given up.
  int repairs = 3;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("repairs", s.repairs);
  }
};

/// Options of the strategies that follow a publication.
struct PublishedOptions {
  std::string preset;  ///< Of two variants: sketch | paper; empty: the project's own variant.
  int rounds = 10;     ///< Of strategies that end by themselves: rounds, or depth of a chain.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("preset", s.preset), v("rounds", s.rounds);
  }
};

/// Options of coder-judge.
struct CoderJudgeOptions {
  bool judges_by_rules = false;  ///< Fixed rules, not a model, read the findings.
  /// A model fitted to recorded optimisation steps, not a language model, reads the findings.
  bool judges_learned = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("judges_by_rules", s.judges_by_rules), v("judges_learned", s.judges_learned);
  }
};

/// Options of graph-walk and graph-search.
struct GraphOptions {
  std::string guide;  ///< graph-walk: random | llm | weights choose each step; empty: random.
  bool freezes_graph = false;  ///< Steps are taken, but the graph learns nothing from them.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("guide", s.guide), v("freezes_graph", s.freezes_graph);
  }
};

/// The options of all strategies. Each is declared once: a run's configuration and a strategy's
/// options both derive from this record.
struct MethodOptions : BestOfNOptions,
                       RepairOptions,
                       PublishedOptions,
                       CoderJudgeOptions,
                       GraphOptions {
  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    BestOfNOptions::fields(s, v), RepairOptions::fields(s, v), PublishedOptions::fields(s, v);
    CoderJudgeOptions::fields(s, v), GraphOptions::fields(s, v);
  }
};

}  // namespace kw

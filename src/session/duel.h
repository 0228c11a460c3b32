// Compares two kernels in pairs of timed calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/judge.h"
#include "task/definition.h"

namespace kw::session {

enum class Winner { A, B, None };

/// One of the two kernels in a comparison.
struct Side {
  std::string file;
  GivenKernel given;
  /// Whether the kernel is a host launcher: its host code runs unscreened, because the user named
  /// the file.
  bool is_trusted_by_user = false;
};

/// One line of the comparison: A's speedup over B.
struct DuelLine {
  std::string name;  ///< The workload; empty: all of them.
  Speedup speedup;
  Winner winner = Winner::None;
  double a_ns = 0;
  double b_ns = 0;
};

/// Two kernels and what was measured of them.
struct Duel {
  task::Definition definition;
  Side a, b;
  const Side* refused = nullptr;      ///< The side whose file is no candidate; null: neither is.
  Evaluation b_check;                 ///< B judged alone, up to the check.
  std::optional<Evaluation> forward;  ///< A judged against B.
  /// B judged against A, where the first comparison did not show B as the winner.
  std::optional<Evaluation> reverse;
  std::string why_not;  ///< Why there is no comparison; empty: there is one.

  bool is_compared() const { return forward && why_not.empty(); }
  /// The evaluation that decides. Precondition: is_compared().
  const Evaluation& deciding() const;
  bool is_reverse() const { return reverse && &deciding() == &*reverse; }
  /// Whether pairs were timed and the interval is too wide for a verdict.
  bool is_undecided() const;
  /// The comparison over all timed workloads, and one line for each.
  DuelLine whole() const;
  std::vector<DuelLine> lines() const;
};

/// The speedup of A over B, given B's speedup over A.
Speedup turned(Speedup speedup);

struct DuelRequest {
  JudgeRequest a;  ///< Kernel A with its settings; its `until` and `baseline` are not looked at.
  std::string b;   ///< The file of kernel B.
};

/// Checks B, then judges A in pairs with B, and B with A where only that may show a winner. A side
/// that is no candidate is named by Duel::refused. Errors: files or the task cannot be read, B
/// cannot be built here, this machine cannot judge.
Result<std::unique_ptr<Duel>> compare(const Options& options, const DuelRequest& request);

}  // namespace kw::session

// Static screening of sources and built objects: advice first, never the only line of defence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/candidate.h"
#include "record/task.h"
#include "record/verdict.h"

namespace kw::referee {

struct Screening {
  std::optional<Verdict> verdict;  ///< (screen, rejected) or nothing.
  std::vector<Finding> findings;   ///< Why, with the place; or notes on an accepted text.
};

/// The candidate's claims against the task's restrictions: libraries and compiler options.
Screening screen_claims(const Candidate& candidate, const Task& task);

/// Source text, or the same after preprocessing (which undoes token pasting and hidden includes).
/// Rejects files read at compile time (#include of absolute or parent paths, #embed, .incbin) and,
/// on cpu, constructors, time-stamp counters and system calls in assembly; on cuda clocks and
/// timers, launches and calls of the runtime (host code), printing and inline PTX that declares
/// symbols or reads such registers. Comments and string literals outside of assembly are ignored.
/// `name` is for places.
Screening screen_text(std::string_view text, std::string_view name, Target target = Target::Cpu);

/// The built object's imports, exports and libraries. Rejects what a kernel has no business with
/// (processes, files, sockets, clocks, signals, limits, threads other than OpenMP's), functions of
/// the system that it defines anew, and libraries outside `libraries`. Unknown imports are notes.
Screening screen_object(std::string_view object, const std::vector<std::string>& libraries);

}  // namespace kw::referee

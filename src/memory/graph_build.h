// Builds the graph of techniques from recorded runs and from gains measured for the playbook's
// steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "memory/data_files.h"
#include "record/attempt.h"
#include "record/technique_graph.h"

namespace kw::memory {

/// The techniques that one source of a run adds to the source from which it was made: a verified
/// step, or one that failed.
struct SourceStep {
  std::string task;
  std::string name;  ///< Name of the kernel.
  /// Techniques of the source from which this one was made, in the order in which they were added.
  std::vector<std::string> before;
  std::vector<std::string> added;  ///< Techniques that the step adds; never empty.
  std::string what;                ///< The plan that the author wrote for the step.
  std::string code_before;         ///< Code before the step; empty: the task's sequential code.
  std::string code;                ///< Code after the step; empty: the step failed.
  double gain = 0;                 ///< Logarithm of the speedup over the code before the step.
  int number = 0;                  ///< Number of the attempt.
  /// The speedup of the step divided by the largest of its run until then; 0: the step failed.
  double share = 0;
};

/// Reads the attempts of one run in order. Only sources that were written in the run count as
/// steps, since given kernels are not made from each other; but a step may start from a given
/// kernel. Keeps the sources of steps that worked.
class StepReader {
 public:
  explicit StepReader(std::string task) : task_(std::move(task)) {}
  void read(const Attempt& attempt);
  std::vector<SourceStep> take() { return std::exchange(steps_, {}); }

 private:
  struct Known {
    int parent = 0;
    bool is_correct = false;
    double speedup = 0;
    std::vector<std::string> path;  ///< Techniques in the order in which they were added.
    std::string source;
  };
  const Known* made_from(int number) const;

  std::string task_;
  std::map<int, Known> known_;
  std::vector<SourceStep> steps_;
  double largest_ = 1;  // largest speedup so far
};

/// Returns a technique's name in the graph; empty: the step is left out.
using Label = std::function<std::string(const std::string&)>;

/// Adds verified steps by Algorithm 1 of ReGraphT: each step follows the path from sequential code,
/// over existing or new edges, and its last edge gets code and gain. `reference` returns a task's
/// sequential code, empty where it is not known. Returns how many steps were added.
std::size_t merge_steps(TechniqueGraph& graph, const std::vector<SourceStep>& steps,
                        const Label& label,
                        const std::function<std::string(const std::string&)>& reference);

/// The edges that led to an evaluated kernel, with the graph's names for techniques, and the
/// result.
struct WalkedWay {
  std::vector<std::string> nodes;  ///< The nodes on the way, from the start on.
  /// Index of the first edge that this step added; edges before it were there already.
  std::size_t taken = 0;
  bool has_failed = false;
  double share = 0;  ///< As SourceStep::share.
};
WalkedWay walked(const SourceStep& step, const Label& label);

/// Counts a visit for every edge on each way, and a try for the edges of steps that failed. Only
/// edges that exist are counted, so call it after merge_steps() of all runs.
void count_ways(TechniqueGraph& graph, const std::vector<WalkedWay>& ways);

/// A kernel of the playbook, and the kernel that precedes it in the same task.
struct PlaybookStep {
  std::string task;
  std::string name;  ///< The path in the playbook, "softmax_padded/20_staged.cpp".
  /// The path of the previous kernel; empty: this kernel is the task's first.
  std::string before_name;
  /// Techniques of the previous kernel, in the order in which they were added.
  std::vector<std::string> before;
  std::vector<std::string> added;
  std::string code_before;
  std::string code;
};

/// The steps of the playbook: kernels that show a technique which the kernel before them lacks.
std::vector<PlaybookStep> playbook_steps(const DataFiles& data, Target target);

/// Converts a step of the playbook to a recorded step. `speedup`: over the preceding kernel.
SourceStep recorded(const PlaybookStep& step, double speedup);

}  // namespace kw::memory

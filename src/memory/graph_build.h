// Building the graph of techniques from recorded runs, and gains measured for the playbook's steps.
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

/// What one verified source of a run adds to that which it was made from, or what was tried there
/// and failed.
struct RecordedStep {
  std::string task;
  std::string name;                 ///< Of the kernel.
  std::vector<std::string> before;  ///< Techniques on the way to what it was made from, in order.
  std::vector<std::string> added;   ///< Not empty.
  std::string what;                 ///< What its author planned.
  std::string code_before;          ///< Empty: sequential code.
  std::string code;                 ///< Empty: it failed.
  double gain = 0;                  ///< Logarithm of the speedup over what it was made from.
  int number = 0;                   ///< Of the attempt.
  double share = 0;  ///< Its speedup, of the largest of its run until then; 0: failed.
};

/// Reads the attempts of one run in order. Only what was written shows a step: kernels that were
/// given do not come from each other, but a step may begin at one. Keeps the sources of those that
/// worked.
class StepReader {
 public:
  explicit StepReader(std::string task) : task_(std::move(task)) {}
  void read(const Attempt& attempt);
  std::vector<RecordedStep> take() { return std::exchange(steps_, {}); }

 private:
  struct Known {
    int parent = 0;
    bool is_correct = false;
    double speedup = 0;
    std::vector<std::string> path;  ///< Techniques in the order in which they came.
    std::string source;
  };
  const Known* made_from(int number) const;

  std::string task_;
  std::map<int, Known> known_;
  std::vector<RecordedStep> steps_;
  double largest_ = 1;  // speedup
};

/// What a technique is called in the graph; empty: the step is left out.
using Label = std::function<std::string(const std::string&)>;

/// Adds verified steps by Algorithm 1 of ReGraphT: along the path from sequential code, over edges
/// that there are or new ones, the last of each step with code and gain. `reference`: sequential
/// code of a task, empty where it is not known. Returns how many steps were added.
std::size_t merge_steps(TechniqueGraph& graph, const std::vector<RecordedStep>& steps,
                        const Label& label,
                        const std::function<std::string(const std::string&)>& reference);

/// What one evaluation says of the edges that its way led over, in the graph's names.
struct WalkedWay {
  std::vector<std::string> nodes;  ///< From the start.
  std::size_t taken = 0;           ///< The first edge that this step took; those before stood.
  bool has_failed = false;
  double share = 0;  ///< RecordedStep::share.
};
WalkedWay walked(const RecordedStep& step, const Label& label);

/// Counts a visit of every edge on each way, and a try of the steps that failed, where somebody has
/// taken the edge with success: nothing becomes one. So it comes after merge_steps() of all runs.
void count_ways(TechniqueGraph& graph, const std::vector<WalkedWay>& ways);

/// A kernel of the playbook and the one before it.
struct PlaybookStep {
  std::string task;
  std::string name;                 ///< As in the playbook, "softmax_padded/20_staged.cpp".
  std::string before_name;          ///< Empty: it is the task's first.
  std::vector<std::string> before;  ///< Techniques on the way to the one before, in order.
  std::vector<std::string> added;
  std::string code_before;
  std::string code;
};

/// Those that show a technique which the kernel before them does not.
std::vector<PlaybookStep> playbook_steps(const DataFiles& data, Target target);

/// The same as a recorded step, once it was measured against the kernel before it.
RecordedStep recorded(const PlaybookStep& step, double speedup);

}  // namespace kw::memory

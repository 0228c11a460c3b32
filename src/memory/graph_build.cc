// Adds the steps of runs and of the playbook to a graph as edges.
// SPDX-License-Identifier: Apache-2.0
#include "memory/graph_build.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "memory/lesson_rules.h"
#include "record/target.h"
#include "task/header.h"

namespace kw::memory {
namespace {

constexpr std::size_t kWhatBytes = 300;  // most bytes of a plan that an example keeps

std::vector<std::string> new_in(const std::vector<std::string>& all,
                                const std::vector<std::string>& before) {
  std::vector<std::string> added;
  for (const std::string& one : all)
    if (!contains(before, one) && !contains(added, one)) added.push_back(one);
  return added;
}

/// The node at which a path of techniques ends.
std::string end_of(const std::vector<std::string>& path, const Label& label) {
  std::string at(TechniqueGraph::kStart);
  for (const std::string& technique : path)
    if (std::string name = label(technique); !name.empty()) at = std::move(name);
  return at;
}

std::vector<std::string> labelled(const std::vector<std::string>& techniques, const Label& label) {
  std::vector<std::string> names;
  for (const std::string& technique : techniques)
    if (std::string name = label(technique); !name.empty() && !contains(names, name))
      names.push_back(std::move(name));
  return names;
}

void add_verified(TechniqueGraph& graph, const SourceStep& step, const Label& label,
                  const std::string& sequential) {
  const std::vector<std::string> added = labelled(step.added, label);
  std::string at = end_of(step.before, label);
  for (const std::string& technique : added) {
    if (technique == at) continue;  // the label is that of the node already reached
    const std::size_t edge = graph.add(at, technique);
    // Techniques that were added together share the gain, since the code of the example shows all
    // of them.
    graph.count(edge, {1, 1, step.gain / static_cast<double>(added.size())});
    if (technique == added.back())
      graph.add_example(
          edge, {step.name, step.what, step.code_before.empty() ? sequential : step.code_before,
                 step.code});
    at = technique;
  }
}

}  // namespace

const StepReader::Known* StepReader::made_from(int number) const {
  while (number != 0) {
    const auto found = known_.find(number);
    if (found == known_.end()) return nullptr;
    if (found->second.is_correct) return &found->second;
    if (found->second.parent >= number) return nullptr;
    number = found->second.parent;
  }
  return nullptr;
}

void StepReader::read(const Attempt& attempt) {
  if (attempt.recalled != 0 && known_.contains(attempt.recalled)) {
    known_[attempt.number] = known_[attempt.recalled];
    return;
  }
  Known& known = known_[attempt.number];
  known.parent = attempt.parent;
  known.is_correct = attempt.evaluation.verdict.is_correct() && attempt.against_baseline.value > 0;
  known.speedup = attempt.against_baseline.value;
  const Known* from = made_from(attempt.parent);
  if (from != nullptr) known.path = from->path;
  const std::vector<std::string> added = new_in(techniques_shown(attempt), known.path);
  if (known.is_correct) {
    known.source = attempt.candidate.source;
    known.path.insert(known.path.end(), added.begin(), added.end());
  } else if (!is_about_kernels(attempt.evaluation.verdict)) {
    return;
  }
  if (known.is_correct) largest_ = std::max(largest_, known.speedup);
  if (added.empty() || attempt.candidate.origin != Origin::Model) return;
  SourceStep step;
  step.number = attempt.number;
  step.task = task_;
  step.name = task_;
  if (from != nullptr) step.before = from->path, step.code_before = from->source;
  step.added = added;
  step.what = sanitise(attempt.plan, kWhatBytes);
  if (known.is_correct) {
    step.code = attempt.candidate.source;
    step.share = known.speedup / largest_;
    step.gain = std::log(known.speedup / (from != nullptr ? from->speedup : 1));
  }
  steps_.push_back(std::move(step));
}

std::size_t merge_steps(TechniqueGraph& graph, const std::vector<SourceStep>& steps,
                        const Label& label,
                        const std::function<std::string(const std::string&)>& reference) {
  std::size_t verified = 0;
  for (const SourceStep& step : steps) {
    if (step.code.empty()) continue;
    add_verified(graph, step, label, step.code_before.empty() ? reference(step.task) : "");
    ++verified;
  }
  return verified;
}

WalkedWay walked(const SourceStep& step, const Label& label) {
  WalkedWay way{{std::string(TechniqueGraph::kStart)}, 0, step.code.empty(), step.share};
  for (const std::string& technique : step.before)
    if (std::string name = label(technique); !name.empty() && name != way.nodes.back())
      way.nodes.push_back(std::move(name));
  way.taken = way.nodes.size() - 1;
  for (std::string& name : labelled(step.added, label))
    if (name != way.nodes.back()) way.nodes.push_back(std::move(name));
  return way;
}

void count_ways(TechniqueGraph& graph, const std::vector<WalkedWay>& ways) {
  for (const WalkedWay& way : ways) {
    std::set<std::size_t> visited;  // an edge that a circular way takes twice counts once
    for (std::size_t i = 0; i + 1 < way.nodes.size(); ++i) {
      if (graph.edge(way.nodes[i], way.nodes[i + 1]) == nullptr) continue;
      const std::size_t edge = graph.add(way.nodes[i], way.nodes[i + 1]);
      if (visited.insert(edge).second) graph.add_value(edge, {1, way.share});
      if (way.has_failed && i >= way.taken) graph.count(edge, {1, 0, 0});
    }
  }
}

std::vector<PlaybookStep> playbook_steps(const DataFiles& data, Target target) {
  std::vector<PlaybookStep> steps;
  PlaybookStep last;               // the previous kernel, whether or not it added a technique
  std::vector<std::string> shown;  // techniques that the previous kernel shows
  for (const auto& [path, text] : data.under("playbook")) {
    const auto slash = path.find('/');
    if (slash == std::string::npos || !path.ends_with(source_suffix(target))) continue;
    const auto header = task::parse_header(text, path, target);
    if (!header) continue;
    PlaybookStep step;
    step.task = path.substr(0, slash);
    step.name = path;
    step.code = text;
    if (step.task == last.task) {
      step.before_name = last.name;
      step.before = last.before;
      step.before.insert(step.before.end(), last.added.begin(), last.added.end());
      step.code_before = last.code;
    } else {
      shown.clear();
    }
    step.added = new_in(header->techniques, shown);
    shown = header->techniques;
    last = step;
    if (!step.added.empty()) steps.push_back(std::move(step));
  }
  return steps;
}

SourceStep recorded(const PlaybookStep& step, double speedup) {
  return {step.task,
          step.name,
          step.before,
          step.added,
          "a kernel of the playbook, measured against the one before it",
          step.code_before,
          step.code,
          std::log(speedup),
          0,
          0};
}

}  // namespace kw::memory

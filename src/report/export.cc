// Exports of a run.
// SPDX-License-Identifier: Apache-2.0
#include "report/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "record/codec.h"

namespace kw::report {
namespace {

/// What the strategy knew at least when it asked: the tells of all but the asks then in flight.
Json state_before(const RunData& data, std::size_t index) {
  const auto outstanding = static_cast<std::size_t>(std::max(1, data.run.config.outstanding));
  const std::size_t told = index + 1 > outstanding ? index + 1 - outstanding : 0;
  Json state;
  state["run"] = data.run.name;
  state["task"] = data.run.config.task;
  state["task_sha256"] = data.run.config.task_sha256;
  state["target"] = name_of(data.run.config.target);
  state["strategy"] = data.run.config.strategy;
  state["baseline"] = data.baseline;
  state["told"] = told;
  state["best_attempt"] = 0;
  state["best_speedup"] = 1.0;
  for (std::size_t i = 0; i < told; ++i) {
    const Attempt& a = data.attempts[i];
    if (a.outcome_class != OutcomeClass::NewBest) continue;
    state["best_attempt"] = a.number;
    state["best_speedup"] = a.against_baseline.value;
  }
  return state;
}

Json action_of(const Attempt& a) {
  auto ask = parse_json(a.ask, "ask");
  Json action;
  action["ask"] = ask ? std::move(*ask) : Json();
  action["parent"] = a.parent;
  action["name"] = a.candidate.name;
  action["origin"] = name_of(a.candidate.origin);
  action["knobs"] = a.candidate.knobs;
  action["options"] = a.candidate.options;
  action["techniques"] = a.candidate.techniques;
  action["source_sha256"] = a.candidate.sha256;
  action["source"] = a.candidate.source;
  return action;
}

/// A slice ("X") of the trace; times in nanoseconds, written in the format's microseconds.
Json slice(const std::string& name, const char* category, double start_ns, double length_ns,
           int thread, Json arguments) {
  return {
      {"name", name},           {"cat", category}, {"ph", "X"},     {"ts", start_ns / 1e3},
      {"dur", length_ns / 1e3}, {"pid", 1},        {"tid", thread}, {"args", std::move(arguments)}};
}

/// Stages in the order of a candidate's life; names that are none come last.
std::vector<std::pair<std::string, double>> stages_in_order(const Evaluation& e) {
  std::vector<std::pair<std::string, double>> stages(e.stage_ns.begin(), e.stage_ns.end());
  const auto rank = [](const std::string& name) {
    const auto stage = enum_from<Stage>(name);
    return stage ? static_cast<std::size_t>(*stage) : EnumNames<Stage>::names.size();
  };
  std::stable_sort(stages.begin(), stages.end(),
                   [&](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  return stages;
}

double spent_in(const Evaluation& e) {
  double sum = 0;
  for (const auto& [stage, ns] : e.stage_ns) sum += ns;
  return sum;
}

/// Appends the slice of an evaluation that ended at `end_ns` and took no longer than since `from`.
void add_evaluation(Json& events, const std::string& name, const Evaluation& e, double from_ns,
                    double end_ns, Json arguments) {
  const double spent = spent_in(e);
  double at = spent > 0 ? std::max(from_ns, end_ns - spent) : from_ns;
  events.push_back(slice(name, "attempt", at, end_ns - at, 1, std::move(arguments)));
  for (const auto& [stage, ns] : stages_in_order(e)) {
    const double length = std::min(ns, end_ns - at);
    events.push_back(slice(stage, "stage", at, length, 1, Json::object()));
    at += length;
  }
}

}  // namespace

std::string trajectories_jsonl(const RunData& data) {
  std::string text;
  for (std::size_t i = 0; i < data.attempts.size(); ++i) {
    const Attempt& a = data.attempts[i];
    Json line;
    line["attempt"] = a.number;
    line["state"] = state_before(data, i);
    line["action"] = action_of(a);
    line["outcome_class"] = name_of(a.outcome_class);
    line["reward"] = a.reward;
    line["verdict"] = encode_json(a.evaluation.verdict);
    line["speedup"] = encode_json(a.evaluation.speedup);
    line["against_baseline"] = encode_json(a.against_baseline);
    line["words"] = a.words;
    line["findings"] = Json::array();
    for (const Finding& f : a.evaluation.findings) line["findings"].push_back(encode_json(f));
    line["at_ns"] = a.at_ns;
    text += dump_json(line) + "\n";
  }
  return text;
}

std::string chrome_trace(const RunData& data, const std::vector<store::Event>& events) {
  Json list = Json::array();
  list.push_back({{"name", "process_name"},
                  {"ph", "M"},
                  {"pid", 1},
                  {"args", {{"name", "kernelwright " + data.run.name}}}});
  double before = 0;
  for (const Attempt& a : data.attempts) {
    const double end = static_cast<double>(a.at_ns);
    add_evaluation(list, fmt::format("{} {}", a.number, a.candidate.name), a.evaluation, before,
                   end,
                   {{"words", a.words},
                    {"outcome", name_of(a.evaluation.verdict.outcome)},
                    {"class", name_of(a.outcome_class)},
                    {"speedup", a.against_baseline.value},
                    {"knobs", a.candidate.knobs}});
    if (a.outcome_class == OutcomeClass::NewBest)
      list.push_back({{"name", "best speedup"},
                      {"ph", "C"},
                      {"ts", end / 1e3},
                      {"pid", 1},
                      {"args", {{"speedup", a.against_baseline.value}}}});
    before = end;
  }
  for (const store::Event& event : events) {
    if (event.kind != "confirm") continue;
    const double end = static_cast<double>(event.at_ns);
    if (const auto evaluation = decode<Evaluation>(event.body))
      add_evaluation(
          list, evaluation->id, *evaluation, before, end,
          {{"speedup", evaluation->speedup.value}, {"is_faster", evaluation->speedup.is_faster}});
    before = end;
  }
  return dump_json({{"traceEvents", list}, {"displayTimeUnit", "ms"}}) + "\n";
}

Progress progress_of(const std::vector<Attempt>& attempts) {
  Progress progress;
  double best = 1;
  for (const Attempt& a : attempts) {
    if (a.outcome_class == OutcomeClass::NewBest) best = a.against_baseline.value;
    if (a.outcome_class == OutcomeClass::Failed) ++progress.failed;
    progress.best_so_far.push_back(best);
  }
  return progress;
}

}  // namespace kw::report

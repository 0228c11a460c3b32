// Writes trajectories and Chrome traces of runs, and reads trajectories back.
// SPDX-License-Identifier: Apache-2.0
#include "report/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "record/codec.h"

namespace kw::report {
namespace {

/// Keys of a trajectory's `action` that describe the attempt rather than its candidate.
constexpr std::array kAuthorship{"writer", "plan", "usage", "cost_usd"};

/// The `action` of a trajectory line: the request, the candidate and its cost. `has_prices` tells
/// whether the price of at least one call of the run is known.
Json action_of(const Attempt& a, bool has_prices) {
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
  action["writer"] = a.writer.empty() ? Json() : Json(a.writer);
  action["plan"] = a.plan;
  action["calls"] = a.exchanges.size();
  action["usage"] = encode_json(a.usage);
  action["cost_usd"] = a.exchanges.empty() || has_prices ? Json(a.cost_usd) : Json();
  return action;
}

/// Keys of an evaluation, besides verdict and speedup, on which rewards and strategies depend.
constexpr std::array kMeasured{"object_sha256", "profiles", "roofline_fraction", "workloads"};

Json measured_of(const Evaluation& evaluation) {
  Json all = encode_json(evaluation);
  Json measured;
  for (const char* key : kMeasured) measured[key] = std::move(all[key]);
  return measured;
}

/// The lanes of a Chrome trace, from top to bottom.
enum class Lane { Attempts, Models, Compiler, Device };
constexpr std::array<std::string_view, 4> kLaneNames{"attempts", "models", "compiler", "device"};

int thread_of(Lane lane) { return static_cast<int>(lane) + 1; }

Lane lane_of_stage(const std::string& stage) {
  const auto known = enum_from<Stage>(stage);
  if (!known) return Lane::Device;
  if (*known == Stage::Propose) return Lane::Models;
  return *known <= Stage::Compile ? Lane::Compiler : Lane::Device;
}

/// A slice (phase "X") of a Chrome trace. Arguments are in nanoseconds; the format wants
/// microseconds.
Json slice(const std::string& name, const char* category, double start_ns, double length_ns,
           Lane lane, Json arguments) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"ts", start_ns / 1e3},
          {"dur", length_ns / 1e3},
          {"pid", 1},
          {"tid", thread_of(lane)},
          {"args", std::move(arguments)}};
}

using Stages = std::map<std::string, double>;

/// The stages in the order in which a candidate passes them; unknown names come last.
std::vector<std::pair<std::string, double>> in_order(const Stages& spent) {
  std::vector<std::pair<std::string, double>> stages(spent.begin(), spent.end());
  const auto rank = [](const std::string& name) {
    const auto stage = enum_from<Stage>(name);
    return stage ? static_cast<std::size_t>(*stage) : EnumNames<Stage>::names.size();
  };
  std::stable_sort(stages.begin(), stages.end(),
                   [&](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  return stages;
}

double sum_of(const Stages& stages) {
  double sum = 0;
  for (const auto& [stage, ns] : stages) sum += ns;
  return sum;
}

/// The trace's slices for an attempt that took the given stages and ended at `end_ns`; no slice
/// begins before `from_ns`. `words` become the arguments of slices in the models' lane.
Json slices_of(const std::string& name, const Stages& stages, double from_ns, double end_ns,
               Json arguments, const Json& words = Json::object()) {
  Json slices = Json::array();
  const double spent = sum_of(stages);
  double at = spent > 0 ? std::max(from_ns, end_ns - spent) : from_ns;
  slices.push_back(slice(name, "attempt", at, end_ns - at, Lane::Attempts, std::move(arguments)));
  for (const auto& [stage, ns] : in_order(stages)) {
    const double length = std::min(ns, end_ns - at);
    const Lane lane = lane_of_stage(stage);
    slices.push_back(
        slice(stage, "stage", at, length, lane, lane == Lane::Models ? words : Json::object()));
    at += length;
  }
  return slices;
}

/// The events as further elements of the trace's JSON list, each on its own line.
std::string appended(const Json& events) {
  std::string text;
  for (const Json& event : events) text += ",\n" + dump_json(event);
  return text;
}

}  // namespace

std::string Trajectories::line(const Attempt& a) {
  // When the strategy made its request, it knew the outcomes at least of all attempts that were not
  // in flight.
  const auto outstanding = static_cast<std::size_t>(std::max(1, data_.run.config.outstanding));
  for (; untold_.size() >= outstanding; untold_.pop_front(), ++told_) {
    if (untold_.front().outcome_class != OutcomeClass::NewBest) continue;
    best_attempt_ = untold_.front().number;
    best_speedup_ = untold_.front().speedup;
  }
  untold_.push_back(line_of(a));
  if (a.evaluation.verdict.is_unanswered()) return {};

  Json line;
  line["attempt"] = a.number;
  line["state"] = {{"run", data_.run.name},
                   {"task", data_.run.config.task},
                   {"task_sha256", data_.run.config.task_sha256},
                   {"target", name_of(data_.run.config.target)},
                   {"strategy", data_.run.config.strategy},
                   {"baseline", data_.baseline},
                   {"told", told_},
                   {"best_attempt", best_attempt_},
                   {"best_speedup", best_speedup_}};
  line["action"] = action_of(a, data_.run.spent.calls > data_.run.spent.unpriced);
  line["outcome_class"] = name_of(a.outcome_class);
  line["reward"] = a.reward;
  line["verdict"] = encode_json(a.evaluation.verdict);
  line["speedup"] = encode_json(a.evaluation.speedup);
  line["against_baseline"] = encode_json(a.against_baseline);
  line["measured"] = measured_of(a.evaluation);
  line["chosen"] = a.chosen;
  line["recalled"] = a.recalled;
  line["words"] = a.words;
  line["findings"] = Json::array();
  for (const Finding& f : a.evaluation.findings) line["findings"].push_back(encode_json(f));
  line["at_ns"] = a.at_ns;
  return dump_json(line) + "\n";
}

Result<Attempt> read_trajectory(std::string_view line, const std::string& origin) {
  Json step = KW_TRY(parse_json(line, origin));
  const bool has_action = step.is_object() && step["action"].is_object();
  if (!has_action || !step["measured"].is_object())
    return fail(ErrorCode::Malformed, About{has_action ? "measured" : "action"},
                "this line is not an attempt of a run: it lacks 'action' or 'measured'", origin);
  Json action = std::move(step["action"]);
  Json attempt;
  attempt["number"] = std::move(step["attempt"]);
  attempt["parent"] = std::move(action["parent"]);
  attempt["ask"] = dump_json(action["ask"]);
  for (const char* key :
       {"against_baseline", "at_ns", "chosen", "outcome_class", "recalled", "reward", "words"})
    attempt[key] = std::move(step[key]);
  for (const char* key : kAuthorship)
    if (const auto found = action.find(key); found != action.end() && !found->is_null())
      attempt[key] = std::move(*found);
  action["sha256"] = std::move(action["source_sha256"]);
  attempt["candidate"] = std::move(action);
  attempt["evaluation"] = std::move(step["measured"]);
  attempt["evaluation"]["verdict"] = std::move(step["verdict"]);
  attempt["evaluation"]["speedup"] = std::move(step["speedup"]);
  return decode_json<Attempt>(attempt);
}

std::string ChromeTrace::begin(const RunData& data) const {
  Json names = Json::array();
  for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
    const int thread = thread_of(static_cast<Lane>(lane));
    names.push_back({{"name", "thread_name"},
                     {"ph", "M"},
                     {"pid", 1},
                     {"tid", thread},
                     {"args", {{"name", kLaneNames[lane]}}}});
    names.push_back({{"name", "thread_sort_index"},
                     {"ph", "M"},
                     {"pid", 1},
                     {"tid", thread},
                     {"args", {{"sort_index", thread}}}});
  }
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" +
         dump_json({{"name", "process_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"args", {{"name", "kernelwright " + data.run.name}}}}) +
         appended(names);
}

std::string ChromeTrace::attempt(const Attempt& a) {
  const double end = static_cast<double>(a.at_ns);
  Json slices =
      slices_of(fmt::format("{} {}", a.number, a.candidate.name), spent_ns(a), before_ns_, end,
                {{"words", a.words},
                 {"outcome", name_of(a.evaluation.verdict.outcome)},
                 {"class", name_of(a.outcome_class)},
                 {"speedup", a.against_baseline.value},
                 {"knobs", a.candidate.knobs}},
                {{"prompt_tokens", a.usage.prompt_tokens},
                 {"completion_tokens", a.usage.completion_tokens},
                 {"cost_usd", a.cost_usd},
                 {"calls", a.exchanges.size()}});
  if (a.outcome_class == OutcomeClass::NewBest)
    slices.push_back({{"name", "best speedup"},
                      {"ph", "C"},
                      {"ts", end / 1e3},
                      {"pid", 1},
                      {"args", {{"speedup", a.against_baseline.value}}}});
  before_ns_ = end;
  return appended(slices);
}

std::string ChromeTrace::event(const store::Event& event) {
  if (event.kind != "confirm") return {};
  const double from = std::exchange(before_ns_, static_cast<double>(event.at_ns));
  const auto evaluation = decode<Evaluation>(event.body);
  if (!evaluation) return {};
  return appended(slices_of(
      evaluation->id, evaluation->stage_ns, from, before_ns_,
      {{"speedup", evaluation->speedup.value}, {"is_faster", evaluation->speedup.is_faster}}));
}

std::string ChromeTrace::end() const { return "\n]}\n"; }

}  // namespace kw::report

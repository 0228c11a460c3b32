// Shows the cost, certificate and settings of a run as lists of facts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "report/page_parts.h"
#include "report/run_folder.h"

namespace kw::report {
namespace {

struct ModelCost {
  Spending spent;  ///< Cost of the replies.
  Usage usage;
  double waited_ns = 0;  ///< Time until the replies came, without failed calls.
};

/// How many nanoseconds all attempts waited for models, including calls that failed.
Result<double> waited_ns(const store::RunStore& store, const RunSummary& run) {
  double sum = 0;
  KW_TRY(store.attempts().for_each(
      run.id, store::Sources::LeaveOut,
      [&](Attempt& a) -> Result<> {
        const auto waited = a.evaluation.stage_ns.find(std::string(name_of(Stage::Propose)));
        if (waited != a.evaluation.stage_ns.end()) sum += waited->second;
        return {};
      },
      store::Samples::LeaveOut));
  return sum;
}

}  // namespace

Result<> set_cost(PageFields& f, const store::RunStore& store, const RunData& data) {
  std::map<std::string, ModelCost> models;
  KW_TRY(store.exchanges().for_each(data.run.id, [&](Exchange& exchange) -> Result<> {
    ModelCost& cost = models[exchange.model];
    const ChatReply& reply = exchange.reply;
    ++cost.spent.calls;
    cost.usage.prompt_tokens += reply.usage.prompt_tokens;
    cost.usage.cached_tokens += reply.usage.cached_tokens;
    cost.usage.completion_tokens += reply.usage.completion_tokens;
    cost.spent.usd += reply.cost_usd.value_or(0);
    if (!reply.cost_usd) ++cost.spent.unpriced;
    cost.waited_ns += static_cast<double>(reply.latency_ns);
    return {};
  }));
  PageList rows, costs;
  for (const auto& [name, cost] : models)
    rows.push_back({{"name", {short_text(name)}},
                    {"replies", {std::to_string(cost.spent.calls)}},
                    {"prompt", {std::to_string(cost.usage.prompt_tokens)}},
                    {"cached", {std::to_string(cost.usage.cached_tokens)}},
                    {"completion", {std::to_string(cost.usage.completion_tokens)}},
                    {"usd", {dollars_text(cost.spent)}},
                    {"waited", {format_ns(cost.waited_ns)}}});
  add_fact(costs, "time", fmt::format("{:.1f} s", data.run.spent_ns * 1e-9));
  if (!data.run.config.models.empty()) {
    const double waited = KW_TRY(waited_ns(store, data.run));
    add_fact(costs, "time waiting for models", fmt::format("{:.1f} s", waited * 1e-9));
    add_fact(costs, "models", spending_text(data.run.spent, data.run.config.prices));
  } else {
    add_fact(costs, "models", "no model took part");
  }
  f["has_models"] = {!rows.empty()};
  f["models"] = {std::move(rows)};
  f["costs"] = {std::move(costs)};
  return {};
}

namespace {

/// The certificate as JSON, in which the number of samples replaces the samples.
std::string certificate_without_samples(const RunData& data) {
  auto object = parse_json(certificate(data), "certificate");
  if (!object) return {};
  for (Json& w : (*object)["evaluation"]["workloads"]) w["samples"] = w["samples"].size();
  return dump_json_pretty(*object);
}

}  // namespace

void set_certificate(PageFields& f, const RunData& data) {
  PageList facts, whole;
  std::string words = data.is_win()
                          ? "None: a landscape proves nothing about a kernel on a device."
                          : "None: only a win that a separate confirmation showed has one.";
  if (data.has_certificate()) {
    const Evaluation& e = *data.confirmation;
    std::size_t timed = 0, pairs = 0;
    for (const WorkloadResult& w : e.workloads) {
      timed += w.group == Group::Time ? 1 : 0;
      pairs += w.samples.size();
    }
    words = short_text(fmt::format("{} is faster than {} on {}.", data.best->candidate.name,
                                   opponent_of(data), data.device.model));
    add_fact(facts, "speedup",
             fmt::format("{:.4f}, {:.4f}–{:.4f} at {:.1f} %", e.speedup.value, e.speedup.low,
                         e.speedup.high, e.speedup.confidence * 100));
    if (e.speedup.noise_floor)
      add_fact(facts, "noise floor", fmt::format("{:.4f}", *e.speedup.noise_floor));
    add_fact(facts, "source", "sha256 " + sha256(data.best_source).hex());
    add_fact(facts, "as proposed", "sha256 " + short_text(data.best->candidate.sha256));
    add_fact(facts, "task", "sha256 " + short_text(data.run.config.task_sha256));
    add_fact(facts, "compiled code", "sha256 " + short_text(e.object_sha256));
    add_fact(facts, "shapes",
             fmt::format("{} timed with {} pairs, {} more checked for correctness", timed, pairs,
                         e.workloads.size() - timed));
    add_fact(facts, "jail", fmt::format("{} as uid {}", name_of(e.jail), e.jail_uid));
    if (const std::string_view lacks = jail_lacks(e); !lacks.empty())
      add_fact(facts, "the jail lacks", std::string(lacks));
    add_fact(facts, "trust class", std::string(name_of(e.trust_class)));
    if (e.opponent_class && *e.opponent_class != e.trust_class)
      add_fact(facts, "trust class of the baseline",
               std::string(name_of(*e.opponent_class)) +
                   (e.opponent_trusted_by_user ? ", trusted by the user" : ""));
    add_fact(facts, "device", short_text(e.machine + ", " + e.device));
    add_fact(facts, "worker", short_text(e.worker));
    whole = optional_text(certificate_without_samples(data));
  }
  f["certificate_words"] = {std::move(words)};
  f["certificate_facts"] = {std::move(facts)};
  f["certificate_json"] = {std::move(whole)};
}

namespace {

std::string limit_words(const RunConfig& c) {
  std::vector<std::string> parts;
  if (c.max_attempts > 0) parts.push_back(fmt::format("{} attempts", c.max_attempts));
  if (c.max_time_ns > 0) parts.push_back(format_ns(static_cast<double>(c.max_time_ns)));
  if (c.patience > 0) parts.push_back(fmt::format("patience {}", c.patience));
  if (c.limits.usd) parts.push_back(fmt::format("${:g}", *c.limits.usd));
  if (c.limits.tokens) parts.push_back(fmt::format("{} tokens", *c.limits.tokens));
  if (c.limits.calls) parts.push_back(fmt::format("{} calls", *c.limits.calls));
  return join(parts, ", ");
}

std::string goal_words(const Goals& goals) {
  std::vector<std::string> parts;
  if (goals.time_ns) parts.push_back(format_ns(*goals.time_ns));
  if (goals.speedup) parts.push_back(fmt::format("{:g}×", *goals.speedup));
  if (goals.roof) parts.push_back(fmt::format("{:g} of the roof", *goals.roof));
  return join(parts, ", ");
}

}  // namespace

void set_setting(PageFields& f, const RunData& data) {
  const RunConfig& c = data.run.config;
  PageList list;
  add_fact(list, "strategy", short_text(c.strategy));
  add_fact(list, "tuner", short_text(c.tuner));
  add_fact(list, "seed", std::to_string(c.seed));
  add_fact(list, "baseline", short_text(c.baseline));
  add_fact(list, "goals", goal_words(c.goals));
  add_fact(list, data.orders.empty() ? "limits" : "limits at first", limit_words(c));
  add_fact(list, "models", short_text(join(c.models, ", ")));
  for (const std::string& text : c.constraints) add_fact(list, "constraint", short_text(text));
  for (const std::string& text : c.hints) add_fact(list, "hint", short_text(text));
  for (const std::string& text : data.orders) add_fact(list, "order", short_text(text));
  add_fact(list, "compiler", short_text(data.device.compiler));
  add_fact(list, "every attempt", "kw show " + data.run.name);
  add_fact(list, "one attempt", "kw show " + data.run.name + " --attempt N");
  if (!c.models.empty())
    add_fact(list, "prompt and reply", "kw prompt " + data.run.name + " --attempt N");
  add_fact(list, "everything", "kw export " + data.run.name + " --format jsonl");
  f["setting"] = {std::move(list)};
}

}  // namespace kw::report

// Writes the results of a suite as CSV and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "report/suite_metrics.h"
#include "report/suite_tables.h"

namespace kw::report {
namespace {

Json json_of(const SuiteMethod& m) {
  Json object;
  const auto set = [&](const char* key, const std::string& value) {
    object[key] = value.empty() ? Json() : Json(value);
  };
  set("strategy", m.strategy), set("preset", m.preset), set("model", m.model);
  set("reward", m.reward), set("feedback", m.feedback), set("knowledge", m.knowledge);
  set("target", m.target);
  return object;
}

Json json_of(const SuiteRow& row) {
  Json object = json_of(row.method);
  if (!row.level.empty()) object["level"] = row.level;
  object["tasks"] = row.tasks;
  object["samples"] = row.samples;
  object["missing"] = row.missing;
  if (row.missing > 0) object["trouble"] = row.trouble;
  object["calls"] = row.spent.calls;
  object["tokens"] = row.spent.tokens;
  object["usd"] = row.spent.unpriced > 0 ? Json() : Json(row.spent.usd);
  Json& metrics = object["metrics"] = Json::object();
  for (const SuiteMetric& metric : row.metrics) {
    Json value = metric.value ? Json(*metric.value) : Json();
    metrics[metric.name] = {{"value", std::move(value)}};
    if (metric.interval) {
      metrics[metric.name]["low"] = metric.interval->low;
      metrics[metric.name]["high"] = metric.interval->high;
    }
  }
  return object;
}

Json json_of(const SuiteCell& cell) {
  Json object = json_of(cell.method);
  object["task"] = cell.task;
  object["seed"] = cell.seed;
  object["run"] = cell.run.empty() ? Json() : Json(cell.run);
  object["trouble"] = cell.trouble.empty() ? Json() : Json(cell.trouble);
  object["speedup"] = cell.speedup;
  object["is_win"] = cell.is_win;
  object["attempts"] = cell.tries.size();
  if (cell.optimum > 0) object["optimum"] = cell.optimum;
  if (const auto& r = cell.record)
    object["record"] = {{"same", r->same}, {"alike", r->alike}, {"none", r->none}};
  return object;
}

std::size_t written(const SuiteCell& cell) {
  return static_cast<std::size_t>(std::ranges::count(cell.tries, true, &SuiteTry::is_written));
}

std::size_t not_compiled(const SuiteCell& cell) {
  return static_cast<std::size_t>(
      std::ranges::count(cell.tries, Outcome::CompileFailed, &SuiteTry::outcome));
}

}  // namespace

std::string suite_csv(const SuiteResult& result) {
  std::string text =
      "suite,task,level,strategy,preset,model,reward,feedback,knowledge,target,seed,run,speedup,"
      "is_win,optimum,attempts,written,not_compiled,alike,unrecorded,calls,tokens,usd,trouble\n";
  for (const SuiteCell& cell : result.cells) {
    const SuiteMethod& m = cell.method;
    std::vector<std::string> fields{result.spec.name,
                                    cell.task,
                                    cell.level,
                                    m.strategy,
                                    m.preset,
                                    m.model,
                                    m.reward,
                                    m.feedback,
                                    m.knowledge,
                                    m.target,
                                    std::to_string(cell.seed),
                                    cell.run};
    fields.push_back(fmt::format("{}", cell.speedup));
    fields.emplace_back(cell.is_win ? "1" : "0");
    fields.push_back(fmt::format("{}", cell.optimum));
    fields.push_back(std::to_string(cell.tries.size()));
    fields.push_back(std::to_string(written(cell)));
    fields.push_back(std::to_string(not_compiled(cell)));
    fields.push_back(cell.record ? std::to_string(cell.record->alike) : "");
    fields.push_back(cell.record ? std::to_string(cell.record->none) : "");
    fields.push_back(std::to_string(cell.spent.calls));
    fields.push_back(std::to_string(cell.spent.tokens));
    fields.push_back(cell.spent.unpriced > 0 ? "" : fmt::format("{}", cell.spent.usd));
    fields.push_back(cell.trouble);
    for (std::string& field : fields) field = csv_field(field);
    text += join(fields, ",") + "\n";
  }
  return text;
}

std::string suite_json(const SuiteResult& result) {
  Json object;
  object["suite"] = result.spec.name;
  object["rows"] = Json::array();
  for (const SuiteRow& row : suite_rows(result)) object["rows"].push_back(json_of(row));
  object["levels"] = Json::array();
  for (const SuiteRow& row : level_rows(result)) object["levels"].push_back(json_of(row));
  object["cells"] = Json::array();
  for (const SuiteCell& cell : result.cells) object["cells"].push_back(json_of(cell));
  return dump_json(object);
}

}  // namespace kw::report

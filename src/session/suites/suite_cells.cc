// Expands a suite's spec to the searches (cells) that it asks for: all combinations, except
// settings that have no effect on a strategy.
// SPDX-License-Identifier: Apache-2.0
#include "session/suites/suite_cells.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/contains.h"
#include "base/hash.h"
#include "llm/spec.h"
#include "record/target.h"
#include "search/strategy.h"
#include "session/landscape.h"
#include "session/searching/recorded_landscape.h"
#include "session/tasks.h"
#include "task/fields.h"

namespace kw::session {
namespace {

using report::SuiteMethod;
using task::SampleUnit;
using task::SuiteName;
using task::SuiteSpec;

bool is_world(const std::string& task) { return task.starts_with(kWorldPrefix); }
bool is_record(const std::string& task) { return task.starts_with(kRecordPrefix); }
/// Whether this process searches the task itself, without the store: a technique world or a
/// recorded run.
bool is_inside(const std::string& task) { return is_world(task) || is_record(task); }

class Planner {
 public:
  Planner(const Options& options, const SuiteSpec& spec, const SuiteOptions& suite)
      : options_(options), spec_(spec), suite_(suite), report_(suite.file, complaints_) {}

  Result<std::vector<PlannedCell>> run() {
    KW_TRY(check_tasks());
    for (const SuiteName& name : spec_.strategies) add_strategy(name);
    if (complaints_.empty()) return std::move(plans_);
    return std::unexpected(complaints_.to_error());
  }

 private:
  Result<> check_tasks() {
    const auto data = KW_TRY(open_data(options_));
    for (const task::SuiteTask& t : spec_.tasks) {
      const std::string& name = t.name.text;
      const std::string& first = spec_.tasks.front().name.text;
      if (is_world(name) != is_world(first) || is_record(name) != is_record(first)) {
        report_.add(
            t.name.place, About{"tasks of two kinds"},
            "a suite cannot mix worlds of techniques or records with tasks of another kind");
      } else if (is_world(name)) {
        std::uint64_t seed = 0;
        const auto* end = name.data() + name.size();
        const auto [stop, code] =
            std::from_chars(name.data() + std::string_view(kWorldPrefix).size(), end, seed);
        if (code != std::errc() || stop != end)
          report_.add(t.name.place, About{"techniques: seed"},
                      "techniques: wants a number as its seed, as in techniques:7");
      } else if (const auto landscape = open_landscape(options_, name)) {
        if (!*landscape)
          report_.add(t.name.place, About{landscape->error().about}, landscape->error().what);
      } else if (const auto known = open_accepted_task(options_, data, name)) {
        sha256_[name] = known->task.sha256;
      } else {
        report_.add(t.name.place, About{known.error().about}, describe(known.error()));
      }
    }
    return {};
  }

  bool has_worlds() const { return is_world(spec_.tasks.front().name.text); }
  bool has_records() const { return is_record(spec_.tasks.front().name.text); }
  bool is_inside() const { return session::is_inside(spec_.tasks.front().name.text); }

  void add_strategy(const SuiteName& name) {
    const search::StrategyInfo& info = **search::find_strategy(name.text);
    if (!check_strategy(name, info)) return;
    const bool has_models = info.is_writing && !is_inside();
    const std::vector<std::string> nothing{""};
    std::vector<std::string> presets = nothing, rewards = nothing, models = nothing;
    if (info.has_presets && !spec_.presets.empty()) presets = spec_.presets;
    if (!has_worlds()) {
      rewards = {"speedup"};
      if (!spec_.rewards.empty()) rewards.clear();
      for (const SuiteName& reward : spec_.rewards) rewards.push_back(reward.text);
    }
    if (has_models) models = models_of_spec();
    for (const std::string& preset : presets)
      for (const std::string& model : models)
        for (const std::string& reward : rewards)
          add_conditions(info, {name.text, preset, model, reward, "", "", ""});
  }

  bool check_strategy(const SuiteName& name, const search::StrategyInfo& info) {
    const auto complain = [&](const std::string& about, const std::string& why) {
      report_.add(name.place, About{fmt::format("{}: {}", name.text, about)},
                  fmt::format("strategy '{}' {}", name.text, why));
      return false;
    };
    if (is_inside()) {
      if (spec_.budget.evaluations == 0)
        return complain(
            "evaluations",
            "searches a world of techniques or a record, so the suite's budget must give "
            "'evaluations'");
    } else if (!info.is_writing) {
      if (spec_.budget.evaluations == 0)
        return complain("evaluations",
                        "asks no model, so the suite's budget must give 'evaluations'");
    } else {
      if (models_of_spec().empty())
        return complain("models", "needs a model that writes kernels: give 'models' in the suite");
      for (const task::SuiteTask& t : spec_.tasks)
        if (is_landscape(t.name.text))
          return complain(
              t.name.text,
              fmt::format("has kernels written, which no model does for {}; all strategies search "
                          "worlds of techniques, as techniques:7, and records, as recorded:RUN",
                          t.name.text));
    }
    if (spec_.samples == SampleUnit::Attempt && info.name != "best-of-n")
      return complain("samples",
                      "does not write kernels independently: 'samples: attempts' is for best-of-n");
    return true;
  }

  std::vector<std::string> models_of_spec() const {
    const bool has_real =
        std::ranges::any_of(spec_.models, [](const SuiteName& m) { return m.text == kRealModel; });
    if (!suite_.models.empty() && !has_real) return suite_.models;
    std::vector<std::string> models;
    for (const SuiteName& model : spec_.models) {
      if (model.text == kRealModel && !suite_.models.empty())
        models.insert(models.end(), suite_.models.begin(), suite_.models.end());
      else
        models.push_back(model.text);
    }
    return models;
  }

  void add_conditions(const search::StrategyInfo& info, SuiteMethod method) {
    // In a technique world the stand-in for a model uses only the graph, and on a record it only
    // repeats the recorded replies, so other knowledge has no effect there.
    const bool is_told = info.is_writing && !has_records();
    const bool has_knowledge = is_told && (!has_worlds() || info.has_graph);
    const std::vector<bool> knowledge = has_knowledge ? spec_.knowledge : std::vector{true};
    const auto feedback = is_told ? spec_.feedback : std::vector{FeedbackLevel::Profile};
    const auto targets = is_inside() ? std::vector{kDefaultTarget} : spec_.targets;
    for (const FeedbackLevel level : feedback)
      for (const bool knows : knowledge)
        for (const Target target : targets) {
          if (is_told) method.feedback = name_of(level);
          if (has_knowledge) method.knowledge = knows ? "on" : "off";
          if (!is_inside()) method.target = name_of(target);
          for (const task::SuiteTask& t : spec_.tasks)
            for (const std::uint64_t seed : spec_.seeds) add_cell(info, method, t, seed);
        }
  }

  void add_cell(const search::StrategyInfo& info, const SuiteMethod& method,
                const task::SuiteTask& t, std::uint64_t seed) {
    PlannedCell plan;
    plan.cell.method = method;
    plan.cell.task = t.name.text;
    plan.cell.level = t.level;
    plan.cell.seed = seed;
    if (method.model == kRealModel)
      plan.cell.trouble =
          fmt::format("Needs a model: kw suite {} --model PROVIDER:NAME", suite_.file);
    else if (!is_inside())
      plan.words = words_of(info, plan.cell);
    if (!plan.words.empty() && info.is_writing && !suite_.model_timeout.empty())
      plan.asking_words = {"--model-timeout", suite_.model_timeout};
    plan.label = label_of(plan.cell);
    plans_.push_back(std::move(plan));
  }

  /// A label made of the suite's name and a hash of all settings that decide the search, by which
  /// the suite finds the run of a search again.
  std::string label_of(const report::SuiteCell& cell) const {
    const SuiteMethod& m = cell.method;
    const task::SuiteBudget& b = spec_.budget;
    const auto sha = sha256_.find(cell.task);
    const std::string what =
        fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", m.strategy, m.preset,
                    m.model, m.reward, m.feedback, m.knowledge, m.target, cell.task,
                    sha == sha256_.end() ? "" : sha->second, cell.seed, b.evaluations, b.calls,
                    b.tokens, b.usd, spec_.starts_from_experts, name_of(spec_.samples)) +
        (has_repairs(cell) ? fmt::format("|repairs {}", *spec_.repairs) : "");
    constexpr std::size_t kDigits = 16;
    return "suite " + spec_.name + " " + sha256(what).hex().substr(0, kDigits);
  }

  /// Whether the label contains the number of repairs. Labels of suites without `repairs` must not
  /// change, or their finished runs would not be found.
  bool has_repairs(const report::SuiteCell& cell) const {
    return spec_.repairs && (**search::find_strategy(cell.method.strategy)).has_repairs;
  }

  std::vector<std::string> words_of(const search::StrategyInfo& info,
                                    const report::SuiteCell& cell) const {
    const SuiteMethod& m = cell.method;
    std::vector<std::string> words{
        "optimize", cell.task,  "--strategy", m.strategy, "--reward",
        m.reward,   "--target", m.target,     "--seed",   std::to_string(cell.seed)};
    const auto add = [&](std::initializer_list<std::string> more) {
      words.insert(words.end(), more);
    };
    if (!m.preset.empty()) add({"--preset", m.preset});
    if (has_repairs(cell)) add({"--repairs", std::to_string(*spec_.repairs)});
    add_budget(info, words);
    if (!info.is_writing) {
      add({"--no-memory"});
      return words;
    }
    add({"--model", model_path(m, cell.task), "--feedback", m.feedback});
    // Runs of a suite must not learn from each other, because their order would then matter.
    add({m.knowledge == "off" ? "--no-knowledge" : "--freeze-memory"});
    if (info.has_graph) add({"--freeze-graph"});
    if (!spec_.starts_from_experts) add({"--from-scratch"});
    const auto target = enum_from<Target>(m.target);
    if (m.feedback == name_of(FeedbackLevel::Profile) && target && row_of(*target).has_profiler)
      add({"--profile"});
    return words;
  }

  void add_budget(const search::StrategyInfo& info, std::vector<std::string>& words) const {
    const task::SuiteBudget& b = spec_.budget;
    const auto add = [&](const char* flag, std::int64_t value) {
      if (value > 0) words.insert(words.end(), {flag, std::to_string(value)});
    };
    add("--attempts", b.evaluations);
    if (!info.is_writing) return;
    add("--calls", b.calls);
    add("--tokens", b.tokens);
    if (b.usd > 0) words.insert(words.end(), {"--usd", fmt::format("{}", b.usd)});
    // The whole budget is spent on writing kernels and none on tuning the best of them.
    if (info.name == "best-of-n" && spec_.samples == SampleUnit::Attempt)
      add("--writes", b.calls > 0 ? b.calls : b.evaluations);
  }

  /// The model of one search of a suite. A scripted model's file is looked for beside the suite's
  /// spec first; {task} and {target} in its name are replaced by the search's task and target.
  std::string model_path(const SuiteMethod& method, const std::string& task) const {
    const auto spec = llm::parse_model_spec(method.model);
    if (!spec || !spec->is_scripted() || !spec->role.empty()) return method.model;
    std::string script = spec->name;
    const std::pair<std::string_view, std::string_view> names[] = {{"{task}", task},
                                                                   {"{target}", method.target}};
    for (const auto& [place, name] : names)
      if (const std::size_t at = script.find(place); at != std::string::npos)
        script.replace(at, place.size(), name);
    const auto beside = std::filesystem::path(suite_.file).parent_path() / script;
    std::error_code ignored;
    llm::ModelSpec placed = *spec;
    placed.name = std::filesystem::exists(beside, ignored) ? beside.string() : script;
    return placed.text();
  }

  const Options& options_;
  const SuiteSpec& spec_;
  const SuiteOptions& suite_;
  task::Complaints complaints_;
  task::FileReport report_;
  std::map<std::string, std::string> sha256_;  // by task
  std::vector<PlannedCell> plans_;
};

}  // namespace

task::SuiteSpec in_worlds(SuiteSpec spec, int worlds) {
  // The number of evaluations if the suite's budget bounds neither evaluations nor calls.
  constexpr std::int64_t kEvaluations = 64;
  const auto tasks = std::move(spec.tasks);
  spec.tasks.clear();
  for (int i = 0; i < worlds; ++i) {
    const task::SuiteTask& stands_for = tasks[static_cast<std::size_t>(i) % tasks.size()];
    spec.tasks.push_back(
        {{kWorldPrefix + std::to_string(i + 1), stands_for.name.place}, stands_for.level});
  }
  spec.name += " landscape";
  spec.resources = 0;
  std::int64_t& evaluations = spec.budget.evaluations;
  if (evaluations == 0) evaluations = spec.budget.calls > 0 ? spec.budget.calls : kEvaluations;
  spec.budget = {.evaluations = evaluations};
  return spec;
}

Result<std::vector<PlannedCell>> plan_cells(const Options& options, const SuiteSpec& spec,
                                            const SuiteOptions& suite) {
  return Planner(options, spec, suite).run();
}

}  // namespace kw::session

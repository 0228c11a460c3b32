// Parses the flags of kw memory judge, and shows how judges compare.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "session/judge_comparison.h"

namespace kw::cli {
namespace {

Result<session::JudgeModels> models_of(const JudgeComparisonFlags& flags) {
  session::JudgeModels models;
  models.specs = KW_TRY(flags.models.specs());
  for (const llm::ModelSpec& spec : models.specs)
    if (!spec.role.empty())
      return fail_input(ErrorCode::Unsupported, About{"role"},
                        "kw memory judge takes models without a role: --model NAME");
  if (models.specs.empty() && flags.spend.any())
    return fail_input(ErrorCode::Missing, About{"--model for a budget"},
                      "--usd, --tokens and --calls bound models: give --model too");
  if (models.specs.empty() && (flags.length.any() || flags.asking.any()))
    return fail_input(
        ErrorCode::Missing, About{"--model"},
        "--max-tokens, --temperature, --effort and --model-timeout are for models: give --model "
        "too");
  models.limits = KW_TRY(flags.spend.limits());
  models.reply = KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  models.timeout_ns = KW_TRY(flags.asking.timeout_ns());
  return models;
}

Json json_of(const session::JudgeComparison& c) {
  const auto judge = [](const session::JudgeComparison::Figures& j) {
    return Json{{"pairs", j.pairs}, {"top_gain", j.top_gain}};
  };
  Json object = {{"samples", c.samples},
                 {"runs", c.runs},
                 {"compared", c.compared},
                 {"mean_gain", c.mean_gain},
                 {"learned", judge(c.learned)},
                 {"rules", judge(c.rules)},
                 {"error", c.error},
                 {"plain_error", c.plain_error},
                 {"calibration", Json::array()}};
  for (const auto& bin : c.calibration)
    object["calibration"].push_back(
        {{"expected", bin.expected}, {"seen", bin.seen}, {"count", bin.count}});
  return object;
}

Json json_of(const std::vector<session::JudgeChoices>& rows, std::size_t questions) {
  Json object = {{"questions", questions}, {"judges", Json::array()}};
  for (const session::JudgeChoices& row : rows)
    object["judges"].push_back({{"judge", row.judge},
                                {"hits", row.standing.hits},
                                {"gain", row.standing.gain},
                                {"unread", row.standing.unread},
                                {"calls", row.spent.calls},
                                {"tokens", row.spent.tokens},
                                {"usd", row.spent.usd},
                                {"unpriced", row.spent.unpriced}});
  return object;
}

std::string cost_text(const Spending& spent) {
  if (spent.calls == 0) return "nothing";
  return fmt::format("{} tokens in {} calls, cost {}", spent.tokens, spent.calls,
                     dollars_text(spent));
}

void print_choices(const std::vector<session::JudgeChoices>& rows, std::size_t questions) {
  fmt::print(
      "\njudges asked for the next technique of {} kernels, from runs that none of them had "
      "learned from\n",
      questions);
  if (questions == 0) {
    fmt::print(
        "judges cannot be compared: no run applied two techniques with different gains to similar "
        "kernels\n");
    return;
  }
  std::size_t width = 18;
  for (const session::JudgeChoices& row : rows) width = std::max(width, row.judge.size());
  fmt::print("{:<{}} {:>10} {:>16}  {}\n", "judge", width, "best named", "gain of what", "cost");
  for (const session::JudgeChoices& row : rows) {
    fmt::print("{:<{}} {:>10.2f} {:>15.3g}x  {}", row.judge, width, row.standing.hits,
               std::exp(row.standing.gain), cost_text(row.spent));
    if (row.standing.unread > 0) fmt::print("; {} replies not read", row.standing.unread);
    fmt::print("\n");
  }
}

void print_comparison(const session::JudgeComparison& c) {
  fmt::print("\n{:<10} {:>22} {:>30}\n", "judge", "pairs ordered correctly",
             "gain of the third ranked best");
  for (const auto& [name, judge] : {std::pair("learned", c.learned), {"rules", c.rules}})
    fmt::print("{:<10} {:>22.2f} {:>29.3g}x\n", name, judge.pairs, std::exp(judge.top_gain));
  fmt::print("{:<10} {:>22.2f} {:>29.3g}x\n", "by lot", 0.5, std::exp(c.mean_gain));
  fmt::print(
      "\nthe learned judge misses the logarithm of the gain by {:.3f} on average in runs held out; "
      "predicting the mean gain misses it by {:.3f}\n",
      c.error, c.plain_error);
  for (const auto& bin : c.calibration)
    fmt::print("  expected {:.3g}x, seen {:.3g}x in {} steps\n", std::exp(bin.expected),
               std::exp(bin.seen), bin.count);
}

}  // namespace

void JudgeComparisonFlags::declare(Flags& flags) {
  models.declare(flags);
  spend.declare(flags);
  length.declare_reply(flags);
  asking.declare(flags);
  flags.integer("--questions", questions,
                "Most kernels for which each judge names the next technique", {1});
}

Result<int> show_judges(const Global& global, Target target, const JudgeComparisonFlags& flags) {
  const auto models = KW_TRY(models_of(flags));
  const auto compared = KW_TRY(
      session::compare_judges(global, target, models, static_cast<std::size_t>(flags.questions)));
  const session::JudgeComparison& c = compared.comparison;
  if (global.json) {
    Json object = json_of(c);
    object["choices"] = json_of(compared.choices, compared.questions);
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  fmt::print("{} steps of models in {} runs for {}\n", c.samples, c.runs, name_of(target));
  if (c.runs < 2) {
    fmt::print(
        "judges are compared on runs that they have not learned from, so at least two runs with "
        "steps of models are needed\n");
    return kDone;
  }
  print_comparison(c);
  print_choices(compared.choices, compared.questions);
  return kDone;
}

}  // namespace kw::cli

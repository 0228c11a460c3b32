// Compares three kinds of judges, which choose the technique to try next: one learned from recorded
// runs, fixed rules, and models.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"
#include "base/rng.h"
#include "engine/gain_model.h"
#include "engine/judge_choices.h"
#include "llm/open_model.h"
#include "net/curl.h"
#include "propose/next_step.h"
#include "session/model_access.h"
#include "session/tasks.h"

namespace kw::cli {
namespace {

/// The technique cards of all classes of work, each name once, because runs of all tasks are
/// compared together.
std::vector<search::TechniqueCard> all_cards(Target target) {
  using enum search::WorkClass;
  std::vector<search::TechniqueCard> cards;
  std::set<std::string> names;
  for (const search::WorkClass work : {Matmul, Elementwise, Convolution, Other})
    for (search::TechniqueCard& card : search::technique_cards(target, work))
      if (names.insert(card.name).second) cards.push_back(std::move(card));
  return cards;
}

Json json_of(const engine::JudgeComparison& c) {
  const auto judge = [](const engine::JudgeComparison::Judge& j) {
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

/// One judge, how good the techniques were that it chose, and what its calls cost.
struct ChoiceRow {
  std::string judge;
  engine::ChoiceStanding standing;
  Spending spent;
};

/// The models that are asked which technique to try next, with everything that a call needs.
class Panel {
 public:
  static Result<std::unique_ptr<Panel>> open(const Global& global,
                                             const JudgeComparisonFlags& flags) {
    std::unique_ptr<Panel> panel(new Panel(KW_TRY(session::open_data(global))));
    panel->specs_ = KW_TRY(flags.models.specs());
    for (const llm::ModelSpec& spec : panel->specs_)
      if (!spec.role.empty())
        return fail_input("kw memory judge takes models without a role: --model NAME");
    if (panel->specs_.empty() && flags.spend.any())
      return fail_input("--usd, --tokens and --calls bound models: give --model too");
    if (panel->specs_.empty() && (flags.length.any() || flags.asking.any()))
      return fail_input(
          "--max-tokens, --temperature, --effort and --model-timeout are for models: give --model "
          "too");
    panel->limits_ = KW_TRY(flags.spend.limits());
    panel->reply_ = KW_TRY(flags.asking.reply(flags.length.reply_tokens));
    panel->around_.timeouts = session::timeouts_of(KW_TRY(flags.asking.timeout_ns()));
    panel->around_.http = panel->http_.get();
    panel->around_.clock = &platform::real_clock();
    panel->around_.seed = Seed::from_os();
    panel->around_.keys = KW_TRY(llm::keys_from_environment());
    panel->around_.prices = KW_TRY(session::open_prices(panel->data_));
    return panel;
  }

  /// Asks each model every question within one budget. A reply that names no technique of the menu
  /// counts as no answer; other failures are errors.
  Result<> ask(const std::vector<engine::JudgeQuestion>& questions,
               const std::vector<search::TechniqueCard>& cards, std::vector<ChoiceRow>& rows) {
    llm::Ledger ledger(limits_);
    around_.ledger = &ledger;
    for (const llm::ModelSpec& spec : specs_) {
      const Spending before = ledger.spent();
      const auto model = KW_TRY(as_input(llm::open_model(spec, around_)));
      auto next = KW_TRY(propose::NextStep::open(data_, *model, reply_));
      engine::JudgeAnswers answers;
      for (const engine::JudgeQuestion& question : questions) {
        const auto place = next.choose(engine::facts_of(question.state), menu_of(question, cards));
        if (!place && place.error().advice != Advice::GiveUp) return std::unexpected(place.error());
        answers.emplace_back();
        if (place) answers.back().push_back(*place);
      }
      Spending spent = ledger.spent();
      spent.usd -= before.usd, spent.tokens -= before.tokens, spent.calls -= before.calls;
      spent.unpriced -= before.unpriced;
      rows.push_back({spec.text(), engine::standing_of(questions, answers), spent});
    }
    return {};
  }

 private:
  explicit Panel(memory::DataFiles data) : data_(std::move(data)) {}

  static std::vector<propose::NamedStep> menu_of(const engine::JudgeQuestion& question,
                                                 const std::vector<search::TechniqueCard>& cards) {
    std::vector<propose::NamedStep> menu;
    for (const std::string& name : question.menu) {
      const auto card = std::ranges::find(cards, name, &search::TechniqueCard::name);
      menu.push_back({name, card == cards.end() ? std::string() : card->what});
    }
    return menu;
  }

  memory::DataFiles data_;
  std::unique_ptr<net::HttpClient> http_ = net::make_curl_client();
  llm::Surroundings around_;
  std::vector<llm::ModelSpec> specs_;
  SpendLimits limits_;
  ReplySettings reply_;
};

/// For each question the technique with the largest gain: the upper bound for all judges.
engine::JudgeAnswers best_answers(const std::vector<engine::JudgeQuestion>& questions) {
  engine::JudgeAnswers answers;
  for (const engine::JudgeQuestion& question : questions)
    answers.push_back({static_cast<std::size_t>(std::ranges::max_element(question.gains) -
                                                question.gains.begin())});
  return answers;
}

Result<std::vector<ChoiceRow>> rows_of(Panel& panel,
                                       const std::vector<engine::JudgeQuestion>& questions,
                                       const std::vector<engine::GainSample>& samples,
                                       const std::vector<search::TechniqueCard>& cards) {
  std::vector<ChoiceRow> rows;
  const auto add = [&](const std::string& name, const engine::JudgeAnswers& answers) {
    rows.push_back({name, engine::standing_of(questions, answers), {}});
  };
  add("learned", engine::answers_of_learned(questions, samples));
  add("rules", engine::answers_of_rules(questions, cards));
  KW_TRY(panel.ask(questions, cards, rows));
  add("by lot", engine::answers_by_lot(questions));
  add("the best choice", best_answers(questions));
  return rows;
}

Json json_of(const std::vector<ChoiceRow>& rows, std::size_t questions) {
  Json object = {{"questions", questions}, {"judges", Json::array()}};
  for (const ChoiceRow& row : rows)
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

void print_choices(const std::vector<ChoiceRow>& rows, std::size_t questions) {
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
  for (const ChoiceRow& row : rows) width = std::max(width, row.judge.size());
  fmt::print("{:<{}} {:>10} {:>16}  {}\n", "judge", width, "best named", "gain of what", "cost");
  for (const ChoiceRow& row : rows) {
    fmt::print("{:<{}} {:>10.2f} {:>15.3g}x  {}", row.judge, width, row.standing.hits,
               std::exp(row.standing.gain), cost_text(row.spent));
    if (row.standing.unread > 0) fmt::print("; {} replies not read", row.standing.unread);
    fmt::print("\n");
  }
}

void print_comparison(const engine::JudgeComparison& c) {
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
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const auto samples = KW_TRY(engine::gain_samples(store, target));
  const auto cards = all_cards(target);
  const auto panel = KW_TRY(Panel::open(global, flags));
  const auto c = engine::compare_judges(samples, cards);
  std::vector<engine::JudgeQuestion> questions;
  std::vector<ChoiceRow> rows;
  if (c.runs > 1) {
    questions = engine::judge_questions(samples, static_cast<std::size_t>(flags.questions));
    rows = KW_TRY(rows_of(*panel, questions, samples, cards));
  }
  if (global.json) {
    Json object = json_of(c);
    object["choices"] = json_of(rows, questions.size());
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
  print_choices(rows, questions.size());
  return kDone;
}

}  // namespace kw::cli

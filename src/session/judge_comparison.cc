// Asks judges about recorded runs that none of them has learned from.
// SPDX-License-Identifier: Apache-2.0
#include "session/judge_comparison.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/rng.h"
#include "llm/open_model.h"
#include "net/curl.h"
#include "propose/next_step.h"
#include "session/model_access.h"
#include "session/tasks.h"

namespace kw::session {
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

/// The models that are asked which technique to try next, with everything that a call needs.
class Panel {
 public:
  static Result<std::unique_ptr<Panel>> open(const Options& options, const JudgeModels& models) {
    std::unique_ptr<Panel> panel(new Panel(KW_TRY(open_data(options)), models));
    panel->around_.timeouts = timeouts_of(models.timeout_ns);
    panel->around_.http = panel->http_.get();
    panel->around_.clock = &platform::real_clock();
    panel->around_.seed = Seed::from_os();
    panel->around_.keys = KW_TRY(llm::keys_from_environment());
    panel->around_.prices = KW_TRY(open_prices(panel->data_));
    return panel;
  }

  /// Asks each model every question within one budget. A reply that names no technique of the menu
  /// counts as no answer; other failures are errors.
  Result<> ask(const std::vector<engine::JudgeQuestion>& questions,
               const std::vector<search::TechniqueCard>& cards, std::vector<JudgeChoices>& rows) {
    llm::Ledger ledger(models_.limits);
    around_.ledger = &ledger;
    for (const llm::ModelSpec& spec : models_.specs) {
      const Spending before = ledger.spent();
      const auto model = KW_TRY(as_input(llm::open_model(spec, around_)));
      auto next = KW_TRY(propose::NextStep::open(data_, *model, models_.reply));
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
  Panel(memory::DataFiles data, const JudgeModels& models)
      : data_(std::move(data)), models_(models) {}

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
  llm::ModelSurroundings around_;
  const JudgeModels& models_;
};

/// For each question the technique with the largest gain: the upper bound for all judges.
engine::JudgeAnswers best_answers(const std::vector<engine::JudgeQuestion>& questions) {
  engine::JudgeAnswers answers;
  for (const engine::JudgeQuestion& question : questions)
    answers.push_back({static_cast<std::size_t>(std::ranges::max_element(question.gains) -
                                                question.gains.begin())});
  return answers;
}

Result<std::vector<JudgeChoices>> rows_of(Panel& panel,
                                          const std::vector<engine::JudgeQuestion>& questions,
                                          const std::vector<engine::GainSample>& samples,
                                          const std::vector<search::TechniqueCard>& cards) {
  std::vector<JudgeChoices> rows;
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

}  // namespace

Result<ComparedJudges> compare_judges(const Options& options, Target target,
                                      const JudgeModels& models, std::size_t most_questions) {
  const auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  const auto samples = KW_TRY(engine::gain_samples(store, target));
  const auto cards = all_cards(target);
  const auto panel = KW_TRY(Panel::open(options, models));
  ComparedJudges compared;
  compared.comparison = engine::compare_judges(samples, cards);
  if (compared.comparison.runs < 2) return compared;
  const auto questions = engine::judge_questions(samples, most_questions);
  compared.questions = questions.size();
  compared.choices = KW_TRY(rows_of(*panel, questions, samples, cards));
  return compared;
}

}  // namespace kw::session

// Opens models, and makes desks for runs.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/run_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/rng.h"
#include "base/text.h"
#include "engine/gain_model.h"
#include "net/curl.h"
#include "propose/model_proposer.h"
#include "session/model_access.h"
#include "session/roles.h"

namespace kw::session {
namespace {

/// How many replies of a scripted model earlier processes of the run have used up.
Result<std::int64_t> tries_of(const store::RunStore& store, const RunSummary& run,
                              const std::string& model) {
  std::int64_t tries = 0;
  KW_TRY(store.exchanges().for_each(run.id, [&](const Exchange& exchange) -> Result<> {
    const bool was_asked = exchange.reply.origin != ReplyOrigin::Cache;
    if (exchange.model == model && was_asked) tries += exchange.reply.attempts;
    return {};
  }));
  return tries;
}

}  // namespace

ReplySettings reply_of(const RunConfig& config) {
  return {config.reply_tokens, config.temperature, config.effort};
}

RunModels::RunModels(propose::PromptBook book, store::RunStore& store, WritingView view,
                     std::stop_token cancel)
    : book_(std::move(book)),
      store_(store),
      view_(std::move(view)),
      cancel_(std::move(cancel)),
      http_(net::make_curl_client()),
      cache_(store.root() / kRepliesFolder) {
  around_.http = http_.get();
  around_.clock = &platform::real_clock();
  around_.seed = Seed::from_os();
}

Result<std::unique_ptr<RunModels>> RunModels::open(const memory::DataFiles& data, RunConfig& config,
                                                   store::RunStore& store, WritingView view,
                                                   std::stop_token cancel) {
  auto book = KW_TRY(as_input(propose::PromptBook::open(data)));
  std::unique_ptr<RunModels> models(
      new RunModels(std::move(book), store, std::move(view), std::move(cancel)));
  llm::ModelSurroundings& around = models->around_;
  around.keys = KW_TRY(llm::keys_from_environment());
  around.rates = {config.requests_per_minute, config.tokens_per_minute};
  around.timeouts = timeouts_of(config.model_timeout_ns);
  if (config.caches_replies) around.cache = &models->cache_;
  // A resumed run uses the prices that it stored at its start.
  around.prices =
      config.prices.empty() ? KW_TRY(open_prices(data)) : llm::PriceTable(config.prices);
  KW_TRY(models->cast(config));
  KW_TRY(models->check(config));
  if (config.prices.empty())
    for (const llm::ModelSpec& spec : models->asked())
      if (const auto price = around.prices.find(spec); price && spec.is_remote())
        config.prices.push_back(*price);
  return models;
}

std::vector<llm::ModelSpec> RunModels::asked() const {
  std::vector<llm::ModelSpec> all = writers_;
  if (judge_) all.push_back(*judge_);
  all.insert(all.end(), roles_.begin(), roles_.end());
  return all;
}

Result<> RunModels::cast(const RunConfig& config) {
  const search::StrategyInfo* strategy = KW_TRY(search::find_strategy(config.strategy));
  for (const std::string& text : config.models) {
    const llm::ModelSpec spec = KW_TRY(as_input(llm::parse_model_spec(text)));
    for (const std::string& warning : llm::warnings_for(spec, around_)) view_.on_notice(warning);
    if (spec.role.empty()) {
      writers_.push_back(spec);
    } else if (contains(strategy->roles, spec.role)) {
      if (std::ranges::find(roles_, spec.role, &llm::ModelSpec::role) != roles_.end())
        return fail_input(
            ErrorCode::Contradiction, About{spec.role},
            "two models are given for the role '" + spec.role + "'; a role has one model", text);
      roles_.push_back(spec);
    } else if (spec.role == kJudgeRole && strategy->has_parents) {
      if (judge_)
        return fail_input(ErrorCode::Contradiction, About{spec.role},
                          "a run has one judge, and there is one already: " + judge_->text(), text);
      judge_ = spec;
    } else {
      view_.on_notice(text + ": nothing in this run asks a model in the role '" + spec.role + "'");
    }
  }
  return {};
}

Result<> RunModels::check(const RunConfig& config) const {
  for (const llm::ModelSpec& spec : asked()) {
    KW_TRY(as_input(llm::open_model(spec, around_)));
    if (config.limits.usd) KW_TRY(needs_price(around_.prices, spec));
  }
  return {};
}

engine::Writing RunModels::writing() {
  engine::Writing writing;
  writing.open = [this](const RunSummary& run) { return desk(run); };
  return writing;
}

Result<std::unique_ptr<llm::ChatModel>> RunModels::open_chat(const llm::ModelSpec& spec,
                                                             const RunSummary& run,
                                                             llm::ModelSurroundings around) const {
  if (spec.is_scripted()) around.script_position = KW_TRY(tries_of(store_, run, spec.text()));
  return llm::open_model(spec, around);
}

Result<llm::ChatModel*> RunModels::chat_for(const llm::ModelSpec& spec, const RunSummary& run,
                                            const llm::ModelSurroundings& around,
                                            engine::Desk& desk) const {
  for (const auto& model : desk.models)
    if (model->name() == spec.text()) return model.get();
  desk.models.push_back(KW_TRY(open_chat(spec, run, around)));
  return desk.models.back().get();
}

Result<engine::Desk> RunModels::desk(const RunSummary& run) const {
  engine::Desk desk;
  desk.exchanges = std::make_unique<engine::StoredExchanges>(store_, run.id);
  desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
  llm::ModelSurroundings around = around_;
  around.ledger = desk.ledger.get();
  around.records = desk.exchanges.get();
  std::vector<llm::ChatModel*> chats;
  for (const llm::ModelSpec& spec : writers_) {
    desk.models.push_back(KW_TRY(open_chat(spec, run, around)));
    chats.push_back(desk.models.back().get());
  }
  if (judge_)
    desk.judge = std::make_unique<propose::ModelJudge>(
        book_, *KW_TRY(chat_for(*judge_, run, around, desk)),
        propose::ModelJudgeOptions{.reply = reply_of(run.config).for_words(),
                                   .on_notice = view_.on_notice,
                                   .cancel = cancel_});
  propose::ModelCounselOptions counsel;
  counsel.prompt.max_tokens = run.config.prompt_tokens;
  counsel.reply = reply_of(run.config).for_words();
  counsel.on_notice = view_.on_notice;
  counsel.cancel = cancel_;
  if (run.config.judges_learned || run.config.shortlist > 1) {
    const auto model =
        std::make_shared<const engine::GainModel>(KW_TRY(engine::model_of_run(store_, run)));
    counsel.learned = [model](const propose::Situation& s) {
      const auto cards = search::technique_cards(s.target, search::class_of(s.task->task.family));
      return engine::instruction_of(*model, engine::state_of(*s.parent), cards);
    };
    desk.expected = [model](const Attempt* parent, const Candidate& candidate) {
      return engine::expected_of(*model, parent, candidate);
    };
  }
  propose::ModelProposerOptions options;
  options.prompt.max_tokens = run.config.prompt_tokens;
  options.reply = reply_of(run.config);
  options.on_delta = view_.on_delta;
  options.on_notice = view_.on_notice;
  options.cancel = cancel_;
  for (const llm::ModelSpec& spec : roles_)
    options.roles[spec.role] = KW_TRY(chat_for(spec, run, around, desk));
  desk.counsel = std::make_unique<propose::ModelCounsel>(book_, options.roles, chats, counsel);
  options.is_refused = [ledger = desk.ledger.get()] { return !ledger->refusal().empty(); };
  desk.proposer =
      std::make_unique<propose::ModelProposer>(book_, std::move(chats), std::move(options));
  return desk;
}

}  // namespace kw::session

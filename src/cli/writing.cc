// Flags of models, and desks for runs.
// SPDX-License-Identifier: Apache-2.0
#include "cli/writing.h"

#include <charconv>
#include <cmath>

#include "base/rng.h"
#include "base/text.h"
#include "cli/session.h"
#include "net/curl.h"
#include "propose/model_proposer.h"

namespace kw::cli {
namespace {

/// A spec as it is kept with a run: with its role and where it is.
std::string kept_text(const llm::ModelSpec& spec) {
  return (spec.role.empty() ? "" : spec.role + "=") + spec.text();
}

Result<double> parse_usd(const std::string& text) {
  std::string_view number = text;
  if (number.starts_with('$')) number.remove_prefix(1);
  double usd = 0;
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, usd);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(usd) || usd <= 0)
    return fail("--usd wants an amount above 0, such as 0.50, not '" + text + "'");
  return usd;
}

/// Tries of a scripted model that earlier processes of the run have used up.
Result<std::int64_t> tries_of(const store::RunStore& store, const RunSummary& run,
                              const std::string& model) {
  std::int64_t tries = 0;
  KW_TRY(store.for_each_exchange(run.id, [&](const Exchange& exchange) -> Result<> {
    if (exchange.model == model) tries += exchange.reply.attempts;
    return {};
  }));
  return tries;
}

}  // namespace

void WritingFlags::declare(Flags& flags) {
  models.declare(flags);
  flags.text("--usd", usd, "Most that models may cost, in dollars; needs known prices");
  flags.integer("--tokens", tokens, "Most tokens of models, prompts and replies; 0: no bound");
  flags.integer("--calls", calls, "Most calls of models, failed ones included; 0: no bound");
  flags.integer("--writes", writes, "Of strategy best-of-n: how many kernels are written");
  flags.texts("--constraint", constraints, "What every kernel must keep to, in words; repeatable");
  flags.texts("--hint", hints, "What is worth trying, in words; repeatable");
}

Result<bool> WritingFlags::has_writer() const {
  for (const llm::ModelSpec& spec : KW_TRY(models.specs()))
    if (spec.role.empty()) return true;
  return false;
}

Result<> WritingFlags::into(RunConfig& config) const {
  for (const llm::ModelSpec& spec : KW_TRY(models.specs()))
    config.models.push_back(kept_text(spec));
  if (config.models.empty() && (!usd.empty() || tokens != 0 || calls != 0))
    return fail("--usd, --tokens and --calls bound models: give --model too");
  if (config.models.empty() && (!constraints.empty() || !hints.empty()))
    return fail("--constraint and --hint are words for a model: give --model too");
  if (tokens < 0 || calls < 0) return fail("--tokens and --calls cannot be negative");
  if (writes < 1) return fail("--writes is at least 1");
  if (!usd.empty()) config.limits.usd = KW_TRY(parse_usd(usd));
  if (tokens > 0) config.limits.tokens = tokens;
  if (calls > 0) config.limits.calls = calls;
  config.writes = static_cast<int>(writes);
  config.constraints = constraints;
  config.hints = hints;
  return {};
}

RunModels::RunModels(propose::PromptBook book, store::RunStore& store, WritingView view,
                     std::stop_token cancel)
    : book_(std::move(book)),
      store_(store),
      view_(std::move(view)),
      cancel_(std::move(cancel)),
      http_(net::make_curl_client()) {
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
  llm::Surroundings& around = models->around_;
  around.keys = KW_TRY(llm::keys_from_environment());
  // A run keeps the prices that it began with.
  around.prices =
      config.prices.empty() ? KW_TRY(open_prices(data)) : llm::PriceTable(config.prices);
  for (const std::string& text : config.models) {
    const llm::ModelSpec spec = KW_TRY(as_input(llm::parse_model_spec(text)));
    for (const std::string& warning : llm::warnings_for(spec, around))
      models->view_.on_notice(warning);
    if (!spec.role.empty())
      models->view_.on_notice(text + ": nothing in this run asks a model in the role '" +
                              spec.role + "'");
    else
      models->writers_.push_back(spec);
  }
  KW_TRY(models->check(config));
  if (config.prices.empty())
    for (const llm::ModelSpec& spec : models->writers_)
      if (const auto price = around.prices.find(spec); price && spec.is_remote())
        config.prices.push_back(*price);
  return models;
}

Result<> RunModels::check(const RunConfig& config) const {
  for (const llm::ModelSpec& spec : writers_) {
    KW_TRY(as_input(llm::open_model(spec, around_)));
    if (config.limits.usd && !around_.prices.find(spec))
      return fail(
          "--usd needs a price, and none is known: add one to models/prices.yaml (docs/models.md), "
          "or bound --tokens instead",
          spec.text());
  }
  return {};
}

engine::Writing RunModels::writing() {
  engine::Writing writing;
  writing.open = [this](const RunSummary& run) { return desk(run); };
  return writing;
}

Result<engine::Desk> RunModels::desk(const RunSummary& run) const {
  engine::Desk desk;
  desk.exchanges = std::make_unique<engine::StoredExchanges>(store_, run.id);
  desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
  llm::Surroundings around = around_;
  around.ledger = desk.ledger.get();
  around.records = desk.exchanges.get();
  std::vector<llm::ChatModel*> chats;
  for (const llm::ModelSpec& spec : writers_) {
    if (spec.provider == llm::Provider::Scripted)
      around.script_position = KW_TRY(tries_of(store_, run, spec.text()));
    desk.models.push_back(KW_TRY(llm::open_model(spec, around)));
    chats.push_back(desk.models.back().get());
  }
  propose::ModelProposerOptions options;
  options.on_delta = view_.on_delta;
  options.on_notice = view_.on_notice;
  options.cancel = cancel_;
  desk.proposer =
      std::make_unique<propose::ModelProposer>(book_, std::move(chats), std::move(options));
  return desk;
}

}  // namespace kw::cli

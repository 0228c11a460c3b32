// Reads the flags about models.
// SPDX-License-Identifier: Apache-2.0
#include "cli/writing.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::cli {
namespace {

/// The text in which a run stores a model: "role=", unless the model writes, then provider, name
/// and address.
std::string kept_text(const llm::ModelSpec& spec) {
  return (spec.role.empty() ? "" : spec.role + "=") + spec.text();
}

}  // namespace

void WritingFlags::declare(Flags& flags) {
  models.declare(flags);
  spend.declare(flags);
  pace.declare(flags);
  length.declare(flags);
  asking.declare(flags);
  flags.integer("--writes", writes, "With best-of-n: how many kernels are written; default 8", {1});
  flags.integer("--shortlist", shortlist,
                "Kernels written for each request; the one that recorded steps rank best is judged",
                {1, kMostShortlist});
  flags.text("--ensemble", ensemble,
             "How to choose among several models: bandit, by what each gained for its cost (the "
             "default), or turn");
  flags.texts("--constraint", constraints, "What must hold for every kernel, in words; repeatable");
  flags.texts("--hint", hints, "Hint for the model on what is worth trying, in words; repeatable");
}

Result<bool> WritingFlags::has_writer() const {
  for (const llm::ModelSpec& spec : KW_TRY(models.specs()))
    if (spec.role.empty()) return true;
  return false;
}

Result<> WritingFlags::into(RunConfig& config) const {
  for (const llm::ModelSpec& spec : KW_TRY(models.specs()))
    config.models.push_back(kept_text(spec));
  if (config.models.empty() && spend.any())
    return fail_input(ErrorCode::Missing, About{"--model for a budget"},
                      "--usd, --tokens and --calls bound models: give --model too");
  if (config.models.empty() && (!constraints.empty() || !hints.empty()))
    return fail_input(ErrorCode::Missing, About{"--model for hints"},
                      "--constraint and --hint are for a model: give --model too");
  if (config.models.empty() && pace.any())
    return fail_input(
        ErrorCode::Missing, About{"--model for a pace"},
        "--requests-per-minute, --tokens-per-minute and --cache-replies are for models: give "
        "--model too");
  if (config.models.empty() && length.any())
    return fail_input(ErrorCode::Missing, About{"--model for lengths"},
                      "--max-tokens and --prompt-tokens are for models: give --model too");
  if (config.models.empty() && asking.any())
    return fail_input(
        ErrorCode::Missing, About{"--model for asking"},
        "--temperature, --effort and --model-timeout are for models: give --model too");
  config.reply = KW_TRY(asking.reply(length.reply_tokens));
  const llm::RateLimits rates = KW_TRY(pace.rates());
  if (config.models.empty() && shortlist > 1)
    return fail_input(ErrorCode::Missing, About{"--model for --shortlist"},
                      "--shortlist has an effect only where a model writes: give --model");
  const std::vector<std::string> ensembles{kBanditEnsemble, kTurnEnsemble};
  if (!ensemble.empty() && !contains(ensembles, ensemble))
    return fail_input(ErrorCode::BadInput, About{"--ensemble " + with_nearest(ensemble, ensembles)},
                      fmt::format("--ensemble is {} or {}, not '{}'{}", kBanditEnsemble,
                                  kTurnEnsemble, ensemble, suggestion(ensemble, ensembles)));
  int writers = 0;
  for (const llm::ModelSpec& spec : KW_TRY(models.specs())) writers += spec.role.empty() ? 1 : 0;
  if (writers > 1) config.ensemble = ensemble.empty() ? kBanditEnsemble : ensemble;
  config.shortlist = static_cast<int>(shortlist);
  config.limits = KW_TRY(spend.limits());
  config.requests_per_minute = rates.requests_per_minute;
  config.model_timeout_ns = KW_TRY(asking.timeout_ns());
  config.prompt_tokens = length.prompt_tokens;
  config.tokens_per_minute = rates.tokens_per_minute;
  config.caches_replies = pace.cache_replies;
  if (writes > 0) config.writes = static_cast<int>(writes);
  config.constraints = constraints;
  config.hints = hints;
  return {};
}

}  // namespace kw::cli

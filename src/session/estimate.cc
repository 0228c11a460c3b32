// Counts the calls of a run by the roles of its strategy, and adds up what they may cost.
// SPDX-License-Identifier: Apache-2.0
#include "session/estimate.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "search/strategy.h"
#include "session/model_access.h"
#include "session/roles.h"
#include "session/tasks.h"

namespace kw::session {
namespace {

/// Likely tokens of a reply of a few sentences: a plan, a diagnosis, or a judge's reading of an
/// attempt.
constexpr std::int64_t kLikelyWordsTokens = 300;
/// Bytes added to a prompt that is sent a second time because the reply could not be parsed: the
/// first reply and the reason.
constexpr std::size_t kAskedAgainBytes = 5000;
/// The role of a model that writes kernels; its calls are already counted, one or more for each
/// attempt.
constexpr std::string_view kCoderRole = "coder";
/// The role that is called only with --guide llm.
constexpr std::string_view kGuideRole = "guide";

std::size_t longest_prompt(const EstimateRequest& request) {
  return static_cast<std::size_t>(static_cast<double>(request.prompt_tokens) *
                                  llm::kUsualBytesPerToken);
}

llm::ExpectedCalls writing_plan(const EstimateRequest& request, std::size_t prompt_bytes) {
  llm::ExpectedCalls plan;
  plan.calls = plan.worst_calls = request.attempts * request.shortlist;
  plan.prompt_bytes = prompt_bytes;
  plan.worst_prompt_bytes = longest_prompt(request);
  plan.max_tokens = request.reply_tokens;
  return plan;
}

/// The calls of a role other than the writer: one for each attempt, and a second where the reply
/// cannot be parsed.
llm::ExpectedCalls role_plan(const EstimateRequest& request, std::size_t prompt_bytes) {
  llm::ExpectedCalls plan = writing_plan(request, prompt_bytes);
  plan.calls = request.attempts;
  plan.worst_calls = 2 * request.attempts;
  plan.worst_prompt_bytes += kAskedAgainBytes;
  plan.likely_reply_tokens = kLikelyWordsTokens;
  plan.max_tokens = ReplySettings{.max_tokens = plan.max_tokens}.for_words().max_tokens;
  return plan;
}

/// How many of the strategy's roles have no model of their own, so that the writing models take
/// them.
std::int64_t roles_of_writers(const search::StrategyInfo& strategy,
                              const std::vector<llm::ModelSpec>& specs) {
  std::int64_t count = 0;
  for (const std::string_view role : strategy.roles) {
    const auto plays = [&](const llm::ModelSpec& spec) { return spec.role == role; };
    count += role != kCoderRole && role != kGuideRole && std::ranges::none_of(specs, plays);
  }
  return count;
}

/// Bytes of the first prompt of the run.
Result<std::size_t> first_prompt_bytes(const Options& options, const EstimateRequest& request) {
  if (request.prompt_bytes > 0) return request.prompt_bytes;
  const auto prompt = KW_TRY(build_first_prompt(options, request.first)).prompt;
  return prompt.system.size() + prompt.user.size();
}

}  // namespace

Result<Estimate> estimate_cost(const Options& options, const EstimateRequest& request) {
  const llm::PriceTable prices = KW_TRY(open_prices(KW_TRY(open_data(options))));
  const auto* strategy = KW_TRY(search::find_strategy(request.strategy));
  if (!strategy->is_writing)
    return fail_input(
        ErrorCode::Unsupported, About{request.strategy},
        "strategy '" + request.strategy + "' asks no model, so its runs cost nothing");
  for (const llm::ModelSpec& spec : request.models) KW_TRY(check_role(*strategy, spec));
  // The first prompt comes after these checks, because building it may look at the device.
  Estimate all;
  all.prompt_bytes = KW_TRY(first_prompt_bytes(options, request));
  const llm::ExpectedCalls writing = writing_plan(request, all.prompt_bytes);
  const llm::ExpectedCalls role = role_plan(request, all.prompt_bytes);
  all.longest_prompt_bytes = std::max(longest_prompt(request), all.prompt_bytes);
  llm::ExpectedCalls one = writing;
  one.worst_calls = 1;
  all.longest_prompt_tokens = llm::estimate_calls(one, {}).worst.prompt_tokens;
  std::vector<llm::CostEstimate> writers;
  llm::CostEstimate roles{{}, {}, 0.0, 0.0};
  const std::int64_t played = roles_of_writers(*strategy, request.models);
  const bool has_coder =
      std::ranges::find(request.models, kCoderRole, &llm::ModelSpec::role) != request.models.end();
  for (const llm::ModelSpec& spec : request.models) {
    ModelEstimate model{spec, prices.find(spec), 0, {}};
    const bool writes = spec.role == kCoderRole || (spec.role.empty() && !has_coder);
    model.cost = llm::estimate_calls(writes ? writing : role, model.price);
    model.calls = writes ? writing.calls : role.calls;
    if (spec.role.empty()) {
      const std::int64_t more = played - (writes ? 0 : 1);
      if (more < 0) model.cost = llm::estimate_calls({.calls = 0, .worst_calls = 0}, model.price);
      model.calls += more * role.calls;
      for (std::int64_t i = 0; i < more; ++i)
        model.cost = llm::sum_of(model.cost, llm::estimate_calls(role, model.price));
      writers.push_back(model.cost);
    } else {
      roles = llm::sum_of(roles, model.cost);
    }
    all.models.push_back(std::move(model));
  }
  if (writers.empty())
    return fail_input(
        ErrorCode::Missing, About{"--model"},
        "a model with a role (--model ROLE=NAME) writes no kernels: also give a --model without a "
        "role");
  all.total = llm::sum_of(llm::one_of(writers), roles);
  return all;
}

}  // namespace kw::session

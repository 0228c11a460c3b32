// Writing: the language models of a run, from flags to a desk at which sources are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "engine/writer.h"
#include "llm/open_model.h"
#include "propose/prompt.h"
#include "search/strategy.h"

namespace kw::cli {

/// The most kernels that may be written for one ask.
inline constexpr std::int64_t kMostShortlist = 16;

/// The flags about a run's models.
struct WritingFlags {
  ModelFlags models;
  SpendFlags spend;
  PaceFlags pace;
  LengthFlags length;
  AskingFlags asking;
  std::int64_t writes = 0;  ///< 0: the default of StrategyOptions.
  std::int64_t shortlist = 1;
  std::string ensemble;  ///< The policy that chooses among models; empty: bandit.
  std::vector<std::string> constraints;
  std::vector<std::string> hints;

  void declare(Flags& flags);
  /// Sets models, limits, rates, lengths, settings of replies, writes, constraints and hints of
  /// `config`. Error: a flag that only a model understands, without --model.
  Result<> into(RunConfig& config) const;
  /// Whether some model writes candidates, rather than only playing a role.
  Result<bool> has_writer() const;
};

/// Fails where nothing in a run of this strategy would ask a model in the role of `spec`.
Result<> check_role(const search::StrategyInfo& strategy, const llm::ModelSpec& spec);

/// The settings with which the run's models are asked for a source.
ReplySettings reply_of(const RunConfig& config);

/// Receives what a run's models write, and notices.
struct WritingView {
  std::function<void(const llm::Delta&)> on_delta;
  std::function<void(const std::string&)> on_notice;
};

/// The models of one run. Nothing is asked before a strategy asks; keys come from the environment.
class RunModels {
 public:
  /// Opens the models. A model that cannot be used (key, script, price under --usd) is an error
  /// now; warnings go to `view`. Sets the prices of `config` where it has none yet. `store` must
  /// outlive this object.
  static Result<std::unique_ptr<RunModels>> open(const memory::DataFiles& data, RunConfig& config,
                                                 store::RunStore& store, WritingView view,
                                                 std::stop_token cancel);

  /// What writing needs; the caller sets task, device, examples and cautions. This object must
  /// outlive the result.
  engine::Writing writing();

 private:
  RunModels(propose::PromptBook book, store::RunStore& store, WritingView view,
            std::stop_token cancel);
  /// All models that the run may ask.
  std::vector<llm::ModelSpec> asked() const;
  Result<> cast(const RunConfig& config);
  Result<> check(const RunConfig& config) const;
  Result<std::unique_ptr<llm::ChatModel>> open_chat(const llm::ModelSpec& spec,
                                                    const RunSummary& run,
                                                    llm::Surroundings around) const;
  Result<engine::Desk> desk(const RunSummary& run) const;
  /// A model that the desk has already, or a new one, whose script goes on at its position.
  Result<llm::ChatModel*> chat_for(const llm::ModelSpec& spec, const RunSummary& run,
                                   const llm::Surroundings& around, engine::Desk& desk) const;

  propose::PromptBook book_;
  store::RunStore& store_;
  WritingView view_;
  std::stop_token cancel_;
  std::unique_ptr<net::HttpClient> http_;
  /// Exchanges of all runs of the workspace; used where the run has --cache-replies.
  llm::FolderExchanges cache_;
  llm::Surroundings around_;
  std::vector<llm::ModelSpec> writers_;
  std::optional<llm::ModelSpec> judge_;
  std::vector<llm::ModelSpec> roles_;  ///< Models for the roles that the strategy asks for.
};

}  // namespace kw::cli

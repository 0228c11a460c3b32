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

/// Kernels that may be written for one ask.
inline constexpr std::int64_t kMostShortlist = 16;

/// What a run may be told about models.
struct WritingFlags {
  ModelFlags models;
  SpendFlags spend;
  PaceFlags pace;
  LengthFlags length;
  AskingFlags asking;
  std::int64_t writes = 0;  ///< 0: as many as StrategyOptions has.
  std::int64_t shortlist = 1;
  std::string ensemble;  ///< Empty: bandit.
  std::vector<std::string> constraints;
  std::vector<std::string> hints;

  void declare(Flags& flags);
  /// Sets models, limits, rates, lengths, settings of replies, writes, constraints and hints of
  /// `config`; without
  /// --model nothing may be given that only a model understands.
  Result<> into(RunConfig& config) const;
  /// True where some model writes candidates, not only plays a role.
  Result<bool> has_writer() const;
};

/// Fails where nothing in a run of this strategy would ask a model in the role of `spec`.
Result<> check_role(const search::StrategyInfo& strategy, const llm::ModelSpec& spec);

/// How the run's models are asked for a source.
ReplySettings reply_of(const RunConfig& config);

/// What a run says while its models write.
struct WritingView {
  std::function<void(const llm::Delta&)> on_delta;
  std::function<void(const std::string&)> on_notice;
};

/// The models of one run. Nothing is asked before a strategy asks; keys come from the environment.
class RunModels {
 public:
  /// A model that cannot be used (key, script, price under --usd) is told now; warnings are said
  /// through `view`. Sets the prices of `config` where it has none yet. `store` must outlive this.
  static Result<std::unique_ptr<RunModels>> open(const memory::DataFiles& data, RunConfig& config,
                                                 store::RunStore& store, WritingView view,
                                                 std::stop_token cancel);

  /// Task, device, examples and cautions are the caller's to set. This must outlive it.
  engine::Writing writing();

 private:
  RunModels(propose::PromptBook book, store::RunStore& store, WritingView view,
            std::stop_token cancel);
  /// Every model that the run may ask.
  std::vector<llm::ModelSpec> asked() const;
  Result<> cast(const RunConfig& config);
  Result<> check(const RunConfig& config) const;
  Result<std::unique_ptr<llm::ChatModel>> open_chat(const llm::ModelSpec& spec,
                                                    const RunSummary& run,
                                                    llm::Surroundings around) const;
  Result<engine::Desk> desk(const RunSummary& run) const;
  /// A model that the desk has already, or a new one: its script goes on where it stands.
  Result<llm::ChatModel*> chat_for(const llm::ModelSpec& spec, const RunSummary& run,
                                   const llm::Surroundings& around, engine::Desk& desk) const;

  propose::PromptBook book_;
  store::RunStore& store_;
  WritingView view_;
  std::stop_token cancel_;
  std::unique_ptr<net::HttpClient> http_;
  llm::FolderExchanges cache_;  ///< Of all runs of the workspace; used where the run asks for it.
  llm::Surroundings around_;
  std::vector<llm::ModelSpec> writers_;
  std::optional<llm::ModelSpec> judge_;
  std::vector<llm::ModelSpec> roles_;  ///< That the strategy asks for, besides.
};

}  // namespace kw::cli

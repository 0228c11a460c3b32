// RunModels: the language models of a run, opened as a desk at which sources are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/writer.h"
#include "llm/open_model.h"
#include "memory/data_files.h"
#include "propose/prompt.h"
#include "search/strategy.h"

namespace kw::session {

/// Receives pieces of the replies of a run's models, and notices for a person.
struct WritingView {
  std::function<void(const llm::Delta&)> on_delta;
  std::function<void(const std::string&)> on_notice;
};

/// The models of one run. No model is called before a strategy asks for a kernel; keys come from
/// the environment.
class RunModels {
 public:
  /// Opens the models. A model that cannot be used (key, script, price under --usd) is an error at
  /// once; warnings go to `view`. Sets the prices of `config` unless it has some already. `store`
  /// must outlive this object.
  static Result<std::unique_ptr<RunModels>> open(const memory::DataFiles& data, RunConfig& config,
                                                 store::RunStore& store, WritingView view,
                                                 std::stop_token cancel);

  /// What the engine needs to let models write kernels; the caller sets task, device, examples and
  /// cautions. This object must outlive the result.
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
                                                    llm::ModelSurroundings around) const;
  Result<engine::Desk> desk(const RunSummary& run) const;
  /// The model if `desk` has it already, or a new one; a scripted model continues its script where
  /// the run stopped.
  Result<llm::ChatModel*> chat_for(const llm::ModelSpec& spec, const RunSummary& run,
                                   const llm::ModelSurroundings& around, engine::Desk& desk) const;

  propose::PromptBook book_;
  store::RunStore& store_;
  WritingView view_;
  std::stop_token cancel_;
  std::unique_ptr<net::HttpClient> http_;
  /// Stored exchanges of all runs of the workspace; used only if the run has --cache-replies.
  llm::FolderExchanges cache_;
  llm::ModelSurroundings around_;
  std::vector<llm::ModelSpec> writers_;
  std::optional<llm::ModelSpec> judge_;
  std::vector<llm::ModelSpec> roles_;  ///< Models for the roles that the strategy asks for.
};

}  // namespace kw::session

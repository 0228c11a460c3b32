// Makes the request for a first prompt of flags.
// SPDX-License-Identifier: Apache-2.0
#include "cli/first_prompt.h"

#include <fmt/format.h>

#include <optional>

#include "search/strategy.h"

namespace kw::cli {
namespace {

/// The run configuration that the flags give, with a stand-in model if they name none that writes.
Result<RunConfig> writing_config(OptimizeFlags flags) {
  if (!flags.strategy.empty() && !KW_TRY(search::find_strategy(flags.strategy))->is_writing)
    return fail_input(ErrorCode::Unsupported, About{flags.strategy},
                      "strategy '" + flags.strategy + "' asks no model: nothing would be sent");
  if (!KW_TRY(flags.writing.has_writer()))
    flags.writing.models.models.emplace_back(session::kAnybody);
  return config_of(flags);
}

/// The errand (write, repair, rethink or improve) that the flags ask for; nothing: the strategy
/// chooses.
Result<std::optional<Errand>> errand_of(const FirstPromptFlags& flags) {
  std::optional<Errand> errand;
  if (!flags.errand.empty()) {
    errand = enum_from<Errand>(flags.errand);
    if (!errand)
      return fail_input(
          ErrorCode::BadInput, About{"--errand"},
          fmt::format("--errand is write, repair, rethink or improve, not '{}'", flags.errand));
  }
  if (!flags.parent.empty() && errand.value_or(Errand::Write) == Errand::Write)
    return fail_input(
        ErrorCode::Contradiction, About{"--errand"},
        "--errand write asks for a first kernel, which has no parent; with --parent give --errand "
        "repair, rethink or improve");
  return errand;
}

}  // namespace

Result<session::FirstPromptRequest> request_of(FirstPromptFlags flags) {
  session::FirstPromptRequest request;
  request.errand = KW_TRY(errand_of(flags));
  if (flags.run.target.target.empty())
    flags.run.target.target = name_of(KW_TRY(flags.run.target.aim(flags.parent)).target);
  request.config = KW_TRY(writing_config(flags.run));
  request.has_goals = !flags.run.goals.empty();
  request.embedder = flags.run.embedder;
  request.base_url = flags.run.writing.models.base_url;
  request.parent = flags.parent;
  request.own_playbook = flags.own_playbook;
  return request;
}

}  // namespace kw::cli

// Runs the start of a search with stand-ins for the models, which only record the prompts sent to
// them.
// SPDX-License-Identifier: Apache-2.0
#include "session/first_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "device/cpu.h"
#include "device/known_devices.h"
#include "device/unmeasured.h"
#include "engine/rehearsal.h"
#include "propose/model_proposer.h"
#include "record/target.h"
#include "session/given_kernel.h"
#include "session/judging/bundle.h"
#include "session/judging/local_judge.h"
#include "session/optimize.h"
#include "session/searching/groundwork.h"
#include "session/searching/run_models.h"
#include "session/searching/shelf.h"
#include "session/tasks.h"
#include "task/header.h"
#include "task/specified.h"
#include "task/units.h"

namespace kw::session {
namespace {

/// A stand-in for a model: records the first request and gives no reply.
class Listener final : public llm::ChatModel {
 public:
  Listener(std::string name, FirstPrompt& heard) : name_(std::move(name)), heard_(heard) {}
  const std::string& name() const override { return name_; }
  Result<ChatReply> complete(const ChatRequest& request, llm::Call& call) override {
    if (heard_.prompt.user.empty()) {
      const bool has_system = request.messages.front().role == ChatRole::System;
      if (has_system) heard_.prompt.system = request.messages.front().text;
      heard_.prompt.user = request.messages.back().text;
      heard_.reply = {request.max_tokens, request.temperature, request.effort};
      if (name_ != kAnybody) heard_.model = name_;
      if (propose::attempt_of_counsel(call.scope) != 0)
        heard_.role = call.scope.substr(0, call.scope.find(' '));
    }
    ChatReply nothing;
    nothing.stop = StopReason::Refusal;
    return nothing;
  }

 private:
  const std::string name_;
  FirstPrompt& heard_;
};

/// A run's connections to its models, with a recording stand-in for each model.
Result<engine::Desk> listening_desk(const propose::PromptBook& book, const RunConfig& config,
                                    const propose::PromptOptions& prompt, FirstPrompt& heard) {
  engine::Desk desk;
  std::vector<llm::ChatModel*> writers;
  std::map<std::string, llm::ChatModel*> roles;
  for (const std::string& text : config.models) {
    const llm::ModelSpec spec = KW_TRY(as_input(llm::parse_model_spec(text)));
    desk.models.push_back(std::make_unique<Listener>(spec.text(), heard));
    llm::ChatModel* model = desk.models.back().get();
    spec.role.empty() ? writers.push_back(model) : void(roles[spec.role] = model);
  }
  const auto keep = [&heard](const propose::Prompt& built) {
    if (!heard.prompt.user.empty()) return;
    heard.prompt.tokens = built.tokens;
    heard.prompt.dropped = built.dropped;
    heard.prompt.is_over_budget = built.is_over_budget;
  };
  propose::ModelCounselOptions counsel;
  counsel.prompt = prompt;
  counsel.reply = config.reply.for_words();
  counsel.on_prompt = keep;
  propose::ModelProposerOptions proposing;
  proposing.prompt = prompt;
  proposing.reply = config.reply;
  proposing.on_prompt = keep;
  proposing.roles = roles;
  desk.counsel = std::make_unique<propose::ModelCounsel>(book, roles, writers, counsel);
  desk.proposer = std::make_unique<propose::ModelProposer>(book, writers, proposing);
  return desk;
}

/// The store of this workspace, if there is one; never creates a store.
Result<std::optional<store::RunStore>> existing_store(const Options& options) {
  const platform::Path database =
      platform::Path(options.workspace) / "runs" / "kernelwright.sqlite";
  std::error_code ignored;
  if (!std::filesystem::exists(database, ignored)) return std::optional<store::RunStore>();
  return std::optional(KW_TRY(store::RunStore::open(options.workspace)));
}

/// The facts of the device, as far as this workspace or the flags give them; without an id if
/// neither does.
Result<DeviceFacts> facts_of(const RunConfig& config, const store::RunStore& store,
                             FirstPrompt& first) {
  const Aim aim{config.target, config.arch};
  if (config.carrier == kBundle) return bundle_facts(store, aim);
  auto known = KW_TRY(remembered_device(store, config.target));
  const std::string device = known && !known->gpu.empty() ? known->gpu.front().arch : "";
  if (known && (config.arch.empty() || device.empty() || device::runs_on(config.arch, device)))
    return std::move(*known);
  if (known)
    first.unknown.push_back(
        fmt::format("{} of this workspace is {} and cannot run code for {}: the prompt shows the "
                    "facts of any {}",
                    known->model, device, config.arch, config.arch));
  else
    first.unknown.emplace_back(
        !row_of(config.target).needs_arch
            ? "this workspace has not measured its device yet; kw device or a first run does"
            : "this workspace does not know its device yet; kw device or a first run examines the "
              "device");
  return device::unmeasured_facts()[config.target](config.arch);
}

/// The baseline that a run would have to beat, with its time if the workspace has timed it.
Result<engine::BaselineStanding> baseline_of(const Options& options, const RunConfig& config,
                                             const Groundwork& ground, const DeviceFacts& facts,
                                             const store::RunStore& store, FirstPrompt& first) {
  std::vector<engine::BaselineStanding> standings;
  if (const auto bench = LocalJudge::open_compilers(options, {config.target, config.arch}))
    standings = KW_TRY(engine::recall_baselines(
        *ground.workbench, store,
        config.carrier == kBundle
            ? judge_elsewhere({config.target, config.arch}, (*bench)->compiler())
            : judge_id_of(facts, (*bench)->compiler())));
  else
    for (const Candidate& baseline : ground.workbench->baselines())
      standings.push_back({baseline, {}, 0});
  if (standings.empty()) {
    first.unknown.emplace_back(
        "the task has no baseline for this target, without which a run does not begin: put a plain "
        "kernel into baselines/naive.cu");
    return engine::BaselineStanding();
  }
  std::vector<std::string> untimed;
  for (const engine::BaselineStanding& one : standings)
    if (one.mean_ns == 0 && (config.baseline.empty() || config.baseline == one.candidate.name))
      untimed.push_back(one.candidate.name);
  const engine::BaselineStanding* chosen = &standings.front();
  if (!config.baseline.empty()) {
    const auto named = std::ranges::find_if(
        standings, [&](const auto& one) { return one.candidate.name == config.baseline; });
    // choose_baseline() fails here, with the message that a run would give for the unknown name.
    if (named == standings.end()) return *KW_TRY(choose_baseline(standings, config.baseline));
    chosen = &*named;
  }
  if (!untimed.empty())
    first.unknown.push_back(fmt::format(
        "a run times {} before its first prompt{}; the prompt shown here has {}",
        join(untimed, ", "),
        config.baseline.empty() ? ", and the fastest baseline is the one to beat" : "",
        chosen->mean_ns > 0 ? chosen->candidate.name : chosen->candidate.name + " without a time"));
  return *chosen;
}

/// A kernel of the task for the target: the reference where it runs, else the first baseline.
Candidate first_kernel(const task::Definition& definition, Target target) {
  if (row_of(target).runs_references) return task::reference_candidate(definition);
  for (const Candidate& baseline : definition.baselines)
    if (baseline.target == target && baseline.trust_class != TrustClass::HostLauncher)
      return baseline;
  return {};
}

/// A parent attempt for the prompt, as if judged but not timed: the kernel in `file`, or else a
/// kernel of the task.
Result<Attempt> stand_in(const Options& options, const task::Definition& definition, Target target,
                         const std::string& file, Errand errand) {
  Attempt parent;
  parent.candidate = first_kernel(definition, target);
  if (!file.empty()) {
    parent.candidate = KW_TRY(kernel_in_file(options, file, target, definition));
  }
  parent.outcome_class = OutcomeClass::NoGain;
  parent.evaluation.verdict = make_verdict(Stage::Check, Outcome::Correct, {});
  if (errand != Errand::Improve) {
    parent.outcome_class = OutcomeClass::Failed;
    parent.evaluation.verdict =
        make_verdict(Stage::Check, Outcome::WrongResult, {.kind = EvidenceKind::Example});
  }
  return parent;
}

/// The shelf (the source of knowledge for prompts) without calls of the embedding model: it uses
/// only vectors that the workspace already holds.
engine::Shelf quiet_shelf(engine::Shelf shelf, const llm::ModelSpec& embedder, FirstPrompt& first) {
  shelf.embedder = embedder.text();
  shelf.embed = [](const std::vector<std::string>&,
                   llm::Ledger*) -> Result<std::vector<std::vector<float>>> {
    return fail_input(
        ErrorCode::Unsupported, About{"embedding"},
        "this command asks no embedding model, which a run would ask for the vectors of new texts");
  };
  shelf.on_notice = [&first](const std::string& text) {
    if (!contains(first.unknown, text)) first.unknown.push_back(text);
  };
  return shelf;
}

/// Lets the strategy choose its first step, or takes the given errand (write, repair, …), and
/// records the first prompt.
Result<> hear(const Options& options, const engine::Rehearsal& stage, const RunConfig& config,
              const engine::BaselineStanding& baseline, std::optional<Errand> errand,
              const std::string& file, FirstPrompt& first) {
  first.errand = name_of(errand.value_or(Errand::Write));
  if (errand && *errand != Errand::Write) {
    first.unknown.emplace_back(
        "the prompt of a run has the parent's findings and time, which are not known here");
    return engine::rehearse_errand(
        stage, config, baseline, *errand,
        KW_TRY(stand_in(options, *stage.writing.task, config.target, file, *errand)));
  }
  const auto kernels = KW_TRY(engine::rehearse(stage, config, baseline));
  if (!kernels.empty() && !errand)
    first.unknown.push_back(
        fmt::format("a run judges {} first, and its first prompt asks for an improvement of the "
                    "fastest of them; the prompt shown here is sent where none of them is correct, "
                    "and with --from-scratch",
                    join(kernels, ", ")));
  if (!first.role.empty())
    first.unknown.push_back("the next prompts depend on the reply of the " + first.role);
  return {};
}

/// The target and architecture. If there is no GPU and the flags name no architecture, launch plans
/// keep to the limits of the oldest one.
Aim aim_of(const RunConfig& config, const DeviceFacts& facts) {
  Aim aim{config.target, config.arch};
  if (row_of(aim.target).needs_arch && aim.arch.empty() && facts.gpu.empty())
    aim.arch = device::known_archs().front();
  return aim;
}

}  // namespace

Result<FirstPrompt> build_first_prompt(const Options& options, const FirstPromptRequest& request) {
  RunConfig config = request.config;
  const auto data = KW_TRY(open_data(options));
  auto definition = KW_TRY(open_task(options, data, config.task_path));
  KW_TRY(task::check_specified(definition));
  const auto book = KW_TRY(as_input(propose::PromptBook::open(data)));
  const auto folder = KW_TRY(platform::TempDir::create("kw-prompt"));
  auto scratch = KW_TRY(store::RunStore::open(folder.path()));
  auto existing = KW_TRY(existing_store(options));
  store::RunStore& store = existing ? *existing : scratch;

  FirstPrompt first;
  const DeviceFacts facts = KW_TRY(facts_of(config, store, first));
  Groundwork ground =
      KW_TRY(lay_groundwork(options, data, std::move(definition), aim_of(config, facts), facts,
                            {.own_playbook = request.own_playbook}));
  fit_to_task(config, request.has_goals, ground);
  ground.shelf = KW_TRY(open_shelf(data, "", "", 0, {}));
  if (!request.embedder.empty())
    ground.shelf = quiet_shelf(
        std::move(ground.shelf),
        KW_TRY(as_input(llm::parse_model_spec(request.embedder, request.base_url))), first);
  const auto baseline = KW_TRY(baseline_of(options, config, ground, facts, store, first));
  for (const SkippedWorkload& skipped : ground.workbench->skipped())
    if (skipped.group == Group::Time)
      first.unknown.push_back(
          fmt::format("the timed workload {} is left out: {}", skipped.name, skipped.reason));
  for (const auto& [baseline_name, notice] : ground.workbench->left_out())
    first.unknown.push_back(notice);
  first.baseline = baseline.candidate.name;
  first.baseline_ns = baseline.mean_ns;
  engine::Writing writing;
  KW_TRY(furnish(writing, ground, facts, config.uses_knowledge));
  if (baseline.mean_ns == 0 && config.baseline.empty())
    for (const Candidate& rival : ground.workbench->baselines())
      writing.rivals.push_back(rival.name);
  writing.open = [&](const RunSummary&) {
    return listening_desk(book, config, {config.prompt_tokens}, first);
  };
  const engine::Learning learning = learning_of(ground, facts);
  const engine::Rehearsal stage{*ground.workbench,      store,   scratch,
                                platform::real_clock(), writing, &learning};
  KW_TRY(as_input(hear(options, stage, config, baseline, request.errand, request.parent, first)));
  return first;
}

}  // namespace kw::session

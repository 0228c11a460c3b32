// kw prompt: what a model would be sent for a task, or was sent for an attempt, to the letter.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/shape_builds.h"
#include "cli/shelf.h"
#include "engine/lessons.h"
#include "memory/experience.h"
#include "memory/knowledge.h"
#include "propose/counsel.h"
#include "propose/examples.h"
#include "propose/judge.h"
#include "propose/prompt.h"
#include "record/codec.h"
#include "task/header.h"
#include "task/units.h"

namespace kw::cli {
namespace {

struct PromptFlags {
  std::string task;
  std::int64_t attempt = 0;
  std::string errand = "write";
  TargetFlags target;
  std::string parent;
  std::int64_t max_tokens = propose::PromptOptions{}.max_tokens;
  std::string mode = "generic";
  bool own_playbook = false;
  bool no_memory = false;
};

/// The store of this workspace, where it has one; nothing is made for it.
Result<std::optional<store::RunStore>> existing_store(const Global& global) {
  const platform::Path database = platform::Path(global.workspace) / "runs" / "kernelwright.sqlite";
  std::error_code ignored;
  if (!std::filesystem::exists(database, ignored)) return std::optional<store::RunStore>();
  return std::optional(KW_TRY(store::RunStore::open(global.workspace)));
}

/// What a run that began now would know from earlier ones.
Result<> tell_lessons(const memory::DataFiles& data, store::RunStore& store,
                      propose::Situation& situation) {
  const DeviceFacts facts = situation.device != nullptr ? *situation.device : DeviceFacts();
  const std::string& device = facts.id;
  const engine::Shelf shelf = KW_TRY(open_shelf(data, "", "", {}));
  const engine::Learning learning{situation.task, situation.target, device,
                                  facts.gpu.empty() ? "" : facts.gpu.front().arch, &shelf};
  const std::string now = platform::utc_text(platform::real_clock().wall_seconds());
  const auto known = KW_TRY(engine::lessons_for(store, learning, now));
  const Task& task = situation.task->task;
  const Bound bound =
      situation.parent == nullptr ? Bound::Unknown : memory::bound_of(situation.parent->evaluation);
  engine::tell(memory::recall(known, {task.name, task.family, situation.target, device, ""}),
               situation);
  engine::tell(
      memory::remembered_of(known, {task.name, task.family, situation.target, device, bound, now}),
      situation);
  return {};
}

/// The first baseline for the target in the form that candidates have; none: an empty one.
Candidate first_baseline(const task::Definition& definition, Target target) {
  for (const Candidate& baseline : definition.baselines)
    if (baseline.target == target && baseline.trust_class != TrustClass::HostLauncher)
      return baseline;
  return {};
}

/// A kernel of the task for the target: on cpu its reference, else its first baseline.
Candidate first_kernel(const task::Definition& definition, Target target) {
  return target == Target::Cpu ? task::reference_candidate(definition)
                               : first_baseline(definition, target);
}

/// A parent that was judged correct and not timed: `file`, or a kernel of the task's own.
Result<Attempt> stand_in(const task::Definition& definition, Target target, const std::string& file,
                         Errand errand) {
  Attempt parent;
  parent.number = 1;
  parent.candidate = first_kernel(definition, target);
  if (!file.empty()) {
    const std::string source = KW_TRY(platform::read_file(file, task::kMaxSourceBytes));
    auto candidate = task::make_candidate(platform::Path(file).stem().string(), source,
                                          Origin::Human, definition.task.restrictions, target);
    if (!candidate) return fail("not a candidate:\n" + task::to_text(candidate.error()), file);
    parent.candidate = std::move(*candidate);
  }
  parent.outcome_class = OutcomeClass::NoGain;
  parent.evaluation.verdict = {Stage::Check, Outcome::Correct, ""};
  if (errand != Errand::Improve) {
    parent.outcome_class = OutcomeClass::Failed;
    parent.evaluation.verdict = {Stage::Check, Outcome::WrongResult,
                                 "here stands what the referee saw"};
  }
  return parent;
}

Result<propose::Prompt> build_prompt(const Global& global, const PromptFlags& flags) {
  const auto errand = enum_from<Errand>(flags.errand);
  if (!errand)
    return fail(
        fmt::format("--errand is write, repair, rethink or improve, not '{}'", flags.errand));
  if (*errand == Errand::Write && !flags.parent.empty())
    return fail("a first kernel has no parent; give --errand improve or another with --parent");
  const memory::DataFiles data = KW_TRY(open_data(global));
  const task::Definition definition = KW_TRY(open_task(global, data, flags.task));
  const Target target = KW_TRY(flags.target.aim(flags.parent)).target;
  auto store = KW_TRY(existing_store(global));
  std::optional<DeviceFacts> device;
  if (store) device = KW_TRY(remembered_device(*store, target));

  propose::Situation situation;
  situation.number = 1;
  situation.errand = *errand;
  situation.task = &definition;
  situation.target = target;
  situation.device = device ? &*device : nullptr;
  situation.has_shape_builds = KW_TRY(wants_shape_builds(flags.mode));
  situation.goals = definition.task.goals;
  const std::string baseline = first_baseline(definition, target).name;
  situation.baseline = baseline.empty() ? "reference" : baseline;
  propose::ExampleOptions examples;
  examples.own_playbook = flags.own_playbook;
  examples.target = target;
  situation.examples = KW_TRY(propose::select_examples(data, definition.task, examples));
  if (store && !flags.no_memory) KW_TRY(tell_lessons(data, *store, situation));
  std::optional<Attempt> parent;
  if (*errand != Errand::Write) {
    parent = KW_TRY(stand_in(definition, target, flags.parent, *errand));
    situation.parent = &*parent;
    situation.number = 2;
  }
  const auto book = KW_TRY(as_input(propose::PromptBook::open(data)));
  return as_input(book.build(situation, {flags.max_tokens}));
}

Result<int> show_prompt(const Global& global, const PromptFlags& flags) {
  const propose::Prompt prompt = KW_TRY(build_prompt(global, flags));
  if (global.json) {
    Json object = {
        {"task", flags.task},        {"errand", flags.errand},
        {"system", prompt.system},   {"user", prompt.user},
        {"tokens", prompt.tokens},   {"bytes", prompt.system.size() + prompt.user.size()},
        {"dropped", prompt.dropped}, {"is_over_budget", prompt.is_over_budget}};
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  fmt::print("=== system ===\n{}\n=== user ===\n{}", prompt.system, prompt.user);
  std::fflush(stdout);
  fmt::print(stderr, "kw: about {} tokens\n", prompt.tokens);
  for (const std::string& dropped : prompt.dropped)
    fmt::print(stderr, "kw: left out for --prompt-tokens: {}\n", dropped);
  return kDone;
}

void print_exchange(const Exchange& exchange) {
  for (const ChatMessage& message : exchange.request.messages)
    fmt::print("=== {} ===\n{}\n", name_of(message.role), message.text);
  fmt::print("=== reply of {} ===\n{}\n", exchange.model, exchange.reply.text);
}

/// What the store kept of the attempt's exchanges, also where nothing came of them.
Result<int> show_exchanges(const Global& global, const PromptFlags& flags) {
  const auto store = KW_TRY(store::RunStore::open(global.workspace));
  const RunSummary run = KW_TRY(store.find(flags.task));
  const int number = static_cast<int>(flags.attempt);
  const std::string scope = propose::scope_of_attempt(number);
  const std::string read = propose::scope_of_reading(number);
  std::vector<Exchange> exchanges;
  KW_TRY(store.for_each_exchange(run.id, [&](Exchange& exchange) -> Result<> {
    if (exchange.scope == scope || exchange.scope == read ||
        propose::attempt_of_counsel(exchange.scope) == number)
      exchanges.push_back(std::move(exchange));
    return {};
  }));
  if (exchanges.empty()) return fail(fmt::format("no model was asked for {}", scope), flags.task);
  if (!global.json) {
    for (const Exchange& exchange : exchanges) print_exchange(exchange);
    return kDone;
  }
  Json object = {{"run", run.name}, {"attempt", flags.attempt}, {"exchanges", Json::array()}};
  for (const Exchange& exchange : exchanges) object["exchanges"].push_back(encode_json(exchange));
  std::printf("%s\n", dump_json(object).c_str());
  return kDone;
}

}  // namespace

Result<std::size_t> first_prompt_bytes(const Global& global, const std::string& task) {
  PromptFlags flags;
  flags.task = task;
  const propose::Prompt prompt = KW_TRY(build_prompt(global, flags));
  return prompt.system.size() + prompt.user.size();
}

Command prompt_command() {
  auto flags = std::make_shared<PromptFlags>();
  Command command;
  command.name = "prompt";
  command.summary = "Print what a model would be sent for a task, or was for an attempt";
  command.declare = [flags](Flags& f) {
    f.positional("task", flags->task,
                 "Task folder, or the name of a shipped task; with --attempt a run");
    f.integer("--attempt", flags->attempt,
              "Show what this attempt of a run was sent, and the reply");
    flags->target.declare(f, false);
    f.text("--errand", flags->errand, "write | repair | rethink | improve");
    f.text("--parent", flags->parent, "Kernel to mend or improve; the reference without it");
    f.integer("--prompt-tokens", flags->max_tokens, "Bound on the prompt");
    f.text("--mode", flags->mode, "specialised: as in a run whose winner is built for each shape");
    f.on_off("--own-playbook", flags->own_playbook,
             "Show the playbook's kernels for this very task as examples");
    f.on_off("--no-memory", flags->no_memory, "Leave out lessons of earlier runs");
  };
  command.run = [flags](const Global& global) {
    return end_command(
        global, flags->attempt > 0 ? show_exchanges(global, *flags) : show_prompt(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

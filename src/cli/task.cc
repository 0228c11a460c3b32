// kw task new | accept | check | list | show: creates, admits and shows tasks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/admission_view.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/target_flags.h"
#include "cli/task_draft.h"
#include "import/kernel_function.h"
#include "memory/shipped_task.h"
#include "platform/read_text.h"
#include "record/codec.h"
#include "search/budget.h"
#include "session/admission.h"
#include "session/local_judge.h"
#include "session/tasks.h"
#include "task/draft.h"
#include "task/header.h"
#include "task/load.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::cli {
namespace {

struct TaskFlags {
  std::string name;
  TargetFlags target;
  std::string from;
  std::string function;
  std::string time;
  bool verbose = false;
  DescribeFlags describe;
};

Result<task::Draft> draft_of(const TaskFlags& flags) {
  const std::string name = platform::Path(flags.name).filename().string();
  if (flags.from.empty()) return task::draft_skeleton(name);
  const std::string source = KW_TRY(platform::read_text(flags.from));
  if (source.size() > task::kMaxSourceBytes || !import::has_kernels(source))
    return task::draft_from_source(source, flags.from, flags.function, name);
  // A CUDA kernel has no sequential code, so it is first rewritten as a plain function that loops
  // over its threads.
  const std::string plain = KW_TRY(import::plain_function(source, flags.from, flags.function));
  auto draft = task::draft_from_source(plain, flags.from, {}, name);
  if (!draft) draft.error().what += " (in the loop that was made from its kernel)";
  return draft;
}

Result<int> create(const Global& global, const TaskFlags& flags) {
  const platform::Path folder = session::new_task_folder(global, flags.name);
  if (!flags.describe.words.empty()) {
    if (!flags.from.empty())
      return fail_input("--describe and --from are two ways to draft a task: give one of them");
    return draft_from_words(global, flags.describe, folder);
  }
  if (flags.describe.any())
    return fail_input(
        "--model, its budgets and rates, --max-tokens, --cache-replies and --yes are for drafts "
        "from words: give "
        "--describe, too");
  task::Draft draft = KW_TRY(as_input(draft_of(flags)));
  KW_TRY(task::write_draft(draft, folder));
  const auto shipped = memory::shipped_task(KW_TRY(session::open_data(global)), draft.name);
  if (shipped && !shipped->texts.empty())
    draft.notes.push_back(fmt::format(
        "the name: '{0}' is a shipped task, too; in this workspace it means the new one",
        draft.name));
  if (global.json) {
    Json object;
    object["task"] = draft.name;
    object["folder"] = folder.string();
    object["files"] = Json::array();
    for (const auto& [path, text] : draft.files) object["files"].push_back(path);
    object["notes"] = draft.notes;
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  std::printf("wrote %s\n", folder.c_str());
  for (const auto& [path, text] : draft.files) std::printf("  %s\n", path.c_str());
  for (const std::string& note : draft.notes) std::printf("check: %s\n", note.c_str());
  std::printf("next: kw task check %s\n", folder.c_str());
  return kDone;
}

Json line_json(const worker::AdmissionLine& line) { return encode_json(line); }

Result<int> check_task(const Global& global, const TaskFlags& flags) {
  const Aim aim = KW_TRY(flags.target.aim());
  const std::int64_t budget_ns =
      flags.time.empty() ? 0 : KW_TRY(as_input(search::parse_duration(flags.time)));
  const auto data = KW_TRY(session::open_data(global));
  auto definition = KW_TRY(session::open_task(global, data, flags.name));
  const std::string name = definition.task.name;
  const auto lines = KW_TRY(session::admit(global, std::move(definition), aim, budget_ns));
  const bool is_good = session::is_admitted(lines);
  if (global.json) {
    Json object;
    object["task"] = name;
    object["is_admitted"] = is_good;
    object["admission"] = Json::array();
    for (const worker::AdmissionLine& line : lines) object["admission"].push_back(line_json(line));
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    fmt::print("{}{} is {}\n", flags.verbose ? admission_details(lines) : admission_summary(lines),
               name, session::admission_words(lines));
  }
  return is_good ? kDone : kNotGood;
}

/// Names of the tasks in the workspace.
Result<std::vector<std::string>> own_tasks(const platform::Path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return names;
  for (std::string& name : KW_TRY(platform::list_dir(folder)))
    if (std::filesystem::exists(folder / name / "task.yaml", ignored))
      names.push_back(std::move(name));
  return names;
}

/// Whether the workspace's task of this name equals the shipped task, as in a clone of the
/// repository.
bool is_as_shipped(const memory::DataFiles& data, const std::string& name,
                   const platform::Path& folder) {
  const auto files = memory::shipped_task(data, name);
  if (!files) return false;
  const auto shipped = task::parse_task(*files);
  const auto own = task::load_task(folder);
  return shipped && own && shipped->task.sha256 == own->task.sha256;
}

Result<int> list_tasks(const Global& global) {
  const auto data = KW_TRY(session::open_data(global));
  Json tasks = Json::array();
  const auto show = [&](const std::string& name, const std::string& where, const char* note = "") {
    const auto definition = session::open_task(global, data, where);
    const std::string summary = note + (definition ? definition->task.summary
                                                   : "not usable: " + describe(definition.error()));
    if (global.json)
      tasks.push_back({{"name", name},
                       {"task", where},
                       {"family", definition ? definition->task.family : ""},
                       {"is_usable", definition.has_value()},
                       {"summary", summary}});
    else
      fmt::print("{:<24} {:<14} {}\n", where, definition ? definition->task.family : "",
                 split_lines(summary).empty() ? summary : split_lines(summary).front());
  };
  const platform::Path folder = platform::Path(global.workspace) / "tasks";
  const auto own = KW_TRY(own_tasks(folder));
  const auto shipped = data.folders("tasks");
  // Each name is listed once. If the workspace has a task with the name of a shipped task, commands
  // use the workspace's.
  for (const std::string& name : shipped)
    if (!contains(own, name) || is_as_shipped(data, name, folder / name)) show(name, name);
  for (const std::string& name : own)
    if (!contains(shipped, name))
      show(name, (folder / name).string());
    else if (!is_as_shipped(data, name, folder / name))
      show(name, (folder / name).string(), "(instead of the shipped one) ");
  if (global.json) std::printf("%s\n", dump_json({{"tasks", tasks}}).c_str());
  return kDone;
}

std::string gate_text(const Gate& gate) {
  std::string text(name_of(gate.kind));
  if (gate.kind == GateKind::Relative)
    text += fmt::format(", c {:g}, scale {:g}", gate.c, gate.scale);
  if (gate.kind == GateKind::Dot) text += fmt::format(", c {:g}", gate.c);
  if (gate.kind == GateKind::Field) text += fmt::format(", l2 {:g}, max {:g}", gate.l2, gate.max);
  if (gate.rms_factor > 0)
    text += fmt::format("; RMS error at most {:g} times the reference's", gate.rms_factor);
  return text;
}

std::string dims_text(const std::map<std::string, std::int64_t>& dims) {
  std::string text;
  for (const auto& [name, value] : dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string goals_text(const Goals& goals) {
  std::string text;
  if (goals.time_ns) text += " " + format_ns(*goals.time_ns);
  if (goals.speedup) text += fmt::format(" {:g}x", *goals.speedup);
  if (goals.roof) text += fmt::format(" {:g}roof", *goals.roof);
  return text.empty() ? " none" : text;
}

struct Shown {
  const task::Definition& definition;
  const std::vector<Workload>& workloads;
  const std::vector<SkippedWorkload>& skipped;
  const std::vector<Candidate>& baselines;
  const std::vector<propose::SourceIdea>& ideas;
  const std::vector<std::string>& notices;
};

/// The function's declaration alone, without the header's other lines.
std::string declaration_of(const Task& task) {
  const std::string text = task::interface_text(task);
  for (const std::string_view line : split_lines(text))
    if (line.starts_with("void ")) return std::string(line);
  return text;
}

void print_task(const Shown& shown) {
  const Task& task = shown.definition.task;
  fmt::print("{} ({}): {}\n\n{}\n", task.name, task.family, task.summary, declaration_of(task));
  fmt::print("gate   {}\ngoals {}\n\nworkloads\n", gate_text(task.gate), goals_text(task.goals));
  for (const Workload& w : shown.workloads)
    fmt::print("  {:<6} {:<18} {:<30} {:>10}  floor {}, {}; nominal {}, {}\n", name_of(w.group),
               w.name, dims_text(w.dims), format_bytes(static_cast<std::uint64_t>(w.bytes())),
               format_bytes(static_cast<std::uint64_t>(w.work.floor_bytes)),
               format_si(static_cast<double>(w.work.floor_flops), "flop"),
               format_bytes(static_cast<std::uint64_t>(w.work.read_bytes + w.work.write_bytes)),
               format_si(static_cast<double>(w.work.flops), "flop"));
  for (const SkippedWorkload& s : shown.skipped)
    fmt::print("  {:<6} {:<18} skipped: {}\n", name_of(s.group), s.name, s.reason);
  fmt::print("\nbaselines\n");
  for (const Candidate& b : shown.baselines)
    fmt::print("  {:<18} {}\n", b.name,
               b.libraries.empty() ? "" : "needs " + join(b.libraries, ", "));
  for (const std::string& notice : shown.notices) fmt::print("  {}\n", notice);
  fmt::print("\nkernels that a run without a model tries\n");
  for (const propose::SourceIdea& idea : shown.ideas)
    fmt::print("  {:<18} {:<9} {:>6} variants  {}\n", idea.candidate.name,
               name_of(idea.candidate.origin), idea.header.points(1 << 20).size(),
               join(idea.candidate.techniques, ", "));
}

Json task_json(const Shown& shown) {
  const Task& task = shown.definition.task;
  Json object;
  object["task"] = encode_json(task);
  object["interface"] = task::interface_text(task);
  object["workloads"] = Json::array();
  for (const Workload& w : shown.workloads)
    object["workloads"].push_back({{"name", w.name},
                                   {"group", name_of(w.group)},
                                   {"dims", w.dims},
                                   {"bytes", w.bytes()},
                                   {"work", encode_json(w.work)}});
  object["skipped"] = Json::array();
  for (const SkippedWorkload& s : shown.skipped) object["skipped"].push_back(encode_json(s));
  object["baselines"] = Json::array();
  for (const Candidate& b : shown.baselines)
    object["baselines"].push_back({{"name", b.name}, {"libraries", b.libraries}});
  object["ideas"] = Json::array();
  for (const propose::SourceIdea& idea : shown.ideas)
    object["ideas"].push_back({{"name", idea.candidate.name},
                               {"origin", name_of(idea.candidate.origin)},
                               {"techniques", idea.candidate.techniques},
                               {"variants", idea.header.points(1 << 20).size()},
                               {"why", idea.why}});
  object["notices"] = shown.notices;
  return object;
}

Result<int> show_task(const Global& global, const TaskFlags& flags) {
  const auto data = KW_TRY(session::open_data(global));
  auto definition = KW_TRY(session::open_task(global, data, flags.name));
  // Launch plans and knobs depend only on the limits of a device, so any architecture serves to
  // show them.
  Aim aim = KW_TRY(flags.target.aim());
  if (aim.target == Target::Cuda && aim.arch.empty()) aim.arch = "sm_90a";
  auto options = KW_TRY(session::workbench_options(global, aim));
  if (std::string why = memory::why_playbook_left_out(data, definition); !why.empty())
    options.notices.push_back(std::move(why));
  const auto resolved = KW_TRY(task::resolve(definition, options.target, options.max_bytes));
  const auto playbook = memory::shipped_playbook(data, definition);
  const auto workbench =
      KW_TRY(engine::TaskWorkbench::create(std::move(definition), playbook, options));
  const Shown shown{workbench.definition(), workbench.workloads(), resolved.skipped,
                    workbench.baselines(),  workbench.proposals(), workbench.notices()};
  if (global.json)
    std::printf("%s\n", dump_json(task_json(shown)).c_str());
  else
    print_task(shown);
  return kDone;
}

Command child(const std::string& name, const std::string& summary,
              const std::function<void(Flags&, TaskFlags&)>& declare,
              const std::function<Result<int>(const Global&, const TaskFlags&)>& act) {
  auto flags = std::make_shared<TaskFlags>();
  Command command;
  command.name = name;
  command.summary = summary;
  command.declare = [flags, declare](Flags& f) { declare(f, *flags); };
  command.run = [flags, act](const Global& global) {
    return end_command(global, act(global, *flags));
  };
  return command;
}

/// The first screen of kw task new --help.
std::vector<HelpGroup> screen_of_new() {
  return {{"Task", {{"NAME", "", "name of the task, or a path for its folder"}}, {}},
          {"From code",
           {{"--from", "FILE", "C or C++ file with a plain sequential function"},
            {"--function", "NAME", "function to draft from, where the file has several"}},
           {}},
          {"From words",
           {{"--describe", "WORDS", "what the task computes: a model drafts the folder"},
            {"--model", "openai:NAME", "model that drafts; or anthropic:NAME, manual:DIR"},
            {"--usd", "1", "most dollars that the draft may cost; also --tokens, --calls"},
            {"--tries", "N", "most replies to ask for; errors go back to the model"},
            {"--yes", "", "accept the draft unread, if it is admitted"}},
           {"--base-url", "--tokens", "--calls"}}};
}

}  // namespace

Command task_command() {
  const auto takes_task = [](Flags& f, TaskFlags& flags) {
    f.positional("task", flags.name, "Task folder, or name of a shipped task");
  };
  Command command;
  command.name = "task";
  command.summary = "Write, accept, check, list and show tasks";
  command.children = {
      child(
          "new", "Start a task: a skeleton, or a draft from a C function or from words",
          [](Flags& f, TaskFlags& flags) {
            f.positional("name", flags.name, "Name of the task, or a path for its folder");
            f.text("--from", flags.from,
                   "C or C++ file with a plain sequential function, or a .cu file with a kernel of "
                   "one");
            f.text("--function", flags.function,
                   "Function to draft from, where the file has several");
            flags.describe.declare(f);
          },
          create),
      child(
          "accept", "Accept a draft that a model wrote, if it is admitted",
          [](Flags& f, TaskFlags& flags) {
            f.positional("task", flags.name, "Folder of the task, or its name under tasks/");
          },
          [](const Global& global, const TaskFlags& flags) {
            return accept_draft(global, flags.name);
          }),
      child(
          "check", "Check whether the task catches wrong answers, by running its reference",
          [takes_task](Flags& f, TaskFlags& flags) {
            takes_task(f, flags);
            flags.target.declare(f, true);
            f.text("--time", flags.time,
                   "Begin no further check after this time, e.g. 10m; default: no limit");
            f.on_off("--verbose", flags.verbose,
                     "Print a line for each check instead of one for each workload");
          },
          check_task),
      child(
          "list", "List shipped tasks and those of the workspace", [](Flags&, TaskFlags&) {},
          [](const Global& global, const TaskFlags&) { return list_tasks(global); }),
      child(
          "show", "Show a task's signature, workloads, gate, work, baselines and playbook",
          [takes_task](Flags& f, TaskFlags& flags) {
            takes_task(f, flags);
            flags.target.declare(f, true);
          },
          show_task)};
  command.children.front().screen = screen_of_new();
  return command;
}

}  // namespace kw::cli

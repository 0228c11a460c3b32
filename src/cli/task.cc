// kw task new | accept | check | list | show: creates, admits and shows tasks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/admission_view.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/model_flags.h"
#include "cli/target_flags.h"
#include "cli/task_draft.h"
#include "record/codec.h"
#include "search/budget.h"
#include "session/draft_task.h"
#include "session/task_view.h"
#include "session/tasks.h"
#include "task/draft.h"
#include "task/header.h"
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
  bool untimed = false;
  DescribeFlags describe;
};

Result<int> create(const Global& global, const TaskFlags& flags) {
  if (!flags.describe.words.empty()) {
    if (!flags.from.empty())
      return fail_input(ErrorCode::Contradiction, About{"--describe"},
                        "--describe and --from are two ways to draft a task: give one of them");
    return draft_from_words(global, flags.describe, session::new_task_folder(global, flags.name));
  }
  if (flags.describe.any())
    return fail_input(
        ErrorCode::Missing, About{"--describe"},
        "--model, its budgets and rates, --max-tokens, --cache-replies and --yes are for drafts "
        "from words: give "
        "--describe, too");
  const auto [draft, folder] =
      KW_TRY(session::new_task(global, flags.name, flags.from, flags.function, !flags.untimed));
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

Json line_json(const session::AdmissionLine& line) { return encode_json(line); }

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
    for (const session::AdmissionLine& line : lines) object["admission"].push_back(line_json(line));
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    fmt::print("{}{} is {}\n", flags.verbose ? admission_details(lines) : admission_summary(lines),
               name, session::admission_words(lines));
  }
  return is_good ? kDone : kNotGood;
}

Result<int> list_tasks(const Global& global) {
  Json tasks = Json::array();
  for (const session::ListedTask& one : KW_TRY(session::list_tasks(global))) {
    const auto& definition = one.definition;
    const std::string summary =
        (one.hides_shipped ? "(instead of the shipped one) " : "") +
        (definition ? definition->task.summary : "not usable: " + describe(definition.error()));
    const std::string family = definition ? definition->task.family : "";
    if (global.json)
      tasks.push_back({{"name", one.name},
                       {"task", one.where},
                       {"family", family},
                       {"is_usable", definition.has_value()},
                       {"summary", summary}});
    else
      fmt::print("{:<24} {:<14} {}\n", one.where, family,
                 split_lines(summary).empty() ? summary : split_lines(summary).front());
  }
  if (global.json) std::printf("%s\n", dump_json({{"tasks", tasks}}).c_str());
  return kDone;
}

std::string gate_text(const Gate& gate) {
  std::string text(name_of(gate.kind));
  if (gate.kind == GateKind::Relative || gate.kind == GateKind::Dot)
    text += fmt::format(", c {:g}, scale {:g}", gate.c, gate.scale);
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

/// The function's declaration alone, without the header's other lines.
std::string declaration_of(const Task& task) {
  const std::string text = task::interface_text(task);
  for (const std::string_view line : split_lines(text))
    if (line.starts_with("void ")) return std::string(line);
  return text;
}

void print_task(const session::TaskView& shown) {
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
  for (const auto& idea : shown.ideas)
    fmt::print("  {:<18} {:<9} {:>6} variants  {}\n", idea.candidate.name,
               name_of(idea.candidate.origin), idea.header.points(1 << 20).size(),
               join(idea.candidate.techniques, ", "));
}

Json task_json(const session::TaskView& shown) {
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
  for (const auto& idea : shown.ideas)
    object["ideas"].push_back({{"name", idea.candidate.name},
                               {"origin", name_of(idea.candidate.origin)},
                               {"techniques", idea.candidate.techniques},
                               {"variants", idea.header.points(1 << 20).size()},
                               {"why", idea.why}});
  object["notices"] = shown.notices;
  return object;
}

Result<int> show_task(const Global& global, const TaskFlags& flags) {
  const auto shown = KW_TRY(session::view_task(global, flags.name, KW_TRY(flags.target.aim())));
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
            {"--function", "NAME", "function to draft from, where the file has several"},
            {"--untimed", "", "do not run the code to settle outputs and timed sizes"}},
           {}},
          {"From words",
           {{"--describe", "WORDS", "what the task computes: a model drafts the folder"},
            model_entry("model that drafts"),
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
            f.on_off("--untimed", flags.untimed,
                     "--from: do not run the code to settle its outputs and the timed sizes");
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

// kw plan draft FILE.cu: turns the launches in a file's host code into a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/foreign_text.h"
#include "base/json.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "record/codec.h"
#include "session/plan_draft.h"
#include "task/header.h"

namespace kw::cli {
namespace {

struct PlanFlags {
  std::string file;
  std::string task;
  std::string function;
  std::string out;
  std::string arch = "sm_80";
};

Json draft_json(const PlanFlags& flags, const session::PlanDraft& draft,
                const std::string& trouble) {
  Json object = {
      {"file", flags.file},         {"task", flags.task.empty() ? Json() : Json(flags.task)},
      {"function", draft.function}, {"is_complete", draft.is_complete()},
      {"source", draft.source},     {"assumptions", draft.assumptions},
      {"missing", Json::array()},   {"wanted", draft.wanted},
      {"trouble", trouble}};
  for (const Finding& finding : draft.missing) object["missing"].push_back(encode_json(finding));
  return object;
}

void say_missing(const session::PlanDraft& draft, const std::string& file) {
  const std::size_t count = draft.missing.size();
  fmt::print(stderr, "kw: {}: no plan could be drafted: {}\n", sanitise_line(file),
             count == 1 ? "one thing is missing" : fmt::format("{} things are missing", count));
  fmt::print(stderr, "{}", task::to_text(draft.missing));
}

Result<int> draft_plan(const Global& global, const PlanFlags& flags) {
  std::error_code ignored;
  if (!flags.out.empty() && std::filesystem::exists(flags.out, ignored) &&
      std::filesystem::equivalent(flags.out, flags.file, ignored))
    return fail_input(ErrorCode::Contradiction, About{"--out"},
                      "--out names the file that is read; name another file", flags.out);
  const auto [draft, trouble] =
      KW_TRY(session::draft_plan(global, {flags.file, flags.task, flags.function, flags.arch}));
  const int code = draft.is_complete() ? kDone : kNotGood;
  if (draft.is_complete() && !flags.out.empty()) {
    std::ofstream stream(flags.out, std::ios::binary);
    stream << draft.source;
    if (!stream.flush())
      return fail_input(ErrorCode::Io, About{"--out"},
                        "cannot write the drafted candidate to this file", flags.out);
  }
  if (global.json) {
    std::printf("%s\n", dump_json(draft_json(flags, draft, trouble)).c_str());
    return code;
  }
  for (const std::string& assumption : draft.assumptions)
    fmt::print(stderr, "kw: assumed: {}\n", sanitise_line(assumption));
  if (!draft.is_complete()) {
    say_missing(draft, flags.file);
    return code;
  }
  if (flags.task.empty())
    fmt::print(
        stderr,
        "kw: the plan needs a task that has {}; --task matches its names with those of a task\n",
        sanitise_line(draft.wanted));
  if (!trouble.empty())
    fmt::print(stderr, "kw: as it stands this plan would be refused: {}\n", sanitise_line(trouble));
  if (flags.out.empty()) {
    std::fwrite(draft.source.data(), 1, draft.source.size(), stdout);
    if (std::fflush(stdout) != 0)
      return fail(ErrorCode::Io, About{"standard output"}, "cannot write the drafted candidate",
                  "standard output");
  } else {
    fmt::print("wrote {}\nnext: kw judge {} --task {}\n", flags.out, shell_word(flags.out),
               flags.task.empty() ? "TASK" : shell_word(flags.task));
  }
  return code;
}

}  // namespace

Command plan_command() {
  auto flags = std::make_shared<PlanFlags>();
  Command draft;
  draft.name = "draft";
  draft.summary =
      "Draft a launch plan from the host code of a .cu file, and print it with the device code";
  draft.declare = [flags](Flags& f) {
    f.positional("file", flags->file, "CUDA source that launches its kernels by <<< >>>");
    f.text("--task", flags->task, "Task whose names the plan shall use: a folder or a shipped one");
    f.text("--function", flags->function,
           "Host function to draft from, where the file has several");
    f.text("--out", flags->out, "File to write; default: standard output");
  };
  draft.run = [flags](const Global& global) {
    return end_command(global, draft_plan(global, *flags));
  };
  Command command;
  command.name = "plan";
  command.summary = "Draft launch plans from host code";
  command.children = {draft};
  return command;
}

}  // namespace kw::cli

// Loads the kernel that a command line names: from a file, or from a run.
// SPDX-License-Identifier: Apache-2.0
#include "session/given_kernel.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/defence.h"
#include "base/foreign_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "import/plan_draft.h"
#include "platform/read_text.h"
#include "record/target.h"
#include "task/header.h"
#include "task/narrowed.h"

namespace kw::session {
namespace {

/// The task in the form in which a command line names it: its folder, or the name of a shipped
/// task.
std::string task_words(const task::Definition& definition) {
  std::error_code ignored;
  return std::filesystem::is_directory(definition.folder, ignored) ? definition.folder
                                                                   : definition.task.name;
}

std::string how_many(std::size_t missing) {
  return missing == 1 ? "one thing is missing" : fmt::format("{} things are missing", missing);
}

/// Drafts a launch plan from host code: writes the candidate's text and the assumptions, or the
/// refusal with everything that is missing.
void draft(const std::string& file, const std::string& source, const task::Definition& definition,
           GivenKernel& given, std::string& text) {
  const std::string name = platform::Path(file).filename().string();
  auto drafted = import::draft_plan(source, name, &definition);
  if (!drafted.is_complete()) {
    given.refusal =
        fmt::format("kernels are launched by host code, and no plan could be drafted from it: {}",
                    how_many(drafted.missing.size()));
    given.findings = std::move(drafted.missing);
    return;
  }
  const std::string stem = platform::Path(file).stem().string();
  given.drafted = {drafted.function, std::move(drafted.assumptions),
                   fmt::format("kw plan draft {} --task {} --out {}", shell_word(file),
                               shell_word(task_words(definition)), shell_word(stem + "_plan.cu"))};
  text = std::move(drafted.source);
}

}  // namespace

Result<GivenKernel> read_kernel(const std::string& file, Target target,
                                const task::Definition& definition,
                                const std::vector<std::string>& settings) {
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0)
    return as_input(Result<GivenKernel>(platform::fail_errno("read", file, errno)));
  if (!S_ISREG(info.st_mode))
    return fail_input(ErrorCode::BadInput, About{"file"}, "not a file", file);
  GivenKernel given;
  if (static_cast<std::size_t>(info.st_size) > task::kMaxSourceBytes && is_on(Defence::SourceCap)) {
    given.refusal = "the source file is larger than 1 MiB, the most that is read";
    return given;
  }
  const std::size_t most = is_on(Defence::SourceCap) ? task::kMaxSourceBytes : std::size_t{1} << 40;
  std::string source =
      task::with_overload(definition, KW_TRY(as_input(platform::read_text(file, most))), target);
  const auto& own = definition.baselines;
  // A host launcher that belongs to the task is a trusted baseline, and no plan is drafted for it.
  const auto baseline = std::find_if(own.begin(), own.end(), [&](const Candidate& c) {
    return c.trust_class == TrustClass::HostLauncher && c.source == source;
  });
  const Origin origin = baseline != own.end() ? Origin::Baseline : Origin::Human;
  const auto header = task::parse_header(source, file, target);
  const bool is_host_form =
      header && task::dialect_of(*header).trust_class == TrustClass::HostLauncher;
  if (row_of(target).launches_by_plan && !is_host_form && import::is_host_launched(source)) {
    std::string text;
    draft(file, source, definition, given, text);
    if (!given.refusal.empty()) return given;
    source = std::move(text);
  }
  auto candidate = task::make_candidate(platform::Path(file).stem().string(), source, origin,
                                        definition.task.restrictions, target);
  if (!candidate) {
    given.refusal = candidate.error().front().text;
    given.findings = candidate.error();
    return given;
  }
  given.candidate = std::move(*candidate);
  KW_TRY(set_knobs(given.candidate, settings));
  return given;
}

std::vector<std::string> notices_of(const std::string& file, const DraftedPlan& drafted) {
  std::vector<std::string> lines{
      fmt::format("{}: a plan was drafted from {}; to see or change it: {}", sanitise_line(file),
                  sanitise_line(drafted.function), sanitise_line(drafted.command))};
  for (const std::string& assumption : drafted.assumptions)
    lines.push_back("assumed: " + sanitise_line(assumption));
  return lines;
}

Result<> set_knobs(Candidate& kernel, const std::vector<std::string>& settings) {
  if (settings.empty()) return {};
  const auto header = task::parse_header(kernel);
  kernel.knobs = KW_TRY(as_input(task::apply_settings(*header, settings)));
  return {};
}

Result<Candidate> kernel_in_file(const Options& options, const std::string& file, Target target,
                                 const task::Definition& definition,
                                 const std::vector<std::string>& settings) {
  auto given = KW_TRY(read_kernel(file, target, definition, settings));
  if (!given.refusal.empty())
    return fail_input(ErrorCode::BadInput, About{"kernel"},
                      given.findings.empty()
                          ? given.refusal
                          : given.refusal + ":\n" + task::to_text(given.findings),
                      file);
  if (given.drafted)
    for (const std::string& line : notices_of(file, *given.drafted)) options.notice(line);
  return std::move(given.candidate);
}

Result<Candidate> best_of_run(const store::RunStore& store, const RunSummary& run, Target target,
                              const task::Definition& definition) {
  if (run.config.task != definition.task.name)
    return fail_input(
        ErrorCode::Contradiction, About{"task"},
        "the run is of task " + run.config.task + ", not of task " + definition.task.name,
        run.name);
  if (run.config.target != target)
    return fail_input(ErrorCode::Contradiction, About{"target"},
                      fmt::format("the run is for target {}, not for {}",
                                  name_of(run.config.target), name_of(target)),
                      run.name);
  if (run.best_attempt == 0)
    return fail_input(ErrorCode::NotFound, "the run found no correct kernel", run.name);
  return KW_TRY(store.attempts().get(run.id, run.best_attempt)).candidate;
}

}  // namespace kw::session

// Runs the specimen, which executes one plan of a candidate, under profiler and sanitizer, and puts
// their output together.
// SPDX-License-Identifier: Apache-2.0
#include "profile/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/rng.h"
#include "base/text.h"
#include "profile/ncu.h"
#include "profile/ncu_rules.h"
#include "profile/sanitizer.h"
#include "record/wording.h"

namespace kw::profile {
namespace {

constexpr int kTimedRuns = 5;
/// Most launches that ncu counts: it replays each of them a dozen times. No plan of ours has more
/// kernels.
constexpr std::size_t kMostCounted = 12;
/// Most findings of a profile: a prompt has room for a dozen findings of all kinds.
constexpr std::size_t kMostFindings = 12;

std::string name_of_step(const PlanStep& step) {
  return step.kind == StepKind::Launch ? step.kernel
         : step.kind == StepKind::Fill ? "fill"
                                       : "copy";
}

bool is_of(const KernelProfile& kernel, const PlanStep& step) {
  return kernel.kernel == name_of_step(step) &&
         (step.kind != StepKind::Launch ||
          (kernel.grid == step.grid && kernel.block == step.block));
}

/// The kernels of a plan, and for each step of the plan the kernel that it launches.
struct Grouped {
  std::vector<KernelProfile> kernels;
  std::vector<std::size_t> of;  ///< Index in `kernels`, by step of the plan.
};

Grouped group(const kw::Plan& plan) {
  Grouped g;
  for (const PlanStep& step : plan.steps) {
    auto at = std::find_if(g.kernels.begin(), g.kernels.end(),
                           [&](const KernelProfile& k) { return is_of(k, step); });
    if (at == g.kernels.end()) {
      KernelProfile& made = g.kernels.emplace_back();
      made.kernel = name_of_step(step);
      if (step.kind == StepKind::Launch) made.grid = step.grid, made.block = step.block;
      at = g.kernels.end() - 1;
    }
    ++at->launches;
    g.of.push_back(static_cast<std::size_t>(at - g.kernels.begin()));
  }
  return g;
}

/// The middle launch of each kernel, in the order in which they run.
std::vector<int> middle_launches(const kw::Plan& plan, const Grouped& g) {
  std::vector<int> marked;
  std::vector<int> seen(g.kernels.size());
  for (std::size_t i = 0; i < g.of.size(); ++i) {
    const std::size_t kernel = g.of[i];
    const bool is_middle = seen[kernel]++ == g.kernels[kernel].launches / 2;
    if (is_middle && plan.steps[i].kind == StepKind::Launch && marked.size() < kMostCounted)
      marked.push_back(static_cast<int>(i));
  }
  return marked;
}

SpecimenJob job_of(const InspectedUnit& inspected) {
  SpecimenJob job;
  job.object = inspected.unit->object.front();
  job.workload = *inspected.workload;
  job.plan = *inspected.plan;
  // The inputs are never drawn by a seed of the run, which the candidate's device code could read
  // in this process.
  job.seed = Seed::from_os().low;
  return job;
}

/// Adds a sentence to what a profile says of itself; `about` is its stable name.
void say(WorkloadProfile& to, const std::string& about, const Wording& words) {
  const Wording note = Wording{to.note, to.numbers} + (to.note.empty() ? "" : " ") + words;
  to.note = note.text;
  to.numbers = note.numbers;
  to.about += (to.about.empty() ? "" : "; ") + about;
}

/// Why a run of the specimen or of a tool brought no result: a stable name, and the words.
struct NoResult {
  std::string about;
  Wording words;
};

NoResult reason_of(const Error& error) {
  return {std::string(name_of(error.code)), {describe(error), {}}};
}

NoResult reason_of(const ToolAnswer& answer, platform::Nanoseconds timeout) {
  if (answer.exit.timed_out)
    return {"timed out", worded("the profiled run had not ended after {}",
                                InNs{static_cast<double>(timeout.count())})};
  if (std::string own = ncu_complaint(answer.exit.out + "\n" + answer.exit.err); !own.empty())
    return {"refused", {std::move(own), {}}};
  if (answer.report && !answer.report->failure.empty())
    return {"failed", {answer.report->failure, {}}};
  const bool is_signal = answer.exit.signal != 0;
  NoResult ended{is_signal ? "signal" : "exit code",
                 {platform::describe(answer.exit),
                  {static_cast<double>(is_signal ? answer.exit.signal : answer.exit.code)}}};
  if (!answer.exit.err.empty())
    ended.words.text += ": " + sanitise(split_lines(answer.exit.err).front(), 300);
  return ended;
}

void say_not_timed(WorkloadProfile& to, const NoResult& reason) {
  say(to, "not timed: " + reason.about, worded("Not profiled: {}.", reason.words));
}

/// Times the launches of the plan; returns whether that was possible.
bool time_launches(const SpecimenRoom& room, const InspectedUnit& inspected, const Tools& tools,
                   const Grouped& grouped, WorkloadProfile& to) {
  SpecimenJob job = job_of(inspected);
  job.runs = kTimedRuns;
  job.flushes = true;
  const auto ran = run_tool(room, {.words = {}, .timeout = tools.profile_timeout}, std::move(job));
  if (!ran.has_value()) {
    say_not_timed(to, reason_of(ran.error()));
    return false;
  }
  if (!ran->report || !ran->report->failure.empty() ||
      ran->report->step_ns.size() != grouped.of.size()) {
    say_not_timed(to, reason_of(*ran, tools.profile_timeout));
    return false;
  }
  for (std::size_t i = 0; i < grouped.of.size(); ++i)
    to.kernels[grouped.of[i]].total_ns += ran->report->step_ns[i];
  return true;
}

/// Takes the counters that were asked for; ncu adds a hundred facts of launch and device. Rows come
/// in the order of the marked launches.
void take_counters(const std::vector<KernelProfile>& rows, const Grouped& grouped,
                   const std::vector<int>& marked, WorkloadProfile& to) {
  const auto wanted = ncu_metrics();
  for (std::size_t i = 0; i < rows.size() && i < marked.size(); ++i) {
    auto& counters = to.kernels[grouped.of[static_cast<std::size_t>(marked[i])]].counters;
    for (const auto& [name, value] : rows[i].counters)
      if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) counters[name] = value;
  }
}

/// The table of one run under ncu, or the reason why there is none.
struct Counted {
  std::vector<KernelProfile> rows;
  NoResult why_not;
};

Counted count(const SpecimenRoom& room, const SpecimenJob& job, ToolRun run,
              const platform::Path& ncu, const std::vector<std::string>& metrics) {
  run.words = ncu_command(ncu, metrics);
  const auto ran = run_tool(room, run, job);
  if (!ran.has_value()) return {{}, reason_of(ran.error())};
  Counted counted{parse_ncu_csv(ran->exit.out), {}};
  if (counted.rows.empty()) counted.why_not = reason_of(*ran, run.timeout);
  return counted;
}

/// The metrics that the installed ncu has for this GPU; all that we want if ncu does not say.
std::vector<std::string> query_metrics(const SpecimenRoom& room, const ToolRun& like,
                                       const platform::Path& ncu) {
  ToolRun run = like;
  run.words = ncu_query_command(ncu);
  const auto ran = run_alone(room, run);
  return available_metrics(ran.has_value() ? ran->exit.out : std::string(), ncu_metrics());
}

void count_launches(const SpecimenRoom& room, const InspectedUnit& inspected, const Tools& tools,
                    const Grouped& grouped, WorkloadProfile& to) {
  const auto ncu = find_ncu();
  if (!ncu)
    return say(
        to, "no counters: no ncu",
        worded("No hardware counters were read: Nsight Compute (ncu) was not found; install it, or "
               "name it in KW_NCU."));
  const NcuPermission permission = tools.permission();
  if (permission.is_known && !permission.is_allowed)
    return say(to, "no counters: no permission", worded("No counters: {}", permission.why));
  SpecimenJob job = job_of(inspected);
  job.flushes = true;
  job.marked = middle_launches(*inspected.plan, grouped);
  ToolRun run{.words = {}, .timeout = tools.profile_timeout, .keeps_admin = permission.needs_admin};
  const auto wanted = ncu_metrics();
  std::vector<std::string> metrics(wanted.begin(), wanted.end());
  Counted counted = count(room, job, run, *ncu, metrics);
  if (counted.rows.empty()) {
    // ncu may have refused all metrics because this GPU lacks one of them.
    const auto known = query_metrics(room, run, *ncu);
    if (known.size() < metrics.size()) counted = count(room, job, run, *ncu, known);
  }
  if (counted.rows.empty())
    return say(to, "no counters: " + counted.why_not.about,
               worded("No hardware counters were read: ncu gave none: {}.", counted.why_not.words));
  run.words = {ncu->string(), "--version"};
  if (const auto version = run_alone(room, run); version.has_value())
    to.counters_by = "Nsight Compute " + ncu_version_of(version->exit.out);
  take_counters(counted.rows, grouped, job.marked, to);
  if (permission.needs_admin)
    say(to, "kept admin",
        worded("The profile jail kept CAP_SYS_ADMIN, without which the driver shows no counters."));
}

}  // namespace

WorkloadProfile profile_workload(const SpecimenRoom& room, const InspectedUnit& inspected,
                                 const Tools& tools) {
  WorkloadProfile profile;
  profile.workload = inspected.workload->name;
  const Grouped grouped = group(*inspected.plan);
  profile.kernels = grouped.kernels;
  if (time_launches(room, inspected, tools, grouped, profile))
    count_launches(room, inspected, tools, grouped, profile);
  return profile;
}

std::vector<Finding> profile_findings(const WorkloadProfile& profile, const Workload& workload,
                                      const DeviceFacts& device) {
  std::vector<Finding> findings = counter_findings(profile.kernels, &workload, &device);
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  for (Finding& f : findings)
    if (f.place.empty()) f.place = profile.workload;
  if (!profile.note.empty())
    findings.push_back({FindingKind::Note, 99, profile.note, "", profile.workload,
                        MismatchPattern::None, profile.about, profile.numbers});
  return findings;
}

Sanitized sanitize_workload(const SpecimenRoom& room, const InspectedUnit& inspected,
                            const Tools& tools) {
  Sanitized out;
  const std::string& workload = inspected.workload->name;
  const auto note = [&](std::string about, std::string text) {
    out.findings.push_back({FindingKind::Note, 90, std::move(text), "", workload,
                            MismatchPattern::None, std::move(about)});
  };
  const auto sanitizer = find_sanitizer();
  if (!sanitizer) {
    note("not sanitized: no tool",
         "Not sanitized: compute-sanitizer was not found; install it, or name it in KW_SANITIZER.");
    return out;
  }
  std::vector<std::string> clean;
  for (const SanitizerTool tool : {SanitizerTool::Memcheck, SanitizerTool::Racecheck,
                                   SanitizerTool::Initcheck, SanitizerTool::Synccheck}) {
    SpecimenJob job = job_of(inspected);
    job.control = {room.control};
    job.defect = control_kernel(tool);
    const auto ran = run_tool(
        room, {.words = sanitizer_command(*sanitizer, tool), .timeout = tools.sanitize_timeout},
        std::move(job));
    if (!ran.has_value()) {
      note("not sanitized: " + reason_of(ran.error()).about,
           "Not sanitized: " + describe(ran.error()) + ".");
      return out;
    }
    SanitizerReport report = parse_sanitizer(ran->exit.out);
    if (ran->exit.timed_out)
      report.complaint = worded("the checked run had not ended after {}",
                                InNs{static_cast<double>(tools.sanitize_timeout.count())});
    else if (!report.is_complete && report.complaint.text.empty())
      report.complaint = reason_of(*ran, tools.sanitize_timeout).words;
    SanitizerPass& pass = out.passes.emplace_back(pass_of(tool, workload, report));
    for (Finding& f : sanitizer_findings(pass, report, inspected.unit))
      out.findings.push_back(std::move(f));
    if (!pass.is_void && pass.errors == 0) clean.push_back(pass.tool);
  }
  if (!clean.empty())
    note("clean",
         fmt::format("compute-sanitizer found nothing at {} ({}); in the same run each tool "
                     "reported the known defect that tests it.",
                     workload, join(clean, ", ")));
  return out;
}

}  // namespace kw::profile

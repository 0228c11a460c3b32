// Stores and reads the result of kw task check per task, target and judge.
// SPDX-License-Identifier: Apache-2.0
#include "session/admission_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json.h"
#include "memory/shipped_task.h"
#include "platform/clock.h"
#include "record/target.h"
#include "referee/admission.h"
#include "session/admission.h"
#include "task/load.h"

namespace kw::session {
namespace {

constexpr const char* kKind = "admission";

std::string key_of(const Task& task, Target target, const std::string& judge_id) {
  Sha256Stream key;
  key.update_part(task.sha256).update_part(name_of(target)).update_part(judge_id);
  return key.finish().hex();
}

/// Whether this program ships the task unchanged and with an OpenMP kernel for processors. The
/// tests of the build run the checks of kw task check on all such tasks.
bool is_shipped(const memory::DataFiles& shipped, const Task& task) {
  const auto files = memory::shipped_task(shipped, task.name);
  if (!files || files->texts.empty()) return false;
  const auto definition = task::parse_task(*files);
  return definition && definition->task.sha256 == task.sha256 &&
         std::ranges::any_of(definition->baselines, [](const Candidate& baseline) {
           return row_of(baseline.target).runs_references && baseline.name == "omp";
         });
}

}  // namespace

std::string_view word_of(AdmissionState state) {
  switch (state) {
    case AdmissionState::Never:
      return "never_checked";
    case AdmissionState::Shipped:
      return "shipped";
    case AdmissionState::Admitted:
      return "admitted";
    case AdmissionState::Unfinished:
      return "unfinished";
    case AdmissionState::Refused:
      break;
  }
  return "refused";
}

Result<> remember_admission(store::RunStore& store, const Task& task, Target target,
                            const std::string& judge_id,
                            const std::vector<worker::AdmissionLine>& lines) {
  const auto problem = std::ranges::find_if(lines, [](const worker::AdmissionLine& line) {
    return !line.is_ok && line.what != referee::kTimeWasSpent;
  });
  Json object{{"at", platform::utc_text(platform::real_clock().wall_seconds())}, {"problem", ""}};
  AdmissionState state = is_admitted(lines) ? AdmissionState::Admitted : AdmissionState::Unfinished;
  if (problem != lines.end()) {
    state = AdmissionState::Refused;
    object["problem"] = problem->what +
                        (problem->workload == "all" ? "" : " on " + problem->workload) +
                        (problem->detail.empty() ? "" : ": " + problem->detail);
  }
  object["state"] = word_of(state);
  return store.facts().remember(kKind, key_of(task, target, judge_id), dump_json(object));
}

Result<AdmissionKnown> known_admission(const store::RunStore& store,
                                       const memory::DataFiles& shipped, const Task& task,
                                       Target target, const std::string& judge_id) {
  AdmissionKnown known;
  if (const auto text = KW_TRY(store.facts().recall(kKind, key_of(task, target, judge_id)))) {
    const Json object = KW_TRY(parse_json(*text, "a remembered admission"));
    known.at = object.value("at", "");
    known.problem = object.value("problem", "");
    const std::string word = object.value("state", "");
    for (const AdmissionState state :
         {AdmissionState::Admitted, AdmissionState::Unfinished, AdmissionState::Refused})
      if (word_of(state) == word) known.state = state;
    return known;
  }
  if (is_shipped(shipped, task)) known.state = AdmissionState::Shipped;
  return known;
}

std::string admission_warning(const AdmissionKnown& known, const std::string& path, Target target) {
  const std::string check =
      "kw task check " + path +
      (target == kDefaultTarget ? "" : fmt::format(" --target {}", name_of(target)));
  switch (known.state) {
    case AdmissionState::Admitted:
    case AdmissionState::Refused:
      return {};
    case AdmissionState::Shipped:
      return row_of(target).runs_references
                 ? std::string()
                 : "this program's tests admit the task on a processor; to see "
                   "whether wrong answers fail on a GPU as well, run " +
                       check;
    case AdmissionState::Unfinished:
      return "NOT ADMITTED: " + check +
             " ran out of time before it had examined all of the task on " + known.at +
             ", so a kernel with wrong results may win";
    case AdmissionState::Never:
      break;
  }
  return "NEVER ADMITTED: nobody has checked here that the task catches wrong answers, so a kernel "
         "with wrong results may win; check the task by: " +
         check;
}

}  // namespace kw::session

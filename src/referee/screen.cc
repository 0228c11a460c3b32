// Screens a candidate's claims, and defines the form of every refusal.
// SPDX-License-Identifier: Apache-2.0
#include "referee/screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compile/device_timer.h"
#include "record/target.h"

namespace kw::referee {

Screening refuse(std::string evidence, std::string frame, std::string place) {
  Screening screening;
  screening.findings.push_back(
      {FindingKind::Diagnostic, 0, evidence, std::move(frame), std::move(place)});
  screening.verdict = Verdict{Stage::Screen, Outcome::Rejected, std::move(evidence)};
  return screening;
}

Screening screen_claims(const Candidate& candidate, const Task& task) {
  const auto allows = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (!may_be_proposed(candidate.trust_class))
    return refuse(
        "a host launcher could forge what its process reports and outlive its call, so only a "
        "task's own baselines may be one; `kw plan draft FILE.cu` reads device code with a launch "
        "plan off kernels that the file launches itself, and --against takes a host launcher");
  if (candidate.origin != Origin::Baseline)
    for (const std::string& library : candidate.libraries)
      if (!allows(task.restrictions.libraries, library))
        return refuse(
            fmt::format("the task does not allow the library '{}'; remove the line that names it, "
                        "and write what it would do",
                        library));
  for (const std::string& option : candidate.options)
    // A limit on the registers of a thread changes no result, so every task allows it.
    if (!option.starts_with("maxrregcount_") && !allows(task.restrictions.options, option))
      return refuse(fmt::format("the task does not allow the compiler option '{}'; remove it{}",
                                option,
                                task.restrictions.options.empty()
                                    ? ""
                                    : ", it allows " + join(task.restrictions.options, ", ")));
  return {};
}

namespace {

Screening screen_shared_object(std::string_view bytes, const Candidate& candidate,
                               const BuildUnit& unit) {
  return screen_object(bytes, candidate, unit.object.front().marks);
}

Screening screen_cubin(std::string_view bytes, const Candidate&, const BuildUnit& unit) {
  return screen_device_object(bytes, compile::library_timer_mark(unit));
}

}  // namespace

ByTarget<Screener>& screeners() {
  static ByTarget<Screener> all{
      {Target::Cpu, {{.assembly = true}, screen_shared_object}},
      {Target::Cuda, {{.ptx = true, .host_code = true}, screen_cubin}},
  };
  return all;
}

}  // namespace kw::referee

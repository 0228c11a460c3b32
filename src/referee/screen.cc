// Screens a candidate's claims, and defines the form of every refusal.
// SPDX-License-Identifier: Apache-2.0
#include "referee/screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

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
  if (candidate.trust_class == TrustClass::HostLauncher)
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

}  // namespace kw::referee

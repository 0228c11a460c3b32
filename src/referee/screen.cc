// Screens a candidate's claims, and defines the form of every refusal.
// SPDX-License-Identifier: Apache-2.0
#include "referee/screen.h"

#include <algorithm>
#include <utility>

#include "compile/device_timer.h"
#include "record/target.h"

namespace kw::referee {

Screening refuse(Evidence seen, std::string frame) {
  Screening screening;
  std::string place = seen.place;
  screening.verdict = make_verdict(Stage::Screen, Outcome::Rejected, std::move(seen));
  screening.findings.push_back({FindingKind::Diagnostic, 0, screening.verdict->evidence,
                                std::move(frame), std::move(place), MismatchPattern::None,
                                std::string(name_of(screening.verdict->seen.kind)),
                                screening.verdict->seen.numbers});
  return screening;
}

Screening refuse_object(Evidence seen, std::vector<std::string> shown_by) {
  Screening screening = refuse(std::move(seen));
  screening.shown_by = std::move(shown_by);
  return screening;
}

Screening screen_claims(const Candidate& candidate, const Task& task) {
  const auto allows = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (!may_be_proposed(candidate.trust_class)) return refuse({.kind = EvidenceKind::HostLauncher});
  if (candidate.origin != Origin::Baseline)
    for (const std::string& library : candidate.libraries)
      if (!allows(task.restrictions.libraries, library))
        return refuse({.kind = EvidenceKind::LibraryNotAllowed, .subject = library});
  for (const std::string& option : candidate.options)
    // A limit on the registers of a thread changes no result, so every task allows it.
    if (!option.starts_with("maxrregcount_") && !allows(task.restrictions.options, option))
      return refuse({.kind = EvidenceKind::OptionNotAllowed,
                     .subject = option,
                     .names = task.restrictions.options});
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

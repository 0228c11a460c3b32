// Keeps written sources as ideas, and recalls verdicts.
// SPDX-License-Identifier: Apache-2.0
#include "engine/written.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "record/target.h"

namespace kw::engine {
namespace {

std::string source_key(const Candidate& candidate) {
  return candidate.sha256 + " " + search::to_text(candidate.knobs);
}

}  // namespace

search::KnobSpace space_of(const task::CandidateHeader& header, search::Validity fits) {
  std::vector<search::KnobAxis> knobs;
  for (const task::Knob& k : header.knobs) knobs.push_back({k.name, k.values});
  // The header is copied, because the space outlives the caller that read it.
  return search::KnobSpace(std::move(knobs), [header, fits = std::move(fits)](const KnobPoint& p) {
    return header.is_valid(p) && (!fits || fits(p));
  });
}

std::expected<Candidate, task::Diagnostics> read_written(Candidate candidate) {
  const std::string file = candidate.name + std::string(source_suffix(candidate.target));
  auto header = task::parse_header(candidate.source, file, candidate.target);
  if (!header) return std::unexpected(std::move(header.error()));
  candidate.knobs = header->default_point();
  if (!header->is_valid(candidate.knobs))
    return std::unexpected(
        task::Diagnostics{{FindingKind::Diagnostic, 1,
                           "No combination of the knobs meets every requirement.", "", file}});
  candidate.options = std::move(header->options);
  candidate.libraries = std::move(header->libraries);
  candidate.techniques = std::move(header->techniques);
  candidate.sha256 = sha256(candidate.source).hex();
  return candidate;
}

std::optional<int> WrittenIdeas::add(const Candidate& candidate) {
  if (candidate.source.empty()) return std::nullopt;
  if (const auto known = by_sha256_.find(candidate.sha256); known != by_sha256_.end())
    return known->second;
  auto header = task::parse_header(candidate);
  if (!header) return std::nullopt;
  const int index = first_ + static_cast<int>(sources_.size());
  sources_.push_back({candidate, std::move(*header)});
  by_sha256_[candidate.sha256] = index;
  return index;
}

search::Idea WrittenIdeas::idea(int index) const {
  const Source& source = at(index);
  return {source.candidate.name,
          space_of(source.header, fits_ ? fits_(source.candidate) : search::Validity()),
          source.candidate.techniques};
}

Result<Candidate> WrittenIdeas::candidate(int index, const KnobPoint& knobs) const {
  const Source& source = at(index);
  if (!source.header.is_valid(knobs))
    return fail(ErrorCode::OutOfRange, About{"knobs"},
                "the kernel allows no setting of its knobs '" + search::to_text(knobs) + "'",
                source.candidate.name);
  Candidate candidate = source.candidate;
  candidate.knobs = knobs;
  return candidate;
}

void Judged::remember(const Attempt& attempt, double fidelity) {
  const Outcome outcome = attempt.evaluation.verdict.outcome;
  if (attempt.recalled != 0 || fidelity < 1 || attempt.candidate.source.empty()) return;
  // A proposal that a critic turned down was not judged.
  if (attempt.evaluation.verdict.stage == Stage::Propose) return;
  if (outcome == Outcome::Unmeasurable || outcome == Outcome::Unsupported) return;
  by_source_.emplace(source_key(attempt.candidate), attempt.number);
  if (const std::string& object = attempt.evaluation.object_sha256; !object.empty())
    by_object_.emplace(object, attempt.number);
}

int Judged::source(const Candidate& candidate) const {
  const auto found = by_source_.find(source_key(candidate));
  return found == by_source_.end() ? 0 : found->second;
}

int Judged::object(const std::string& sha256) const {
  const auto found = by_object_.find(sha256);
  return found == by_object_.end() ? 0 : found->second;
}

std::vector<std::string> Judged::objects() const {
  std::vector<std::string> objects;
  for (const auto& [object, attempt] : by_object_) objects.push_back(object);
  return objects;
}

void recall(const Attempt& original, const std::string& what, Attempt& attempt) {
  attempt.recalled = original.number;
  attempt.evaluation = original.evaluation;
  attempt.against_baseline = original.against_baseline;
  // The speedup of the original says nothing here: its pairs were timed against the best kernel of
  // that time.
  attempt.evaluation.speedup = {};
  attempt.evaluation.opponent_fault.clear();
  Finding finding;
  finding.kind = FindingKind::Note;
  finding.about = "same " + what;
  finding.text = fmt::format(
      "This is the same {} as attempt {}, so it was not judged again; what follows is that "
      "attempt's.",
      what, original.number);
  auto& findings = attempt.evaluation.findings;
  findings.insert(findings.begin(), std::move(finding));
}

}  // namespace kw::engine

// Writes the list of attempts for the page of a run, some of them with details.
// SPDX-License-Identifier: Apache-2.0
#include "report/page_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "record/interval.h"
#include "report/page_code.h"
#include "report/run_folder.h"
#include "report/svg.h"

namespace kw::report {
namespace {

constexpr std::size_t kMostFindings = 12;
constexpr std::size_t kTextBytes = 1200;
constexpr std::size_t kFrameBytes = 2000;
constexpr std::size_t kLineBytes = 300;
constexpr std::size_t kPlanBytes = 2400;
constexpr std::size_t kDiffLines = 160;
constexpr std::size_t kParentsKept = 16;

std::string plain(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string class_of(OutcomeClass c) {
  if (c == OutcomeClass::NewBest) return "best";
  return c == OutcomeClass::Failed ? "failed" : "gain-none";
}

PageFields line_fields(const AttemptLine& line) {
  return {{"number", {std::to_string(line.number)}},
          {"class", {class_of(line.outcome_class)}},
          {"name", {sanitise(shown_name(line.name), kLineBytes)}},
          {"knobs", {knobs_text(line.knobs)}},
          {"words", {sanitise(line.words, kLineBytes)}},
          {"speedup", {times(line.speedup)}},
          {"figure", {line.speedup > 0 ? fmt::format("{:.6g}", line.speedup) : std::string()}},
          {"at", {format_ns(static_cast<double>(line.at_ns))}},
          {"at_ns", {std::to_string(line.at_ns)}}};
}

/// An estimate of the bytes that the fields add to the page.
std::size_t weight(const PageFields& fields) {
  constexpr std::size_t kTags = 40;
  std::size_t bytes = 0;
  for (const auto& [name, field] : fields) {
    if (const auto* text = std::get_if<std::string>(&field.value))
      bytes += name == "code" ? text->size() : escape(*text).size();
    if (const auto* list = std::get_if<PageList>(&field.value))
      for (const PageFields& item : *list) bytes += kTags + weight(item);
  }
  return bytes;
}

/// Loads the candidates of parent attempts, and keeps the last few in memory.
class Parents {
 public:
  Parents(const store::RunStore& store, std::int64_t run) : store_(store), run_(run) {}
  Result<const Candidate*> get(int number) {
    for (const auto& [known, candidate] : kept_)
      if (known == number) return &candidate;
    if (kept_.size() == kParentsKept) kept_.pop_front();
    kept_.emplace_back(number, KW_TRY(store_.attempts().get(run_, number)).candidate);
    return &kept_.back().second;
  }

 private:
  const store::RunStore& store_;
  std::int64_t run_;
  std::deque<std::pair<int, Candidate>> kept_;
};

/// Sets the fields that show the changes against the parent's source, or the whole source if there
/// is no parent.
void set_source(PageFields& fields, const Attempt& a, const Candidate* parent,
                const PageLimits& limits) {
  fields["diff"] = {PageList{}};
  fields["source"] = {PageList{}};
  if (a.candidate.source.empty()) {
    fields["source_title"] = {std::string("No source")};
  } else if (parent == nullptr) {
    fields["source_title"] = {std::string("Source")};
    fields["source"] = {PageList{
        {{"code_lines", {source_items(sanitise(a.candidate.source, limits.source_bytes))}}}}};
  } else if (parent->source == a.candidate.source) {
    const std::string change = knobs_change(parent->knobs, a.candidate.knobs);
    fields["source_title"] = {fmt::format("Same source as attempt {}, {}", a.parent,
                                          change.empty() ? "with the same knobs" : change)};
  } else {
    SourceDiff diff = source_diff(parent->source, a.candidate.source, kDiffLines);
    fields["source_title"] = {fmt::format("Changes against attempt {}: {}", a.parent, diff.words)};
    if (!diff.lines.empty()) fields["diff"] = {PageList{{{"lines", {std::move(diff.lines)}}}}};
  }
}

std::string about(const Attempt& a, const Spending& spent) {
  std::vector<std::string> parts;
  if (!a.why.empty()) parts.push_back(sanitise(a.why, kLineBytes));
  parts.push_back(fmt::format("origin {}", name_of(a.candidate.origin)));
  if (a.parent != 0) parts.push_back(fmt::format("from attempt {}", a.parent));
  if (a.recalled != 0)
    parts.push_back(fmt::format("the same as attempt {}, not judged again", a.recalled));
  if (!a.candidate.techniques.empty())
    parts.push_back("techniques " + sanitise(join(a.candidate.techniques, ", "), kLineBytes));
  if (!a.exchanges.empty())
    parts.push_back(fmt::format("{} tokens, cost {}", spent.tokens, dollars_text(spent)));
  double judging = 0;
  for (const auto& [stage, ns] : spent_ns(a))
    if (stage != name_of(Stage::Propose)) judging += ns;
  if (judging > 0) parts.push_back(format_ns(judging) + " to judge");
  return join(parts, " · ");
}

std::string judged(const Attempt& a) {
  std::string text = verdict_words(a.evaluation.verdict);
  const Speedup& s = a.evaluation.speedup;
  if (s.value > 0)
    text += fmt::format("; {:.3f}× the speed of {}{}", s.value, sanitise(s.baseline, kLineBytes),
                        in_brackets(interval_text(s)));
  return text;
}

Result<PageFields> detail_fields(const AttemptLine& line, const Attempt& a, const Spending& spent,
                                 Parents& parents, const PageLimits& limits) {
  PageFields fields = line_fields(line);
  fields["about"] = {about(a, spent)};
  fields["plan"] = {optional_text(sanitise(a.plan, kPlanBytes))};
  fields["verdict"] = {judged(a)};
  fields["findings"] = {finding_items(a.evaluation.findings)};
  const Candidate* parent = a.parent == 0 ? nullptr : KW_TRY(parents.get(a.parent));
  set_source(fields, a, parent, limits);
  return fields;
}

PageFields item(PageList gap, PageList plain, PageList detailed) {
  return {{"gap", {std::move(gap)}},
          {"plain", {std::move(plain)}},
          {"detailed", {std::move(detailed)}}};
}

}  // namespace

std::string verdict_words(const Verdict& verdict) {
  std::string text = plain(name_of(verdict.outcome));
  text += fmt::format(" at {}", name_of(verdict.stage));
  if (!verdict.evidence.empty()) text += ": " + sanitise(verdict.evidence, kTextBytes);
  return text;
}

PageList finding_items(const std::vector<Finding>& findings) {
  PageList items;
  for (const Finding& f : findings) {
    if (items.size() == kMostFindings) {
      items.push_back(
          {{"kind", {std::string("more")}},
           {"text",
            {fmt::format("{} less important ones are left out", findings.size() - kMostFindings)}},
           {"place", {std::string()}},
           {"frame", {PageList{}}}});
      break;
    }
    items.push_back({{"kind", {std::string(name_of(f.kind))}},
                     {"text", {sanitise(f.text, kTextBytes)}},
                     {"place", {sanitise(f.place, kLineBytes)}},
                     {"frame", {optional_text(sanitise(f.frame, kFrameBytes))}}});
  }
  return items;
}

void AttemptList::add(const AttemptLine& line) {
  auto& kind = line.outcome_class == OutcomeClass::NewBest ? bests_ : others_;
  kind.push_back(line);
  if (bests_.size() + others_.size() <= most_) return;
  auto& shrinks = others_.empty() ? bests_ : others_;
  shrinks.pop_front();
  ++left_out_;
}

std::vector<AttemptLine> AttemptList::lines() const {
  std::vector<AttemptLine> all(bests_.begin(), bests_.end());
  all.insert(all.end(), others_.begin(), others_.end());
  std::ranges::sort(all, {}, &AttemptLine::number);
  return all;
}

std::vector<int> AttemptList::by_worth() const {
  std::vector<int> numbers;
  for (const auto* kind : {&bests_, &others_})
    for (auto line = kind->rbegin(); line != kind->rend(); ++line) numbers.push_back(line->number);
  return numbers;
}

Result<AttemptItems> attempt_items(const store::RunStore& store, const RunData& data,
                                   const AttemptList& list, const PageLimits& limits) {
  const std::vector<AttemptLine> lines = list.lines();
  std::map<int, const AttemptLine*> line_of_number;
  for (const AttemptLine& line : lines) line_of_number[line.number] = &line;

  Parents parents(store, data.run.id);
  std::map<int, PageFields> details;
  std::size_t bytes = 0;
  for (const int number : list.by_worth()) {
    const Attempt attempt = KW_TRY(store.attempts().get(data.run.id, number));
    const Spending spent = KW_TRY(spending_of(store, data.run.id, attempt));
    auto fields =
        KW_TRY(detail_fields(*line_of_number.at(number), attempt, spent, parents, limits));
    bytes += weight(fields);
    if (bytes > limits.detail_bytes) break;
    details.emplace(number, std::move(fields));
  }

  AttemptItems shown;
  shown.detailed = static_cast<int>(details.size());
  int before = 0;
  for (const AttemptLine& line : lines) {
    if (const int missing = line.number - before - 1; missing > 0)
      shown.items.push_back(item(
          optional_text(fmt::format("{} not listed: kw show {}", missing, data.run.name)), {}, {}));
    const auto detail = details.find(line.number);
    shown.items.push_back(detail == details.end() ? item({}, {line_fields(line)}, {})
                                                  : item({}, {}, {std::move(detail->second)}));
    before = line.number;
  }
  return shown;
}

}  // namespace kw::report

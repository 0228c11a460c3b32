// Sets the template variables of techniques, menus, examples, counsel and counters.
// SPDX-License-Identifier: Apache-2.0
#include "propose/manner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "base/contains.h"
#include "base/text.h"
#include "propose/markdown.h"
#include "record/counters.h"
#include "record/target.h"

namespace kw::propose {

using memory::Fields;

namespace {

constexpr std::size_t kExampleBytes = 6 << 10;  // limit of the code before and after a step

std::vector<Fields> menu_of(const Manner& manner) {
  std::vector<Fields> items;
  for (const MenuItem& item : manner.menu)
    items.push_back(
        {{"name", {item.name}}, {"text", {(item.what.empty() ? "" : ": ") + item.what}}});
  return items;
}

/// Whether the example is a kernel for the prompt's own task, which would be a solution.
bool is_answer(const StepExample& step, const std::string& task) {
  return step.name == task || step.name.starts_with(task + "/");
}

std::vector<Fields> steps_of(const Manner& manner, const std::string& task, Target target) {
  std::vector<Fields> items;
  for (const StepExample& step : manner.examples) {
    if (is_answer(step, task)) continue;
    items.push_back(
        {{"title", {step.name}},
         {"text", {step.detail}},
         {"before", {fenced(sanitise(step.before, kExampleBytes), row_of(target).fence)}},
         {"after", {fenced(sanitise(step.after, kExampleBytes), row_of(target).fence)}}});
  }
  return items;
}

std::vector<Fields> counsel_of(const Situation& s) {
  std::vector<Fields> items;
  for (const Reading& reading : s.counsel)
    if (!reading.words.empty())
      items.push_back({{"from", {reading.role}}, {"text", {quotation(reading.words)}}});
  return items;
}

/// The parent's performance counters that help to explain its run time, as (kernel, name, value).
std::vector<std::tuple<std::string_view, std::string_view, double>> counters_of(
    const Situation& s) {
  std::vector<std::tuple<std::string_view, std::string_view, double>> all;
  if (s.parent == nullptr || (s.view != nullptr && s.view->hides_profile)) return all;
  for (const WorkloadProfile& profile : s.parent->evaluation.profiles)
    for (const KernelProfile& kernel : profile.kernels)
      for (const auto& [name, value] : kernel.counters)
        if (contains(kTellingCounters, std::string_view(name)))
          all.emplace_back(kernel.kernel, name, value);
  return all;
}

std::vector<Fields> metrics_of(const Situation& s) {
  std::vector<Fields> items;
  for (const auto& [kernel, name, value] : counters_of(s))
    items.push_back({{"text", {fmt::format("{} = {:.4g} ({})", name, value, kernel)}}});
  return items;
}

/// Time and throughput as geometric means over the timed workloads: "0.12 ms, moving 310 GB/s".
std::string time_words(const Situation& s, const Evaluation& e) {
  std::string words = fmt::format("{:.4g} ms", e.mean_time_ns() / 1e6);
  if (s.feedback < FeedbackLevel::Profile || (s.view != nullptr && s.view->hides_profile))
    return words;
  double log_sum = 0;
  int n = 0;
  for (const WorkloadResult& w : e.workloads)
    if (w.group == Group::Time && w.median_ns > 0 && w.bytes_per_s > 0)
      log_sum += std::log(w.bytes_per_s), ++n;
  return n == 0 ? words : words + ", moving " + format_si(std::exp(log_sum / n), "B/s");
}

std::string plain(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace

std::vector<std::string> manner_variables() {
  return {"has_technique", "technique", "method",      "has_menu",     "menu",
          "has_steps",     "steps",     "before",      "after",        "has_counsel",
          "counsel",       "from",      "has_written", "written_code", "has_metrics",
          "metrics",       "has_shown", "shown",       "wants_edits",  "wants_whole",
          "has_anchors",   "has_time",  "time",        "is_correct",   "has_method"};
}

void set_manner(Fields& f, const Situation& s) {
  const Manner manner = s.manner != nullptr ? *s.manner : Manner{};
  f["has_technique"] = {!manner.technique.empty()};
  f["technique"] = {manner.technique};
  f["has_method"] = {!manner.method.empty()};
  f["method"] = {manner.method};
  f["has_menu"] = {!manner.menu.empty()};
  f["menu"] = {menu_of(manner)};
  std::vector<Fields> steps = steps_of(manner, s.task->task.name, s.target);
  f["has_steps"] = {!steps.empty()};
  f["steps"] = {std::move(steps)};
  std::vector<Fields> counsel = counsel_of(s);
  f["has_counsel"] = {!counsel.empty()};
  f["counsel"] = {std::move(counsel)};
  const bool has_written = s.written != nullptr && !s.written->source.empty();
  f["has_written"] = {has_written};
  f["written_code"] = {has_written ? fenced(s.written->source, row_of(s.target).fence)
                                   : std::string()};
  std::vector<Fields> metrics = metrics_of(s);
  f["has_metrics"] = {!metrics.empty()};
  f["metrics"] = {std::move(metrics)};
  f["wants_edits"] = {manner.form == ReplyForm::Edits};
  f["wants_whole"] = {manner.form == ReplyForm::Whole};
  const auto points = [](const Reading& r) { return r.first_line > 0; };
  f["has_anchors"] = {std::ranges::any_of(s.counsel, points)};
  const bool is_correct = s.parent != nullptr && s.parent->evaluation.verdict.is_correct();
  f["is_correct"] = {is_correct};
  const bool has_time = is_correct && s.parent->evaluation.mean_time_ns() > 0;
  f["has_time"] = {has_time};
  f["time"] = {has_time ? time_words(s, s.parent->evaluation) : std::string()};
}

std::vector<std::string> offered_metrics(const Situation& s) {
  std::vector<std::string> names;
  for (const auto& [kernel, name, value] : counters_of(s))
    if (!contains(names, name)) names.emplace_back(name);
  return names;
}

std::string anchored(const Situation& s) {
  const std::string& source = s.parent->candidate.source;
  const auto place =
      std::ranges::find_if(s.counsel, [](const Reading& r) { return r.first_line > 0; });
  if (place == s.counsel.end()) return source;
  std::string text;
  int number = 0;
  for (const std::string_view line : split_lines(source)) {
    if (++number == place->first_line) text += std::string(kAnchorBegins) + "\n";
    text += std::string(line) + "\n";
    if (number == place->last_line) text += std::string(kAnchorEnds) + "\n";
  }
  return text;
}

std::string standing_words(const Attempt& a, FeedbackLevel level) {
  const Verdict& v = a.evaluation.verdict;
  if (level == FeedbackLevel::None && !v.is_correct()) return "failed";
  if (level < FeedbackLevel::Findings && v.is_correct()) return "correct";
  if (!v.is_correct())
    return fmt::format("failed at {}: {}", name_of(v.stage), plain(name_of(v.outcome)));
  if (a.against_baseline.value <= 0) return "correct, not timed";
  return fmt::format("correct, {:.3g}x the baseline", a.against_baseline.value);
}

}  // namespace kw::propose

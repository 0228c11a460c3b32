// Writes the page of kw explain about an attempt, section by section.
// SPDX-License-Identifier: Apache-2.0
#include "cli/life.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/line_diff.h"
#include "base/text.h"
#include "cli/verdict_view.h"
#include "record/codec.h"
#include "record/interval.h"
#include "report/evaluation_json.h"
#include "session/orders.h"

namespace kw::cli {
namespace {

constexpr std::size_t kDiffLines = 120;

std::string indented(std::string_view text, std::string_view by = "    ") {
  std::string out;
  for (const std::string_view line : split_lines(text)) out += fmt::format("{}{}\n", by, line);
  return out;
}

/// The strategy's request for the attempt. The stored text is always a JSON object.
Json ask_of(const Attempt& attempt) {
  Json ask = Json::parse(attempt.ask, nullptr, false);
  return ask.is_object() ? ask : Json::object();
}

std::string origin_words(const Attempt& a) {
  if (a.evaluation.verdict.is_unanswered())
    return "no kernel, because no model gave a usable answer";
  if (ask_of(a).value("role", "") == "tune")
    return fmt::format("a setting of the knobs of attempt {}, chosen by the tuner", a.parent);
  switch (a.candidate.origin) {
    case Origin::Task:
      return "a candidate from the task's own folder";
    case Origin::Playbook:
      return "an expert kernel of the playbook";
    case Origin::Generic:
      return "a generic variant of the task's reference";
    case Origin::Model:
      return a.candidate.source.empty() ? "a language model's reply, which holds no kernel"
                                        : "written by a language model";
    default:
      return fmt::format("from {}", name_of(a.candidate.origin));
  }
}

std::string ratio_words(const Speedup& s) {
  return fmt::format("{:.3f}x{}", s.value, in_brackets(interval_text(s)));
}

void add_origin(std::string& page, const Life& life) {
  const Attempt& a = life.attempt;
  page +=
      fmt::format("\nWho proposed it, and why\n  Strategy {} asked: {}.\n  The attempt is {}.\n",
                  life.run.config.strategy, a.why, origin_words(a));
  if (life.parent)
    page += fmt::format("  Its parent is attempt {}, {}: {}\n", life.parent->number,
                        shown_name(life.parent->candidate.name), life.parent->words);
  const Json ask = ask_of(a);
  if (ask.contains("errand"))
    page += fmt::format("  The model was asked to: {}.\n", ask["errand"].get<std::string>());
  for (const Exchange& e : life.exchanges)
    page += fmt::format("  {} was asked ({}).\n", e.model, e.scope);
  if (!a.plan.empty()) page += "  What the writer said it would do:\n" + indented(trim(a.plan));
  if (!a.candidate.techniques.empty())
    page += fmt::format("  Techniques that the source names: {}.\n",
                        join(a.candidate.techniques, ", "));
  for (const Order& order : life.orders)
    page += fmt::format("  Order {} of {} was in force: {} (from attempt {} on).\n", order.number,
                        order.who, session::words_of(order), order.from_attempt);
  if (life.told && !life.told->words.empty())
    page +=
        "  The prompt held a judge model's reading of the parent:\n" + indented(life.told->words);
}

void add_change(std::string& page, const Life& life) {
  if (!life.parent) return;
  const Candidate& before = life.parent->candidate;
  const Candidate& after = life.attempt.candidate;
  page += fmt::format("\nWhat changed against attempt {}\n", life.parent->number);
  const std::string knobs = knobs_change(before.knobs, after.knobs);
  if (!knobs.empty()) page += fmt::format("  knobs: {}\n", knobs);
  if (after.source.empty())
    page += "  nothing can be compared: this attempt has no source\n";
  else if (before.source.empty())
    page += "  everything: the parent had no source\n";
  else if (const std::string diff = line_diff(before.source, after.source, kDiffLines);
           !diff.empty())
    page += indented(diff);
  else
    page +=
        knobs.empty() ? "  nothing: the source is the parent's\n" : "  the source is the same\n";
}

std::string stage_words(const Verdict& verdict, Stage stage) {
  if (stage == verdict.stage)
    return fmt::format("{}{}{}", name_of(verdict.outcome), verdict.evidence.empty() ? "" : ": ",
                       verdict.evidence);
  return stage < verdict.stage ? "passed" : "";
}

void add_stages(std::string& page, const Life& life) {
  const Evaluation& e = life.attempt.evaluation;
  const auto stages = spent_ns(life.attempt);
  page += "\nWhat each stage said\n";
  if (life.attempt.recalled != 0)
    page += fmt::format(
        "  This attempt is the same as attempt {} and got its verdict; nothing was run.\n",
        life.attempt.recalled);
  for (const std::string_view name : EnumNames<Stage>::names) {
    const Stage stage = *enum_from<Stage>(name);
    const std::string words = stage_words(e.verdict, stage);
    const auto spent = stages.find(std::string(name));
    if (words.empty() && spent == stages.end()) continue;
    page += fmt::format("  {:<8} {:>9}  {}\n", name,
                        spent == stages.end() ? "" : format_ns(spent->second), words);
  }
}

void add_findings(std::string& page, const Life& life) {
  const auto& findings = life.attempt.evaluation.findings;
  if (findings.empty()) return;
  page += "\nFindings, most important first\n";
  int rank = 0;
  for (const Finding& f : findings) {
    page += fmt::format("  {}. {}{}\n", ++rank, f.text,
                        f.place.empty() ? "" : fmt::format(" [{}]", f.place));
    if (!f.frame.empty()) page += indented(f.frame, "       ");
  }
}

void add_measurement(std::string& page, const Life& life) {
  const Attempt& a = life.attempt;
  if (a.evaluation.speedup.value <= 0) {
    if (a.evaluation.verdict.is_correct() && a.recalled == 0)
      page += "\nThis attempt was not measured.\n";
    return;
  }
  page += fmt::format("\nWhat was measured\n  In pairs against {}: {}{}.\n",
                      a.evaluation.speedup.baseline, ratio_words(a.evaluation.speedup),
                      a.evaluation.speedup.is_faster ? ", faster" : ", not shown faster");
  page += fmt::format("  Chained to the run's baseline {}: {:.3f}x.\n", life.run.config.baseline,
                      a.against_baseline.value);
  for (const WorkloadResult& w : a.evaluation.workloads)
    if (w.group == Group::Time)
      page += report::workload_line(report::WorkloadTable::Attempt, w) + "\n";
  if (life.confirmation)
    page += fmt::format("  Confirmed afterwards with fresh processes, seeds and samples: {}{}.\n",
                        ratio_words(life.confirmation->speedup),
                        life.confirmation->speedup.is_faster ? "" : ", which is no win");
}

void add_outcome(std::string& page, const Life& life) {
  const Attempt& a = life.attempt;
  page += fmt::format("\nWhat came of it\n  {}; class {}, reward {:.4g}.\n", a.words,
                      name_of(a.outcome_class), a.reward);
  if (life.run.best_attempt == a.number) page += "  This attempt is the best of the run.\n";
  if (life.reading)
    page += life.reading->words.empty()
                ? fmt::format("  A judge model gave no reading: {}.\n", life.reading->trouble)
                : "  A judge model read in this attempt:\n" + indented(life.reading->words);
  if (life.next)
    page += fmt::format(
        "  The next request that knew the outcome of this attempt was attempt {}: {}.\n",
        life.next->number, life.next->why);
  else if (life.run.state == RunState::Running && life.run.stopped_by.empty())
    page += "  No later request has known the outcome of this attempt yet.\n";
  else
    page += fmt::format("  The run asked for no kernel after this attempt{}{}.\n",
                        life.run.stopped_by.empty() ? "" : ": ", life.run.stopped_by);
  for (const AttemptLine& line : life.made_from)
    page += fmt::format("  Made from this attempt: attempt {}, {}: {}\n", line.number, line.name,
                        line.words);
}

void add_cost(std::string& page, const Life& life) {
  const Attempt& a = life.attempt;
  double total_ns = 0;
  for (const auto& [stage, ns] : spent_ns(a)) total_ns += ns;
  page += "\nWhat it cost\n";
  if (!a.exchanges.empty())
    page += fmt::format("  models: {} tokens in {} exchange{} ({} in, {} out{}), cost {}\n",
                        a.usage.total(), a.exchanges.size(), a.exchanges.size() == 1 ? "" : "s",
                        a.usage.prompt_tokens, a.usage.completion_tokens,
                        a.usage.is_estimated ? ", estimated" : "", dollars_text(life.spent));
  page += fmt::format("  time: {} in the stages of this attempt; complete {} after the run began\n",
                      format_ns(total_ns), format_ns(static_cast<double>(a.at_ns)));
}

Json line_json(int number, const std::string& name, const std::string& words) {
  return {{"number", number}, {"name", name}, {"words", words}};
}

}  // namespace

std::string page_of(const Life& life) {
  const Attempt& a = life.attempt;
  std::string page =
      fmt::format("attempt {} of {}: {} {}\n{}\n", a.number, life.run.name,
                  shown_name(a.candidate.name), knobs_change({}, a.candidate.knobs), a.words);
  add_origin(page, life);
  add_change(page, life);
  add_stages(page, life);
  add_findings(page, life);
  add_measurement(page, life);
  add_outcome(page, life);
  add_cost(page, life);
  return page;
}

Json life_json(const Life& life) {
  const Attempt& a = life.attempt;
  Json object = {{"run", life.run.name},
                 {"attempt", a.number},
                 {"name", a.candidate.name},
                 {"knobs", a.candidate.knobs},
                 {"words", a.words},
                 {"strategy", life.run.config.strategy},
                 {"why", a.why},
                 {"ask", ask_of(a)},
                 {"origin", name_of(a.candidate.origin)},
                 {"writer", a.writer},
                 {"plan", a.plan},
                 {"techniques", a.candidate.techniques},
                 {"recalled", a.recalled},
                 {"class", name_of(a.outcome_class)},
                 {"reward", a.reward},
                 {"at_ns", a.at_ns},
                 {"against_baseline", encode_json(a.against_baseline)},
                 {"evaluation", report::evaluation_json(a.evaluation)},
                 {"usage", encode_json(a.usage)},
                 {"cost_usd", life.spent.unpriced > 0 ? Json() : Json(a.cost_usd)}};
  object["parent"] = nullptr;
  object["change"] = nullptr;
  if (life.parent) {
    const Attempt& p = *life.parent;
    object["parent"] = line_json(p.number, p.candidate.name, p.words);
    object["change"] = {{"knobs", knobs_change(p.candidate.knobs, a.candidate.knobs)},
                        {"diff", line_diff(p.candidate.source, a.candidate.source, kDiffLines)}};
  }
  object["orders"] = Json::array();
  for (const Order& order : life.orders)
    object["orders"].push_back({{"number", order.number},
                                {"words", session::words_of(order)},
                                {"who", order.who},
                                {"from_attempt", order.from_attempt}});
  object["models"] = Json::array();
  for (const Exchange& e : life.exchanges)
    object["models"].push_back({{"model", e.model},
                                {"scope", e.scope},
                                {"key", e.key},
                                {"latency_ns", e.reply.latency_ns}});
  object["told_by_judge"] = life.told ? encode_json(*life.told) : Json();
  object["reading"] = life.reading ? encode_json(*life.reading) : Json();
  object["next"] = nullptr;
  if (life.next) object["next"] = {{"number", life.next->number}, {"why", life.next->why}};
  object["made_from_it"] = Json::array();
  for (const AttemptLine& line : life.made_from)
    object["made_from_it"].push_back(line_json(line.number, line.name, line.words));
  object["is_best"] = life.run.best_attempt == a.number;
  object["confirmation"] = life.confirmation ? report::evaluation_json(*life.confirmation) : Json();
  return object;
}

}  // namespace kw::cli

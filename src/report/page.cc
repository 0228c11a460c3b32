// From a stored run to the variables of web/report.html.
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "memory/template.h"
#include "record/interval.h"
#include "report/page_attempts.h"
#include "report/plot.h"
#include "report/run_folder.h"

namespace kw::report {
namespace {

constexpr std::size_t kWordsBytes = 400;

/// Every variable of the templates.
const std::vector<std::string>& known_variables() {
  static const std::vector<std::string> names = {
      // the frame
      "run", "task", "target", "style", "style_hash", "result", "result_class", "subtitle",
      "footer", "cards", "name", "value", "note", "text",
      // plots and shapes
      "progress", "progress_caption", "has_roofline", "roofline", "roofline_caption", "advice",
      "shapes", "has_shapes", "shapes_caption", "opponent", "time", "other_time", "speedup",
      "interval", "bar", "rate", "roof", "bound", "pairs", "checks", "has_checks", "checks_summary",
      "outcome", "gate", "rel_l2", "max_abs",
      // attempts
      "findings", "kind", "place", "frame", "kernel", "size", "attempts", "attempts_caption", "gap",
      "plain", "detailed", "class", "number", "knobs", "words", "at", "about", "plan", "verdict",
      "source_title", "diff", "lines", "mark", "source",
      // cost, certificate, setting
      "costs", "has_models", "models", "replies", "prompt", "cached", "completion", "usd", "waited",
      "certificate_words", "certificate_facts", "certificate_json", "setting"};
  return names;
}

std::string short_text(std::string_view text) { return sanitise(text, kWordsBytes); }

void add_fact(PageList& list, std::string name, std::string value) {
  if (!value.empty()) list.push_back({{"name", {std::move(name)}}, {"value", {std::move(value)}}});
}

void add_card(PageList& list, std::string name, std::string value, std::string note) {
  list.push_back(
      {{"name", {std::move(name)}}, {"value", {std::move(value)}}, {"note", {std::move(note)}}});
}

/// What the page shows of the winner: the confirmation, where there was one.
const Evaluation* shown_evaluation(const RunData& data) {
  if (!data.best) return nullptr;
  return data.confirmation ? &*data.confirmation : &data.best->evaluation;
}

std::string opponent_of(const RunData& data) {
  const Evaluation* e = shown_evaluation(data);
  if (e != nullptr && !e->speedup.baseline.empty()) return e->speedup.baseline;
  return data.baseline.empty() ? "the baseline" : data.baseline;
}

std::string result_words(const RunData& data) {
  const Evaluation* e = shown_evaluation(data);
  if (e == nullptr) return "No attempt was correct.";
  const std::string against =
      fmt::format("{:.3f}× the speed of {}{}", e->speedup.value, short_text(opponent_of(data)),
                  in_brackets(interval_text(e->speedup)));
  if (data.is_win()) return "Confirmed: " + against;
  if (data.confirmation) return "Not confirmed as faster: " + against;
  return "Not confirmed; in search " + against;
}

PageList cards(const RunData& data, const Digest& digest) {
  PageList list;
  if (const Evaluation* e = shown_evaluation(data)) {
    add_card(list, "Speedup", fmt::format("{:.2f}×", e->speedup.value),
             "over " + short_text(opponent_of(data)));
    add_card(list, "Time", format_ns(e->mean_time_ns()), "geometric mean of the timed shapes");
    if (e->roofline_fraction > 0)
      add_card(list, "Of the roof", fmt::format("{:.2f}", e->roofline_fraction),
               "of what this machine was measured to reach");
  }
  add_card(list, "Attempts", std::to_string(digest.attempts),
           fmt::format("{} failed, {} a new best", digest.failed,
                       digest.bests.empty() ? "none" : std::to_string(digest.bests.size())));
  add_card(list, "Took", format_ns(data.run.spent_ns), short_text(data.run.stopped_by));
  if (!data.run.config.models.empty())
    add_card(list, "Models", dollars_text(data.run.spent),
             fmt::format("{} calls, {} tokens", data.run.spent.calls, data.run.spent.tokens));
  return list;
}

/// The interval of each shape on one logarithmic scale, the opponent's 1 a line. Numbers only.
class Bars {
 public:
  explicit Bars(const Evaluation& e) {
    for (const WorkloadResult& w : e.workloads) {
      if (!has_interval(w.speedup)) continue;
      lo_ = std::min(lo_, w.speedup.low);
      hi_ = std::max(hi_, w.speedup.high);
    }
  }
  std::string of(const Speedup& s) const {
    if (!has_interval(s)) return {};
    const Axis axis{lo_ / 1.05, hi_ * 1.05, true, 4, 140};
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 144 16\" class=\"bar\" "
        "role=\"img\"><title>{:.3f}–{:.3f}</title><path class=\"g\" d=\"M{:.1f} 0V16\"/>"
        "<path class=\"c2\" d=\"M{:.1f} 8H{:.1f}\"/><circle class=\"c2 f\" cx=\"{:.1f}\" cy=\"8\" "
        "r=\"3\"/></svg>",
        s.low, s.high, axis.at(1), axis.at(s.low), axis.at(s.high), axis.at(s.value));
  }

 private:
  double lo_ = 1;
  double hi_ = 1;
};

std::string rate_words(const WorkloadResult& w) {
  const bool is_compute = w.roofline.bound == Bound::Compute;
  if (is_compute && w.flops_per_s > 0) return format_si(w.flops_per_s, "flop/s");
  if (w.bytes_per_s > 0) return format_si(w.bytes_per_s, "B/s");
  return w.items_per_s > 0 ? format_si(w.items_per_s, "items/s") : "–";
}

PageFields shape_fields(const WorkloadResult& w, const Bars& bars) {
  const bool is_paired = w.speedup.value > 0;
  return {{"name", {short_text(w.name)}},
          {"time", {w.median_ns > 0 ? format_ns(w.median_ns) : std::string(name_of(w.outcome))}},
          {"other_time", {w.opponent_ns > 0 ? format_ns(w.opponent_ns) : std::string("–")}},
          {"speedup", {is_paired ? fmt::format("{:.3f}×", w.speedup.value) : std::string("–")}},
          {"interval", {is_paired ? range_text(w.speedup) : std::string()}},
          {"bar", {bars.of(w.speedup)}},
          {"rate", {rate_words(w)}},
          {"roof", {w.roofline.fraction > 0 ? fraction_text(w.roofline) : std::string("–")}},
          {"bound", {std::string(name_of(w.roofline.bound))}},
          {"pairs", {std::to_string(w.samples.size())}}};
}

PageFields check_fields(const WorkloadResult& w) {
  return {{"name", {short_text(w.name)}},
          {"outcome", {std::string(name_of(w.outcome))}},
          {"gate", {fmt::format("{:.2f}", w.accuracy.gate_fraction)}},
          {"rel_l2", {fmt::format("{:.1e}", w.accuracy.rel_l2)}},
          {"max_abs", {fmt::format("{:.1e}", w.accuracy.max_abs_diff)}},
          {"note", {short_text(w.note)}}};
}

void set_shapes(PageFields& f, const RunData& data) {
  PageList shapes, checks, advice;
  if (const Evaluation* e = shown_evaluation(data)) {
    const Bars bars(*e);
    for (const WorkloadResult& w : e->workloads) {
      (w.group == Group::Time ? shapes : checks)
          .push_back(w.group == Group::Time ? shape_fields(w, bars) : check_fields(w));
      if (!w.roofline.advice.empty())
        advice.push_back({{"text", {short_text(w.name + ": " + w.roofline.advice)}}});
    }
    for (const SkippedWorkload& s : e->skipped)
      advice.push_back({{"text", {short_text(s.name + " was skipped: " + s.reason)}}});
  }
  const char* where = data.confirmation
                          ? "From the confirmation, with fresh players, seeds and samples."
                          : "From the search: the best of many is flattered by having been picked.";
  f["shapes_caption"] = {std::string(
      shapes.empty()
          ? "Nothing was timed."
          : fmt::format("{} Medians of paired calls; intervals of their ratio.", where))};
  f["checks_summary"] = {fmt::format("{} further shapes were checked", checks.size())};
  f["has_shapes"] = {!shapes.empty()};
  f["has_checks"] = {!checks.empty()};
  f["shapes"] = {std::move(shapes)};
  f["checks"] = {std::move(checks)};
  f["advice"] = {std::move(advice)};
  f["opponent"] = {short_text(opponent_of(data))};
}

struct Walked {
  Digest digest;
  AttemptList list;
};

Result<Walked> walk(const store::RunStore& store, const RunData& data, const PageLimits& limits) {
  Walked walked{{}, AttemptList(limits.lines)};
  KW_TRY(store.for_each_line(data.run.id, [&](const AttemptLine& line) {
    walked.digest.add(line);
    walked.list.add(line);
  }));
  return walked;
}

Result<> set_progress(PageFields& f, const store::RunStore& store, const RunData& data,
                      const Digest& digest, const PageLimits& limits) {
  const auto attempts = static_cast<std::size_t>(digest.attempts);
  const std::size_t every = attempts / std::max<std::size_t>(1, limits.dots) + 1;
  std::string svg;
  ProgressPlot plot(data, digest, [&](std::string_view text) { svg += text; }, SvgPlace::Page);
  std::size_t seen = 0;
  KW_TRY(store.for_each_line(data.run.id, [&](const AttemptLine& line) {
    if (line.outcome_class == OutcomeClass::NewBest || seen++ % every == 0) plot.add(line);
  }));
  plot.finish();
  f["progress"] = {std::move(svg)};
  std::string caption =
      "Speedup over the baseline as the search saw it, each attempt a dot, failures on the axis.";
  if (every > 1)
    caption += fmt::format(" Of {} attempts every new best and one in {} others is drawn.",
                           digest.attempts, every);
  f["progress_caption"] = {std::move(caption)};
  return {};
}

void set_kernel(PageFields& f, const RunData& data, const PageLimits& limits) {
  PageList kernel;
  if (data.best) {
    const std::string& source =
        data.best_source.empty() ? data.best->candidate.source : data.best_source;
    kernel.push_back({{"name",
                       {short_text(fmt::format("attempt {}, {}", data.best->number,
                                               data.best->candidate.name))}},
                      {"size",
                       {fmt::format("{} lines{}", split_lines(source).size(),
                                    source.size() > limits.source_bytes
                                        ? ", cut here: the whole file lies in best/"
                                        : "")}},
                      {"text", {sanitise(source, limits.source_bytes)}}});
  }
  f["kernel"] = {std::move(kernel)};
  f["findings"] = {data.best ? finding_items(data.best->evaluation.findings) : PageList{}};
}

struct ModelCost {
  Spending spent;  ///< By replies.
  Usage usage;
  double waited_ns = 0;  ///< For these replies, without tries that failed.
};

/// By all attempts, with tries that failed and the waits between them.
Result<double> waited_ns(const store::RunStore& store, const RunSummary& run) {
  double sum = 0;
  KW_TRY(store.for_each_attempt(
      run.id, store::Sources::LeaveOut,
      [&](Attempt& a) -> Result<> {
        const auto waited = a.evaluation.stage_ns.find(std::string(name_of(Stage::Propose)));
        if (waited != a.evaluation.stage_ns.end()) sum += waited->second;
        return {};
      },
      store::Samples::LeaveOut));
  return sum;
}

Result<> set_cost(PageFields& f, const store::RunStore& store, const RunData& data) {
  std::map<std::string, ModelCost> models;
  KW_TRY(store.for_each_exchange(data.run.id, [&](Exchange& exchange) -> Result<> {
    ModelCost& cost = models[exchange.model];
    const ChatReply& reply = exchange.reply;
    ++cost.spent.calls;
    cost.usage.prompt_tokens += reply.usage.prompt_tokens;
    cost.usage.cached_tokens += reply.usage.cached_tokens;
    cost.usage.completion_tokens += reply.usage.completion_tokens;
    cost.spent.usd += reply.cost_usd.value_or(0);
    if (!reply.cost_usd) ++cost.spent.unpriced;
    cost.waited_ns += static_cast<double>(reply.latency_ns);
    return {};
  }));
  PageList rows, costs;
  for (const auto& [name, cost] : models)
    rows.push_back({{"name", {short_text(name)}},
                    {"replies", {std::to_string(cost.spent.calls)}},
                    {"prompt", {std::to_string(cost.usage.prompt_tokens)}},
                    {"cached", {std::to_string(cost.usage.cached_tokens)}},
                    {"completion", {std::to_string(cost.usage.completion_tokens)}},
                    {"usd", {dollars_text(cost.spent)}},
                    {"waited", {format_ns(cost.waited_ns)}}});
  add_fact(costs, "time", fmt::format("{:.1f} s", data.run.spent_ns * 1e-9));
  if (!data.run.config.models.empty()) {
    const double waited = KW_TRY(waited_ns(store, data.run));
    add_fact(costs, "of it waiting for models", fmt::format("{:.1f} s", waited * 1e-9));
    add_fact(costs, "models", spending_text(data.run.spent, data.run.config.prices));
  } else {
    add_fact(costs, "models", "none took part");
  }
  f["has_models"] = {!rows.empty()};
  f["models"] = {std::move(rows)};
  f["costs"] = {std::move(costs)};
  return {};
}

/// The certificate with counts in place of its samples.
std::string certificate_without_samples(const RunData& data) {
  auto object = parse_json(certificate(data), "certificate");
  if (!object) return {};
  for (Json& w : (*object)["evaluation"]["workloads"]) w["samples"] = w["samples"].size();
  return dump_json_pretty(*object);
}

void set_certificate(PageFields& f, const RunData& data) {
  PageList facts, whole;
  std::string words = "None: only a win that a separate confirmation showed has one.";
  if (data.has_certificate()) {
    const Evaluation& e = *data.confirmation;
    std::size_t timed = 0, pairs = 0;
    for (const WorkloadResult& w : e.workloads) {
      timed += w.group == Group::Time ? 1 : 0;
      pairs += w.samples.size();
    }
    words = short_text(fmt::format("{} is faster than {} on {}.", data.best->candidate.name,
                                   opponent_of(data), data.device.model));
    add_fact(facts, "speedup",
             fmt::format("{:.4f}, {:.4f}–{:.4f} at {:.1f} %", e.speedup.value, e.speedup.low,
                         e.speedup.high, e.speedup.confidence * 100));
    if (e.speedup.noise_floor)
      add_fact(facts, "noise floor", fmt::format("{:.4f}", *e.speedup.noise_floor));
    add_fact(facts, "source", "sha256 " + sha256(data.best_source).hex());
    add_fact(facts, "as proposed", "sha256 " + short_text(data.best->candidate.sha256));
    add_fact(facts, "task", "sha256 " + short_text(data.run.config.task_sha256));
    add_fact(facts, "compiled code", "sha256 " + short_text(e.object_sha256));
    add_fact(facts, "shapes",
             fmt::format("{} timed with {} pairs, {} checked more", timed, pairs,
                         e.workloads.size() - timed));
    add_fact(facts, "jail", fmt::format("{} as uid {}", name_of(e.jail), e.jail_uid));
    if (const std::string_view lacks = jail_lacks(e); !lacks.empty())
      add_fact(facts, "the jail lacks", std::string(lacks));
    add_fact(facts, "trust class", std::string(name_of(e.trust_class)));
    if (e.opponent_class && *e.opponent_class != e.trust_class)
      add_fact(facts, "trust class of the baseline",
               std::string(name_of(*e.opponent_class)) +
                   (e.opponent_trusted_by_user ? ", trusted by the user" : ""));
    add_fact(facts, "device", short_text(e.machine + ", " + e.device));
    add_fact(facts, "worker", short_text(e.worker));
    whole = optional_text(certificate_without_samples(data));
  }
  f["certificate_words"] = {std::move(words)};
  f["certificate_facts"] = {std::move(facts)};
  f["certificate_json"] = {std::move(whole)};
}

std::string limit_words(const RunConfig& c) {
  std::vector<std::string> parts;
  if (c.max_attempts > 0) parts.push_back(fmt::format("{} attempts", c.max_attempts));
  if (c.max_time_ns > 0) parts.push_back(format_ns(static_cast<double>(c.max_time_ns)));
  if (c.patience > 0) parts.push_back(fmt::format("patience {}", c.patience));
  if (c.limits.usd) parts.push_back(fmt::format("${:g}", *c.limits.usd));
  if (c.limits.tokens) parts.push_back(fmt::format("{} tokens", *c.limits.tokens));
  if (c.limits.calls) parts.push_back(fmt::format("{} calls", *c.limits.calls));
  return join(parts, ", ");
}

std::string goal_words(const Goals& goals) {
  std::vector<std::string> parts;
  if (goals.time_ns) parts.push_back(format_ns(*goals.time_ns));
  if (goals.speedup) parts.push_back(fmt::format("{:g}×", *goals.speedup));
  if (goals.roof) parts.push_back(fmt::format("{:g} of the roof", *goals.roof));
  return join(parts, ", ");
}

void set_setting(PageFields& f, const RunData& data) {
  const RunConfig& c = data.run.config;
  PageList list;
  add_fact(list, "strategy", short_text(c.strategy));
  add_fact(list, "tuner", short_text(c.tuner));
  add_fact(list, "seed", std::to_string(c.seed));
  add_fact(list, "baseline", short_text(c.baseline));
  add_fact(list, "goals", goal_words(c.goals));
  add_fact(list, data.orders.empty() ? "limits" : "limits at first", limit_words(c));
  add_fact(list, "models", short_text(join(c.models, ", ")));
  for (const std::string& text : c.constraints) add_fact(list, "constraint", short_text(text));
  for (const std::string& text : c.hints) add_fact(list, "hint", short_text(text));
  for (const std::string& text : data.orders) add_fact(list, "order", short_text(text));
  add_fact(list, "compiler", short_text(data.device.compiler));
  add_fact(list, "every attempt", "kw show " + data.run.name);
  add_fact(list, "one attempt", "kw show " + data.run.name + " --attempt N");
  if (!c.models.empty())
    add_fact(list, "prompt and reply", "kw prompt " + data.run.name + " --attempt N");
  add_fact(list, "everything", "kw export " + data.run.name + " --format jsonl");
  f["setting"] = {std::move(list)};
}

Result<AttemptItems> set_attempts(PageFields& f, const store::RunStore& store, const RunData& data,
                                  const Walked& walked, const PageLimits& limits) {
  auto attempts = KW_TRY(attempt_items(store, data, walked.list, limits));
  std::string caption = fmt::format("{} attempts", walked.digest.attempts);
  if (walked.list.left_out() > 0)
    caption +=
        fmt::format(", {} of them listed: every new best and the latest (all of them: kw show {})",
                    walked.list.listed(), data.run.name);
  caption += ". A line opens where verdict, findings and changes are kept here";
  if (attempts.detailed < walked.list.listed())
    caption += fmt::format(
        "; that holds for {}, the new bests first (any other: kw show {} "
        "--attempt N)",
        attempts.detailed, data.run.name);
  f["attempts_caption"] = {caption + "."};
  f["attempts"] = {std::move(attempts.items)};
  return attempts;
}

void set_frame(PageFields& f, const RunData& data, const Digest& digest, const std::string& css) {
  const std::string style = css + std::string(plot_style());
  const RunSummary& run = data.run;
  f["style"] = {style};
  f["style_hash"] = {"sha256-" + base64(sha256(style).bytes)};
  f["run"] = {run.name};
  f["task"] = {run.config.task};
  f["target"] = {std::string(name_of(run.config.target))};
  f["result"] = {result_words(data)};
  f["result_class"] = {std::string(data.is_win() ? "win" : "open")};
  const Evaluation* e = shown_evaluation(data);
  f["subtitle"] = {short_text(fmt::format("{}{}, started {}, {}", e == nullptr ? "" : e->machine,
                                          e == nullptr ? "" : ", strategy " + run.config.strategy,
                                          run.started_at, name_of(run.state)))};
  f["cards"] = {cards(data, digest)};
  f["footer"] = {
      fmt::format("Written by kw report {}. This file needs nothing else: it holds no "
                  "script and loads nothing.",
                  run.name)};
}

}  // namespace

Result<Page> make_page(const store::RunStore& store, const RunData& data,
                       const std::map<std::string, std::string>& files, PageLimits limits) {
  memory::TemplateKind kind;
  kind.folder = "web";
  kind.extension = ".html";
  kind.escape = escape;
  std::map<std::string, std::string> templates;
  std::string css;
  for (const auto& [name, text] : files) {
    if (name.ends_with(kind.extension))
      templates[name.substr(0, name.size() - kind.extension.size())] = text;
    if (name == "report.css") css = text;
  }
  const auto book = KW_TRY(memory::Templates::parse(std::move(templates), known_variables(), kind));

  const Walked walked = KW_TRY(walk(store, data, limits));
  PageFields fields;
  set_frame(fields, data, walked.digest, css);
  KW_TRY(set_progress(fields, store, data, walked.digest, limits));
  set_shapes(fields, data);
  fields["has_roofline"] = {has_roofline(data)};
  fields["roofline"] = {roofline_svg(data, SvgPlace::Page)};
  fields["roofline_caption"] = {
      std::string("The timed shapes under the roofs that this machine was measured to reach.")};
  set_kernel(fields, data, limits);
  const auto attempts = KW_TRY(set_attempts(fields, store, data, walked, limits));
  KW_TRY(set_cost(fields, store, data));
  set_certificate(fields, data);
  set_setting(fields, data);
  Page page;
  page.html = KW_TRY(book.render("report", fields));
  page.listed = walked.list.listed();
  page.detailed = attempts.detailed;
  return page;
}

}  // namespace kw::report

// Sets the variables of the template web/report.html from a stored run.
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/hash.h"
#include "base/text.h"
#include "memory/template.h"
#include "record/interval.h"
#include "report/page_attempts.h"
#include "report/page_knobs.h"
#include "report/page_parts.h"
#include "report/page_why.h"
#include "report/plot.h"
#include "report/svg.h"

namespace kw::report {
namespace {

constexpr std::size_t kWordsBytes = 400;

/// The names of all variables that the page's templates may use.
const std::vector<std::string>& known_variables() {
  static const std::vector<std::string> names = {
      // Variables of the page's frame.
      "run", "task", "target", "style", "style_hash", "script", "script_hash", "result",
      "result_class", "subtitle", "footer", "cards", "name", "value", "note", "text",
      // Variables of the section on why there is no win.
      "has_why", "reasons", "has_ends", "ends", "count",
      // Variables of the table of shapes.
      "shapes", "has_shapes", "shapes_caption", "opponent", "time", "other_time", "speedup",
      "interval", "bar", "rate", "roof", "bound", "pairs", "checks", "has_checks", "checks_summary",
      "outcome", "gate", "rel_l2", "max_abs",
      // Variables of the section about the best kernel.
      "kernel", "against", "kernel_notes", "size", "is_open", "code_lines", "code", "lines", "mark",
      // Variables of the plots.
      "progress", "narrow_progress", "progress_caption", "has_roofline", "roofline",
      "narrow_roofline", "roofline_caption", "has_advice", "advice", "advice_summary", "has_knobs",
      "has_other_kernels", "knob_plots", "plot", "knob_notes",
      // Variables of the attempts and their findings.
      "attempts", "attempts_caption", "gap", "plain", "detailed", "class", "number", "knobs",
      "words", "at", "at_ns", "figure", "about", "plan", "verdict", "source_title", "diff",
      "source", "findings", "findings_summary", "has_findings", "kind", "place", "frame",
      // Variables of the cost, the certificate and the run's settings.
      "costs", "has_models", "models", "replies", "prompt", "cached", "completion", "usd", "waited",
      "certificate_words", "certificate_facts", "certificate_json", "setting"};
  return names;
}

void add_card(PageList& list, std::string name, std::string value, std::string note) {
  list.push_back(
      {{"name", {std::move(name)}}, {"value", {std::move(value)}}, {"note", {std::move(note)}}});
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
    add_card(list, data.is_win() ? "Speedup" : "Speedup, not confirmed",
             fmt::format("{:.2f}×", e->speedup.value), "over " + short_text(opponent_of(data)));
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

/// What the page needs from all attempts of a run, gathered in one pass over them.
struct Walked {
  Digest digest;
  EndTally ends;
  KnobTally knobs;
  AttemptList list;
};

Result<Walked> walk(const store::RunStore& store, const RunData& data, const PageLimits& limits) {
  Walked walked{{},
                {},
                KnobTally(data.best ? data.best->candidate.name : std::string()),
                AttemptList(limits.lines)};
  KW_TRY(store.attempts().for_each_line(data.run.id, [&](const AttemptLine& line) {
    walked.digest.add(line);
    walked.ends.add(line);
    walked.knobs.add(line);
    walked.list.add(line);
  }));
  return walked;
}

/// A progress plot with a bounded number of dots: every new best, and every k-th other attempt.
class ThinnedPlot {
 public:
  ThinnedPlot(const RunData& data, const Digest& digest, SvgPlace place, std::size_t most)
      : every_(static_cast<std::size_t>(digest.attempts) / std::max<std::size_t>(1, most) + 1),
        plot_(data, digest, [this](std::string_view text) { svg_ += text; }, place) {}
  // Not copyable, because the callback of `plot_` captures `this`.
  ThinnedPlot(const ThinnedPlot&) = delete;
  ThinnedPlot& operator=(const ThinnedPlot&) = delete;

  void add(const AttemptLine& line) {
    if (line.outcome_class == OutcomeClass::NewBest || seen_++ % every_ == 0) plot_.add(line);
  }
  std::string finish() {
    plot_.finish();
    return std::move(svg_);
  }
  std::size_t every() const { return every_; }

 private:
  std::size_t every_;
  std::size_t seen_ = 0;
  std::string svg_;
  ProgressPlot plot_;
};

Result<> set_progress(PageFields& f, const store::RunStore& store, const RunData& data,
                      const Digest& digest, const PageLimits& limits) {
  constexpr std::size_t kNarrowShare = 4;  // of the dots: the narrow drawing has less room
  ThinnedPlot wide(data, digest, SvgPlace::Wide, limits.dots);
  ThinnedPlot narrow(data, digest, SvgPlace::Narrow, limits.dots / kNarrowShare);
  KW_TRY(store.attempts().for_each_line(data.run.id, [&](const AttemptLine& line) {
    wide.add(line);
    narrow.add(line);
  }));
  std::string caption = fmt::format(
      "Speedup over {} as the search saw it: a dot for each attempt, failures on the axis, a line "
      "for the best so far.",
      short_text(data.baseline.empty() ? "the baseline" : data.baseline));
  if (wide.every() > 1)
    caption += fmt::format(" Of {} attempts every new best and one in {} others is drawn.",
                           digest.attempts, wide.every());
  f["progress"] = {wide.finish()};
  f["narrow_progress"] = {narrow.finish()};
  f["progress_caption"] = {std::move(caption)};
  return {};
}

void set_roofline(PageFields& f, const RunData& data) {
  f["has_roofline"] = {has_roofline(data)};
  f["roofline"] = {roofline_svg(data, SvgPlace::Wide)};
  f["narrow_roofline"] = {roofline_svg(data, SvgPlace::Narrow)};
  f["roofline_caption"] = {
      std::string("The timed shapes under the roofs that this machine was measured to reach.")};
}

Result<AttemptItems> set_attempts(PageFields& f, const store::RunStore& store, const RunData& data,
                                  const Walked& walked, const PageLimits& limits) {
  auto attempts = KW_TRY(attempt_items(store, data, walked.list, limits));
  std::string caption =
      fmt::format("{} attempt{}", walked.digest.attempts, walked.digest.attempts == 1 ? "" : "s");
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

/// The page's style sheet and script, and its templates, from the files of web/.
struct PageFiles {
  std::map<std::string, std::string> templates;
  std::string style;
  std::string script;
};

Result<PageFiles> page_files(const std::map<std::string, std::string>& files,
                             const memory::TemplateKind& kind) {
  PageFiles sorted;
  for (const auto& [name, text] : files) {
    if (name.ends_with(kind.extension))
      sorted.templates[name.substr(0, name.size() - kind.extension.size())] = text;
    if (name != "report.css" && name != "report.js") continue;
    // The text is embedded in a <style> or <script> element. Both sequences would end the element
    // or change how the rest of it is parsed.
    for (const std::string_view end : {"</", "<!--"})
      if (const auto at = text.find(end); at != std::string::npos)
        return fail_input(ErrorCode::BadInput, About{name},
                          fmt::format("this file of the report's page must not hold '{}', which "
                                      "would end its script or style",
                                      end),
                          fmt::format("web/{}:{}", name, position_of(text, at).line));
    (name == "report.css" ? sorted.style : sorted.script) = text;
  }
  sorted.style += plot_style();
  return sorted;
}

/// The entry of a Content-Security-Policy that allows exactly this inline text.
std::string hash_source(const std::string& text) { return "sha256-" + base64(sha256(text).bytes); }

void set_frame(PageFields& f, const RunData& data, const Digest& digest, const PageFiles& files) {
  const RunSummary& run = data.run;
  f["style"] = {files.style};
  f["style_hash"] = {hash_source(files.style)};
  f["script"] = {files.script};
  f["script_hash"] = {hash_source(files.script)};
  f["run"] = {run.name};
  f["task"] = {run.config.task};
  f["target"] = {std::string(name_of(run.config.target))};
  f["result"] = {result_words(data)};
  f["result_class"] = {std::string(data.is_win() ? "win" : "open")};
  const Evaluation* e = shown_evaluation(data);
  f["subtitle"] = {short_text(fmt::format(
      "{}strategy {}, started {}, {}", e == nullptr || e->machine.empty() ? "" : e->machine + ", ",
      run.config.strategy, run.started_at, name_of(run.state)))};
  f["cards"] = {cards(data, digest)};
  f["footer"] = {fmt::format(
      "Written by kw report {}. This file needs nothing else and loads nothing: its script sorts, "
      "filters and shows the values of dots.",
      run.name)};
}

}  // namespace

PageList optional_text(std::string text) {
  if (text.empty()) return {};
  return {{{"text", {std::move(text)}}}};
}

std::string short_text(std::string_view text) { return sanitise(text, kWordsBytes); }

std::string times(double speedup) {
  return speedup > 0 ? fmt::format("{:.3f}×", speedup) : std::string("–");
}

void add_fact(PageList& list, std::string name, std::string value) {
  if (!value.empty()) list.push_back({{"name", {std::move(name)}}, {"value", {std::move(value)}}});
}

const Evaluation* shown_evaluation(const RunData& data) {
  if (!data.best) return nullptr;
  return data.confirmation ? &*data.confirmation : &data.best->evaluation;
}

std::string opponent_of(const RunData& data) {
  const Evaluation* e = shown_evaluation(data);
  if (e != nullptr && !e->speedup.baseline.empty()) return e->speedup.baseline;
  return data.baseline.empty() ? "the baseline" : data.baseline;
}

Result<Page> make_page(const store::RunStore& store, const RunData& data,
                       const std::map<std::string, std::string>& files, PageLimits limits) {
  memory::TemplateKind kind;
  kind.folder = "web";
  kind.extension = ".html";
  kind.escape = escape;
  PageFiles sorted = KW_TRY(page_files(files, kind));
  const auto book =
      KW_TRY(memory::Templates::parse(std::move(sorted.templates), known_variables(), kind));

  const Walked walked = KW_TRY(walk(store, data, limits));
  PageFields fields;
  set_frame(fields, data, walked.digest, sorted);
  set_why(fields, data, walked.ends);
  set_shapes(fields, data);
  set_kernel(fields, data, limits);
  KW_TRY(set_progress(fields, store, data, walked.digest, limits));
  set_roofline(fields, data);
  walked.knobs.set_fields(fields);
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

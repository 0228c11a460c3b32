// Tests of the page of a run: well-formed, closed to hostile text, bounded, and saying what it
// leaves out.
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gmock/gmock.h>

#include <set>

#include "base/base64.h"
#include "base/hash.h"
#include "base/text.h"
#include "memory/data_files.h"
#include "platform/disk.h"
#include "platform/files.h"
#include "report/markup_for_test.h"
#include "report/svg.h"

namespace kw::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The words that a test puts wherever a run holds foreign text.
struct Foreign {
  std::string text = "harmless";
  std::string source = "// harmless\nvoid f() {\n  g(1);\n}\n";
};

Attempt attempt(int number, OutcomeClass outcome_class, const Foreign& foreign) {
  Attempt a;
  a.number = number;
  a.parent = number > 1 ? number - 1 : 0;
  a.candidate.name = foreign.text;
  a.candidate.source = foreign.source + "// " + std::to_string(number) + "\n";
  a.candidate.origin = Origin::Model;
  a.candidate.techniques = {foreign.text};
  a.candidate.knobs = {{foreign.text, number}};
  a.why = foreign.text;
  a.words = foreign.text;
  a.plan = foreign.text;
  a.exchanges = {"key"};
  a.outcome_class = outcome_class;
  a.at_ns = number * 1'000'000;
  a.evaluation.device = "cpu-1";
  a.evaluation.machine = foreign.text;
  a.evaluation.stage_ns = {{"compile", 1e6}};
  a.evaluation.findings = {{"diagnostic", 1, foreign.text, foreign.source, foreign.text}};
  if (outcome_class == OutcomeClass::Failed) {
    a.evaluation.verdict = {Stage::Check, Outcome::WrongResult, foreign.text};
    return a;
  }
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  const double value = 1 + number * 0.01;
  a.evaluation.speedup = {value, value * 0.9, value * 1.1, 0.995, foreign.text, 0.002, true};
  a.against_baseline = a.evaluation.speedup;
  WorkloadResult check;
  check.name = foreign.text;
  check.note = foreign.text;
  WorkloadResult timed = check;
  timed.group = Group::Time;
  timed.median_ns = 1000;
  timed.opponent_ns = 2000;
  timed.speedup = a.evaluation.speedup;
  timed.samples.resize(5);
  timed.flops_per_s = 2e9;
  timed.arithmetic_intensity = 0.25;
  timed.roofline = {0.5, Bound::Memory, 1e10, foreign.text, foreign.text};
  a.evaluation.workloads = {check, timed};
  a.evaluation.skipped = {{foreign.text, Group::Time, foreign.text}};
  return a;
}

class PageOfARun : public testing::Test {
 protected:
  /// A run of `count` attempts: new bests where the number is a square, failures at multiples of 3.
  void fill(int count, const Foreign& foreign) {
    data_.run.config.task = foreign.text;
    data_.run.config.models = {foreign.text};
    data_.run.config.hints = {foreign.text};
    data_.run.config.constraints = {foreign.text};
    data_.run.config.baseline = foreign.text;
    data_.run.stopped_by = foreign.text;
    // Names of runs are file names, so the store gets a tame one and the page another.
    RunConfig stored = data_.run.config;
    stored.task = "task";
    data_.run.id = store_.create(stored, "2026-01-02T03:04:05Z").value().id;
    data_.run.name = foreign.text;
    std::set<int> squares;
    for (int i = 1; i * i <= count; ++i) squares.insert(i * i);
    for (int n = 1; n <= count; ++n) {
      const auto outcome = squares.contains(n) ? OutcomeClass::NewBest
                           : n % 3 == 0        ? OutcomeClass::Failed
                                               : OutcomeClass::NoGain;
      const Attempt a = attempt(n, outcome, foreign);
      ASSERT_TRUE(store_.append(data_.run, a));
      if (outcome == OutcomeClass::NewBest) data_.best = a;
    }
    data_.run.attempts = count;
    data_.baseline = foreign.text;
    data_.best_source = foreign.source;
    data_.baseline_source = "// the baseline\n" + foreign.source;
    data_.confirmation = data_.best->evaluation;
    data_.device.id = "cpu-1";
    data_.device.model = foreign.text;
    data_.device.compiler = foreign.text;
    Exchange exchange;
    exchange.key = "key";
    exchange.model = foreign.text;
    exchange.reply.text = foreign.text;
    exchange.reply.usage.prompt_tokens = 1000;
    exchange.reply.cost_usd = 0.25;
    ASSERT_TRUE(store_.keep_exchange(data_.run.id, exchange));
  }

  static std::map<std::string, std::string> files() {
    return memory::DataFiles::open(std::nullopt).value().under("web");
  }

  Page page(PageLimits limits = {}) {
    auto made = make_page(store_, data_, files(), limits);
    EXPECT_TRUE(made.has_value()) << describe(made.error());
    return made ? std::move(*made) : Page();
  }

  static Markup read(const Page& page) { return MarkupReader(page.html).read(); }

  /// The section of that id, without its end; empty where the page has none.
  std::string section(const std::string& id) {
    const std::string html = page().html;
    const auto from = html.find("<section id=\"" + id + "\">");
    return from == std::string::npos ? "" : html.substr(from, html.find("</section>", from) - from);
  }
  /// The text of a section, without tags.
  std::string text_of(const std::string& id) {
    return MarkupReader("<!doctype html>" + section(id) + "</section>").read().text;
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-page").value());
  platform::MemoryDisk disk_;
  store::RunStore store_ = store::RunStore::open(dir_.path(), disk_).value();
  RunData data_;
};

TEST_F(PageOfARun, IsWellFormedAndShowsEveryPart) {
  fill(5, {});
  const Markup markup = read(page());
  ASSERT_THAT(markup.trouble, IsEmpty());
  for (const char* words :
       {"Confirmed: 1.040× the speed of harmless (0.936–1.144 at 99.5 %)", "Progress",
        "In the model's words", "Changes against attempt 4: 1 line added, 1 removed", "+ // 5",
        "- // 4",
        "wrong result at "
        "check",
        "1 further shapes were checked", "tokens in", "0.2500",
        "harmless is faster than "
        "harmless on harmless",
        "&quot;samples&quot;: 5", "kw show harmless --attempt N"})
    EXPECT_THAT(markup.text, HasSubstr(words));
}

TEST_F(PageOfARun, StartsWithTheResultAndEndsWithWhatFewLookFor) {
  fill(5, {});
  const std::string html = page().html;
  std::size_t before = html.find("<p class=\"result win\">");
  ASSERT_NE(before, std::string::npos);
  for (const char* id : {"shapes", "kernel", "progress", "roofline", "knobs", "attempts",
                         "findings", "cost", "certificate", "setting"}) {
    const std::size_t at = html.find("<section id=\"" + std::string(id) + "\">");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, before) << id;
    before = at;
  }
  EXPECT_THAT(html, Not(HasSubstr("id=\"why\""))) << "of a win";
}

TEST_F(PageOfARun, FindingsAreFoldedAndTheRooflineIsDrawn) {
  fill(5, {});
  Finding finding;
  finding.text = "rows are read twice";
  data_.best->evaluation.findings = {finding};
  data_.confirmation->findings = {finding};
  EXPECT_THAT(section("findings"),
              AllOf(HasSubstr("<details><summary>1 finding about"), HasSubstr(finding.text)));
  EXPECT_THAT(section("roofline"), AllOf(HasSubstr("<svg"), HasSubstr("<figcaption>")));
}

TEST_F(PageOfARun, AMachineWithoutCeilingsHasNoEmptyRoofline) {
  fill(5, {});
  data_.confirmation->workloads.clear();
  EXPECT_THAT(section("roofline"), AllOf(HasSubstr("Nothing is known"), Not(HasSubstr("<svg"))));
}

TEST_F(PageOfARun, AShapeThatWasNotTimedHasNoSpeedup) {
  fill(4, {});
  WorkloadResult untimed = data_.confirmation->workloads.back();
  untimed.name = "never timed";
  untimed.median_ns = 0;
  untimed.opponent_ns = 0;
  untimed.samples.clear();
  untimed.speedup = {1, 0, 0, 0, "", {}, false};
  data_.confirmation->workloads.push_back(untimed);
  const std::string text = text_of("shapes");
  EXPECT_THAT(text,
              AllOf(HasSubstr("never timed"), HasSubstr("not timed"), Not(HasSubstr("1.000×"))));
}

TEST_F(PageOfARun, TheKernelStandsBesideItsChangesAgainstTheBaseline) {
  fill(4, {});
  data_.best_source = "// winner\nvoid f() {\n  g(2);\n}\n";
  data_.baseline_source = "// plain\nvoid f() {\n  g(1);\n}\n";
  EXPECT_THAT(text_of("kernel"),
              AllOf(HasSubstr("attempt 4, harmless, 4 lines"),
                    HasSubstr("Changes against the baseline harmless: 2 lines added, 2 removed"),
                    HasSubstr("- // plain\n+ // winner\n  void f() {\n-   g(1);\n+   g(2);\n")));
  EXPECT_THAT(section("kernel"), HasSubstr("<span class=\"tt\">void</span> f() {"));
  data_.baseline_source = data_.best_source;
  EXPECT_THAT(text_of("kernel"), HasSubstr("against the baseline harmless: no line differs."));
}

TEST_F(PageOfARun, WithoutTheBaselinesSourceThePageSaysWhy) {
  fill(4, {});
  data_.baseline_source.clear();
  data_.no_baseline_source = "the task has changed since this run";
  EXPECT_THAT(text_of("kernel"),
              AllOf(HasSubstr("The source of harmless is not shown beside it: the task has changed "
                              "since this run."),
                    Not(HasSubstr("Changes against"))));
}

TEST_F(PageOfARun, EveryVariedKnobHasAPlot) {
  fill(4, {});
  for (int n = 5; n <= 12; ++n) {
    Attempt a = attempt(n, n == 12 ? OutcomeClass::Failed : OutcomeClass::NoGain, {});
    a.candidate.knobs = {{"BY", 16 << (n % 3)}, {"LANES", 8}, {"harmless", n}};
    ASSERT_TRUE(store_.append(data_.run, a));
  }
  const std::string text = text_of("knobs"), html = section("knobs");
  EXPECT_THAT(html, AllOf(HasSubstr("aria-label=\"speedup by BY\""),
                          HasSubstr("aria-label=\"speedup by harmless\""),
                          Not(HasSubstr("aria-label=\"speedup by LANES\""))));
  EXPECT_THAT(text, AllOf(HasSubstr("BY: best at 64 (1.110×), at 16 no more than 1.090×"),
                          HasSubstr("Tried at one value alone: LANES = 8."),
                          HasSubstr("attempt 9, 16: 1.090×"),
                          HasSubstr("16: best 1.090×, attempt 9 (1 of 3 failed)"),
                          HasSubstr("12: 1 of 1 attempts failed")));
}

TEST_F(PageOfARun, KnobsOfOtherKernelsAreToldApart) {
  fill(4, {});
  for (int n = 5; n <= 8; ++n) {
    Attempt a = attempt(n, OutcomeClass::NoGain, {});
    if (n > 6) a.candidate.name = "another";
    a.candidate.knobs = {{"harmless", n}};
    ASSERT_TRUE(store_.append(data_.run, a));
  }
  EXPECT_THAT(text_of("knobs"),
              AllOf(HasSubstr("with another kernel"), HasSubstr("harmless: best at 6 (1.060×)")))
      << "by the best kernel's attempts alone";
}

TEST_F(PageOfARun, WithoutAWinThePageBeginsWithWhy) {
  fill(6, {});
  data_.confirmation->speedup.is_faster = false;
  const std::string html = page().html;
  EXPECT_LT(html.find("<section id=\"why\">"), html.find("<dl class=\"cards\">"));
  const std::string text = text_of("why");
  EXPECT_THAT(text, AllOf(HasSubstr("The confirmation of attempt 4 measured 1.040× the speed of "
                                    "harmless (0.936–1.144 at 99.5 %): the interval holds 1"),
                          HasSubstr("wrong result at check"), HasSubstr("attempt 3")));
  data_.confirmation->verdict = {Stage::Check, Outcome::WrongResult, "9 elements are wrong"};
  EXPECT_THAT(text_of("why"), HasSubstr("The confirmation of attempt 4 ended with: wrong result at "
                                        "check: 9 elements are wrong."));
  data_.confirmation.reset();
  data_.run.state = RunState::Stopped;
  EXPECT_THAT(text_of("why"),
              AllOf(HasSubstr("broke off in the middle: harmless."),
                    HasSubstr("kw resume harmless"), HasSubstr("was not put to a confirmation")));
  data_.run.state = RunState::Finished;
  data_.best->against_baseline.value = 0.9;
  EXPECT_THAT(text_of("why"), HasSubstr("No correct attempt was faster than harmless: the best, "
                                        "attempt 4, ran at 0.900× its speed"));
}

TEST_F(PageOfARun, AReplyWithoutAKernelHasAName) {
  fill(5, {});
  Attempt a = attempt(6, OutcomeClass::Failed, {});
  a.candidate.name.clear();
  ASSERT_TRUE(store_.append(data_.run, a));
  EXPECT_THAT(read(page()).text, HasSubstr("(no kernel)"));
}

TEST_F(PageOfARun, TheBaselineIsTheRunsAndNotWhatTheBestWasTimedAgainst) {
  fill(5, {});
  data_.confirmation.reset();
  data_.best->evaluation.speedup.baseline = "an incumbent";
  data_.run.config.baseline = "the run's baseline";
  const Markup markup = read(page());
  EXPECT_THAT(markup.text,
              AllOf(HasSubstr("× the speed of an incumbent"), HasSubstr("the run&#39;s baseline")));
}

TEST_F(PageOfARun, OrdersStandBesideTheFirstLimits) {
  fill(5, {});
  data_.run.config.max_attempts = 5;
  EXPECT_THAT(read(page()).text, Not(HasSubstr("limits at first")));
  data_.orders = {"1 of anna: raise the budget to 50 attempts; in force from attempt 3 on"};
  EXPECT_THAT(read(page()).text, AllOf(HasSubstr("limits at first"), HasSubstr(data_.orders[0])));
}

TEST_F(PageOfARun, ARecalledVerdictTookNoTimeAndTheWaitForAModelIsNoJudging) {
  fill(1, {});
  Attempt written = attempt(2, OutcomeClass::NoGain, {});
  written.evaluation.stage_ns = {{"propose", 7e9}, {"check", 3e9}};
  ASSERT_TRUE(store_.append(data_.run, written));
  written.number = 3;
  written.recalled = 2;
  ASSERT_TRUE(store_.append(data_.run, written));
  const std::string text = read(page()).text;
  const auto told = text.find("3.00 s to judge");
  EXPECT_NE(told, std::string::npos);
  EXPECT_EQ(text.find("3.00 s to judge", told + 1), std::string::npos) << "of attempt 3";
}

TEST_F(PageOfARun, TheWaitForModelsHoldsTriesThatFailedAndUnknownPricesAreSaidToBe) {
  fill(1, {});
  data_.run.config.models = {"openai:m"};
  data_.run.spent = {0, 300, 3, 3};
  Exchange exchange;
  exchange.key = "without a price";
  exchange.model = "openai:m";
  exchange.reply.latency_ns = 1'000'000'000;
  ASSERT_TRUE(store_.keep_exchange(data_.run.id, exchange));
  Attempt written = attempt(2, OutcomeClass::NoGain, {});
  written.exchanges = {"without a price"};
  written.evaluation.stage_ns = {{"propose", 7e9}};
  ASSERT_TRUE(store_.append(data_.run, written));
  const std::string text = read(page()).text;
  EXPECT_THAT(text, AllOf(HasSubstr("of it waiting for models"), HasSubstr("7.0 s")));
  EXPECT_THAT(text, HasSubstr("tokens, cost unknown"));
}

TEST_F(PageOfARun, LoadsNothingAndRunsOnlyItsOwnScript) {
  fill(5, {});
  const Page made = page();
  const std::set<std::string> allowed{
      "html",   "head",  "meta",  "title",      "style", "body",    "header",  "main",
      "footer", "nav",   "a",     "h1",         "h2",    "h3",      "p",       "dl",
      "dt",     "dd",    "div",   "ul",         "li",    "section", "figure",  "figcaption",
      "table",  "thead", "tbody", "tr",         "th",    "td",      "details", "summary",
      "pre",    "span",  "svg",   "blockquote", "path",  "circle",  "text",    "script"};
  const std::set<std::string> attributes{
      "lang",       "charset",     "name",         "content",   "http-equiv",
      "class",      "id",          "href",         "xmlns",     "viewBox",
      "role",       "d",           "cx",           "cy",        "r",
      "x",          "y",           "text-anchor",  "transform", "open",
      "aria-label", "data-number", "data-speedup", "data-time", "data-label",
      "data-sort"};
  std::set<std::string> ids;
  for (const Element& e : read(made).elements) {
    EXPECT_TRUE(allowed.contains(e.name)) << e.name;
    for (const auto& [name, value] : e.attributes) {
      EXPECT_TRUE(attributes.contains(name)) << e.name << " " << name;
      if (name == "href") {
        EXPECT_TRUE(value.starts_with("#")) << value;
      }
      if (name == "id") {
        EXPECT_TRUE(ids.insert(value).second) << value << " twice";
      }
    }
  }
  EXPECT_THAT(made.html, AllOf(Not(HasSubstr("url(")), Not(HasSubstr("@import"))));
  const Markup markup = read(made);
  const auto hash = [](const std::string& text) {
    return "'sha256-" + base64(sha256(text).bytes) + "'";
  };
  EXPECT_THAT(made.html, HasSubstr("content=\"default-src 'none'; style-src " + hash(markup.style) +
                                   "; script-src " + hash(markup.script) +
                                   "; base-uri 'none'; form-action 'none'; "
                                   "require-trusted-types-for 'script'\""));
  EXPECT_EQ(markup.script, files().at("report.js")) << "nothing of the run stands in it";
  EXPECT_EQ(std::ranges::count(markup.elements, "script", &Element::name), 1);
  for (const char* sink : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                           "eval(", "Function(", "setTimeout", "fetch(", "import("})
    EXPECT_THAT(markup.script, Not(HasSubstr(sink)));
  EXPECT_THAT(made.html, HasSubstr("prefers-color-scheme: dark"));
}

/// Words that try to leave every context of the page that foreign text comes into.
Foreign hostile_words() {
  Foreign hostile;
  hostile.text =
      "\"'><script>alert(1)</script><img src=x onerror=alert(2)></title></style></pre>"
      "<!-- ]]> --> {{run}} {{{style}}} &lt; \x01\xff \xE2\x80\xAE";
  hostile.source =
      "// </code></pre><iframe src=\"http://evil\"></iframe>\n" + hostile.text + "\n" +
      "#define X \"</span></pre><script>alert(3)</script>\" /* <b> */ '<i>' R\"(</pre>)\"\n" +
      "</span><svg onload=alert(4)> /* never closed <!--\n";
  return hostile;
}

/// Wherever a run holds text that others wrote, hostile text must leave the form of the page as it
/// is: the same elements with the same attributes.
TEST_F(PageOfARun, HostileTextStaysText) {
  fill(5, hostile_words());
  for (const bool has_baseline_source : {true, false}) {
    if (!has_baseline_source) {
      data_.baseline_source.clear();
      data_.no_baseline_source = hostile_words().text;
      data_.confirmation->speedup.is_faster = false;
    }
    const Page shown = page();
    const Markup markup = read(shown);
    ASSERT_THAT(markup.trouble, IsEmpty());
    EXPECT_EQ(markup.script, files().at("report.js"));
    EXPECT_THAT(shown.html, Not(HasSubstr("\xE2\x80\xAE"))) << "order marks are spelled out";
    EXPECT_THAT(markup.text, HasSubstr("{{run}} {{{style}}} &amp;lt; \\x01\\xff \\u202E"));
    EXPECT_THAT(markup.style, Not(HasSubstr("alert")));
    EXPECT_EQ(std::ranges::count(markup.elements, "script", &Element::name), 1);
    for (const Element& e : markup.elements)
      for (const auto& [name, value] : e.attributes)
        if (name == "data-number" || name == "data-speedup" || name == "data-time") {
          EXPECT_EQ(value.find_first_not_of("0123456789.e+-"), std::string::npos) << value;
        }

    const RunData kept = std::move(data_);
    data_ = {};
    fill(5, {"tame", "// tame\ntame\ntame\ntame\n"});
    if (!has_baseline_source) {
      data_.baseline_source.clear();
      data_.no_baseline_source = "tame";
      data_.confirmation->speedup.is_faster = false;
    }
    EXPECT_EQ(read(page()).skeleton(), markup.skeleton());
    data_ = kept;
  }
}

/// Each line of a diff is an element of its own, and a comment or literal that one version leaves
/// open does not reach the lines of the other.
TEST_F(PageOfARun, HostileDiffsStayLines) {
  fill(4, {});
  data_.best_source = "int a;\n/* open <script>\nint b;\n</pre>\n";
  data_.baseline_source = "int a;\n\"<svg onload=alert(1)>\nint b; // </span>\n";
  const std::string shown = section("kernel");
  EXPECT_THAT(text_of("kernel"), HasSubstr("- &quot;&lt;svg onload=alert(1)&gt;\n"
                                           "- int b; // &lt;/span&gt;\n"
                                           "+ /* open &lt;script&gt;\n"
                                           "+ int b;\n"
                                           "+ &lt;/pre&gt;\n"));
  EXPECT_THAT(shown,
              AllOf(HasSubstr("<span class=\"add\">+ <span class=\"tc\">int b;</span>\n</span>"),
                    HasSubstr("<span class=\"del\">- <span class=\"tt\">int</span> b; ")));
}

TEST_F(PageOfARun, AScriptOrStyleThatWouldEndItsElementIsNamed) {
  fill(1, {});
  for (const auto& [file, text] : {std::pair{"report.js", "let a;\nlet b = '</script>';\n"},
                                   std::pair{"report.css", "p {}\n<!-- a { }\n"}}) {
    auto changed = files();
    changed[file] = text;
    const auto made = make_page(store_, data_, changed);
    ASSERT_FALSE(made.has_value());
    EXPECT_THAT(describe(made.error()), HasSubstr(std::string("web/") + file + ":2"));
  }
}

TEST_F(PageOfARun, OfALongRunIsBounded) {
  Foreign foreign;
  for (int i = 0; i < 120; ++i)
    foreign.source += "  a[" + std::to_string(i) + "] = b[" + std::to_string(i) + "] < c && d;\n";
  fill(100, foreign);
  PageLimits limits;
  limits.lines = 40;
  limits.dots = 20;
  limits.detail_bytes = 56'000;
  const Page made = page(limits);
  const Markup markup = read(made);
  ASSERT_THAT(markup.trouble, IsEmpty());
  EXPECT_EQ(made.listed, 40);
  EXPECT_GT(made.detailed, 10) << "every new best";
  EXPECT_LT(made.detailed, 40);
  EXPECT_LT(made.html.size(), 150'000u);
  EXPECT_THAT(markup.text,
              AllOf(HasSubstr("100 attempts, 40 of them listed: every new best and the latest "
                              "(all of them: kw show harmless)"),
                    HasSubstr("2 not listed: kw show harmless"),
                    HasSubstr("(any other: kw show harmless --attempt N)"),
                    HasSubstr("Of 100 attempts every new best and one in 6 others is drawn")));
}

TEST_F(PageOfARun, WithNothingCorrectSaysSo) {
  data_.run = store_.create(data_.run.config, "2026-01-02T03:04:05Z").value();
  ASSERT_TRUE(store_.append(data_.run, attempt(1, OutcomeClass::Failed, {})));
  const Markup markup = read(page());
  ASSERT_THAT(markup.trouble, IsEmpty());
  EXPECT_THAT(markup.text, AllOf(HasSubstr("No attempt was correct."),
                                 HasSubstr("The only attempt of the run was not correct."),
                                 HasSubstr("None: only a win that a separate confirmation showed "
                                           "has one."),
                                 HasSubstr("Nothing was timed.")));
}

TEST_F(PageOfARun, AWrongTemplateIsNamed) {
  fill(1, {});
  auto changed = files();
  changed["report.html"] += "{{sourec}}";
  const auto made = make_page(store_, data_, changed);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(describe(made.error()), AllOf(HasSubstr("web/report.html:"), HasSubstr("sourec")));
}

TEST(Escape, MakesTextOfEverything) {
  EXPECT_EQ(escape("a<b>&\"'\n\t\x01\x7f\xff"), "a&lt;b&gt;&amp;&quot;&#39;\n\t\\x01\\x7f\\xff");
  EXPECT_EQ(escape("x\xE2\x80\xAEy\xE2\x81\xA6z\xE2\x80\x9Cq"), "x\\u202Ey\\u2066z\xE2\x80\x9Cq");
}

}  // namespace
}  // namespace kw::report

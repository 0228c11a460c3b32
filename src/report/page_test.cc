// Tests of the page of a run: that its HTML is well-formed and of bounded size, shows every
// section, and says what was left out.
// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "report/page_for_test.h"

namespace kw::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
        "1 further shape was checked", "tokens in", "0.2500",
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
  EXPECT_THAT(text_of("kernel"), AllOf(HasSubstr("The source of harmless is not shown beside it: "
                                                 "the task has changed since this run."),
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
  ASSERT_TRUE(store_.exchanges().keep(data_.run.id, exchange));
  Attempt written = attempt(2, OutcomeClass::NoGain, {});
  written.exchanges = {"without a price"};
  written.evaluation.stage_ns = {{"propose", 7e9}};
  ASSERT_TRUE(store_.append(data_.run, written));
  const std::string text = read(page()).text;
  EXPECT_THAT(text, AllOf(HasSubstr("time waiting for models"), HasSubstr("7.0 s")));
  EXPECT_THAT(text, HasSubstr("tokens, cost unknown"));
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
  EXPECT_LT(made.html.size(), 151'000u);
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
  EXPECT_THAT(made, IsErrorAbout(ErrorCode::NotFound, testing::StartsWith("sourec")));
  EXPECT_THAT(made, IsErrorAt(testing::StartsWith("web/report.html:")));
}

}  // namespace
}  // namespace kw::report

// Tests of tables, plots and run folders, some against stored output in which placeholders stand
// for numbers.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "record/codec.h"
#include "report/comparison.h"
#include "report/plot.h"
#include "report/run_folder.h"
#include "report/run_for_test.h"
#include "report/svg.h"
#include "store/store_for_test.h"

namespace kw::report {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string progress_svg(const RunData& data, const std::vector<Attempt>& list) {
  Digest digest;
  for (const Attempt& a : list) digest.add(line_of(a));
  std::string svg;
  ProgressPlot plot(data, digest, [&](std::string_view text) { svg += text; });
  for (const Attempt& a : list) plot.add(line_of(a));
  plot.finish();
  return svg;
}

/// True if every element is closed in order; understands only the XML that the program writes.
bool is_balanced(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

/// The text with # in place of each number, to compare everything except measurements.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = (c >= '0' && c <= '9') || (c == '.' && !out.empty() && out.back() == '#');
    if (!is_digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

TEST(ResultsCsv, HasOneLinePerAttemptAndWorkload) {
  std::string csv = csv_header();
  for (const Attempt& a : attempts()) csv += csv_lines(a);
  const auto lines = split_lines(csv);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(std::string(lines[0]), StartsWith("attempt,name,knobs,stage,outcome,class,workload"));
  EXPECT_EQ(lines[2],
            "2,tiled,B=64 S=2,measure,correct,new_best,\"large, \"\"padded\"\"\",1000.0,2000.0,"
            "2.00000,1.80000,2.20000,2.00000,1e+09,8e+09,2e+09,0.25,0.5000,0.000e+00,0.000e+00,7,"
            "2000");
  const auto columns = split(lines[0], ',').size();
  EXPECT_EQ(split(lines[3], ',').size(), columns) << "a failure has every column too";
  EXPECT_THAT(std::string(lines[3]), StartsWith("3,tiled,B=64 S=2,check,wrong_result,failed,"));
  EXPECT_THAT(std::string(lines[3]), testing::EndsWith(",0,3000"));
}

// The code as it was given has threads and types that the reference has not.
TEST(SummaryTable, ComparesTheCodeAsItWasGivenWhereItIsABaseline) {
  RunData data = run_data();
  data.code = "mine.c";
  data.baselines = {{"yours", 5e6, ""}, {"reference", 9e6, ""}};
  EXPECT_THAT(summary_table(data, digest()), StartsWith("your code (mine.c): 5.00 ms "));
  data.baselines[0].mean_ns = 0;
  EXPECT_THAT(summary_table(data, digest()), StartsWith("your code (mine.c): 9.00 ms "))
      << "as the reference where it cannot be used";
}

TEST(SummaryTable, TellsBaselinesIdeasAndTheWinner) {
  const std::string golden =
      "baseline omp                      #.# us\n"
      "baseline reference              not usable: failed at check\n"
      "idea     tiled                  # ns  #x in search  B=# S=#\n"
      "CONFIRMED attempt # tiled B=# S=#: #x omp (#–# at # %)\n";
  const std::string table = without_numbers(summary_table(run_data(), digest()));
  for (const std::string_view line : split_lines(golden)) {
    const std::string words(line.substr(0, line.find("  ")));
    EXPECT_THAT(table, HasSubstr(words));
  }
  Digest empty;
  Attempt none = tiled_attempt(1, OutcomeClass::Failed, 0);
  none.candidate.name.clear();
  empty.add(line_of(none));
  EXPECT_THAT(summary_table(run_data(), empty), HasSubstr("idea     (no kernel) "));
  EXPECT_THAT(table, HasSubstr("# attempts in # us; stopped by: # attempts\n"));
}

TEST(SummaryTable, OfAThousandKernelsTellsTheFastest) {
  Digest many;
  for (int i = 1; i <= 1000; ++i) {
    Attempt a = tiled_attempt(i, OutcomeClass::NoGain, 1 + (i * 7 % 1000) * 1e-3);
    a.candidate.name = "model_" + std::to_string(i);
    many.add(line_of(a));
  }
  // A kernel that was dropped for being slow must reappear with a faster attempt.
  Attempt again = tiled_attempt(1001, OutcomeClass::NewBest, 5);
  again.candidate.name = "model_1";
  many.add(line_of(again));
  const auto ideas = many.ideas();
  ASSERT_EQ(ideas.size(), kMostIdeas);
  EXPECT_EQ(ideas[0].number, 1001);
  for (std::size_t i = 1; i < ideas.size(); ++i)
    EXPECT_DOUBLE_EQ(ideas[i].speedup, 2 - 1e-3 * static_cast<double>(i));
  EXPECT_THAT(summary_table(run_data(), many),
              HasSubstr("none of the others was faster; all attempts: kw show saxpy-1\n"));
  EXPECT_THAT(summary_table(run_data(), digest()), Not(HasSubstr("the others")));
}

TEST(SummaryTable, NeverCallsAnUnconfirmedBestAWin) {
  RunData data = run_data();
  data.confirmation->speedup.is_faster = false;
  EXPECT_FALSE(data.is_win());
  EXPECT_THAT(summary_table(data, digest()),
              AllOf(HasSubstr("not confirmed attempt 4"), Not(HasSubstr("CONFIRMED"))));
  data.confirmation->verdict = {Stage::Measure, Outcome::Unmeasurable, "the clock was set back"};
  data.confirmation->speedup = {};
  for (WorkloadResult& w : data.confirmation->workloads) w.samples.clear();
  data.confirmation->skipped = {{"cube", Group::Time, "needs 85 GiB"}};
  const std::string untimed = summary_table(data, digest());
  EXPECT_THAT(untimed,
              HasSubstr(": never timed against omp; unmeasurable: the clock was set back\n"));
  EXPECT_THAT(untimed, HasSubstr("  cube                 not timed: needs 85 GiB\n"));
  EXPECT_THAT(untimed, Not(HasSubstr("0 pairs"))) << "rows of nothing";
  data.confirmation.reset();
  EXPECT_FALSE(data.is_win());
  data.best.reset();
  EXPECT_THAT(summary_table(data, digest()), HasSubstr("no attempt was correct"));
}

TEST(Certificate, HoldsWhatWasMeasuredAndOfWhat) {
  const json object = json::parse(certificate(run_data()));
  EXPECT_EQ(object["what"], "tiled is faster than omp on A <Processor> & more");
  EXPECT_EQ(object["candidate"]["source_sha256"], sha256("#define B 64\n").hex());
  EXPECT_EQ(object["candidate"]["knobs"]["B"], 64);
  EXPECT_THAT(object["candidate"]["flags"], testing::Contains("-O3"));
  EXPECT_EQ(object["evaluation"]["workloads"][0]["samples"].size(), 7u);
  EXPECT_TRUE(object["evaluation"].contains("jail"));
}

TEST(Certificate, TellsTheGateAndEveryShape) {
  const json terms = json::parse(certificate(run_data()))["terms"];
  EXPECT_EQ(terms["gate"]["kind"], "dot");
  EXPECT_EQ(terms["gate"]["c"], 6);
  EXPECT_EQ(terms["gate"]["rms_factor"], 3);
  EXPECT_EQ(terms["deterministic"], true);
  const json shape = terms["workloads"].at(0);
  EXPECT_EQ(shape["name"], "large, \"padded\"");
  EXPECT_EQ(shape["dims"]["n"], 1009);
  EXPECT_EQ(shape["scalars"][0]["real"], 1.5);
  EXPECT_EQ(shape["dot_length"], 7);
  RunData of_an_older_build = run_data();
  of_an_older_build.terms.reset();
  EXPECT_FALSE(json::parse(certificate(of_an_older_build)).contains("terms"));
}

TEST(Plots, AreWellFormedAndEscapeNames) {
  for (const std::string& svg : {progress_svg(run_data(), attempts()), roofline_svg(run_data()),
                                 line_svg({"t < u", "x & y", "z"}, {{"\"s\"", {1, 2}, {3, 4}}})}) {
    EXPECT_TRUE(is_balanced(svg)) << svg;
    EXPECT_THAT(svg, AllOf(StartsWith("<svg "), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  }
  EXPECT_THAT(roofline_svg(run_data()), HasSubstr("A &lt;Processor&gt; &amp; more"));
}

TEST(Plots, ARoofIsNamedAlongItsLine) {
  EXPECT_TRUE(has_roofline(run_data()));
  EXPECT_THAT(roofline_svg(run_data()), testing::ContainsRegex(R"x(rotate\(-[0-9.]+\)">DRAM )x"));
  EXPECT_FALSE(has_roofline({}));
}

TEST(Plots, HoldWithNothingToShow) {
  for (const std::string& svg :
       {progress_svg({}, {}), roofline_svg({}), line_svg({}, {}), line_svg({}, {{"s", {}, {}}})}) {
    EXPECT_TRUE(is_balanced(svg));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

TEST(Plots, LeaveOutWhatCannotBeShown) {
  const PlotText text{"t", "x", "y", true, true};
  const std::string svg = line_svg(text, {{"s", {1, 0, 10, NAN, 100}, {1, 5, -2, 4, 100}}});
  EXPECT_THAT(svg, AllOf(HasSubstr("s: 1, 1"), HasSubstr("s: 100, 100"), Not(HasSubstr("s: 0,")),
                         Not(HasSubstr("s: 10,")), Not(HasSubstr("nan"))));
}

TEST(Plots, ShowEveryAttemptAndTheStepsOfTheBest) {
  const std::string svg = progress_svg(run_data(), attempts());
  for (const char* tip : {"1 tiled:", "2 tiled:", "3 tiled:", "4 tiled:"})
    EXPECT_THAT(svg, HasSubstr(tip));
  const std::size_t best = svg.find("<path class=\"c2\"");
  ASSERT_NE(best, std::string::npos);
  const std::string line = svg.substr(best, svg.find('>', best) - best);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'L'), 5) << "two steps and the end: " << line;
}

TEST(Plots, NothingRunsThroughTheLegend) {
  // If no attempt gains, the line of the best speedup runs along the top of the plot.
  const std::string svg = progress_svg(run_data(), {tiled_attempt(1, OutcomeClass::NoGain, 0.2)});
  const auto number_behind = [&](std::string_view lead, std::size_t from) {
    return std::stod(svg.substr(svg.find(lead, from) + lead.size(), 12));
  };
  const double legend = number_behind("cy=\"", svg.find("class=\"c2 f\""));
  const double best = number_behind(" ", svg.find("d=\"M", svg.find("<path class=\"c2\"")) + 4);
  EXPECT_GT(best, legend + 12);
}

TEST(Digest, FollowsTheBest) {
  const Digest d = digest();
  EXPECT_THAT(d.best_so_far(), ElementsAre(1, 2, 2, 3));
  EXPECT_EQ(d.attempts, 4);
  EXPECT_EQ(d.failed, 1);
  EXPECT_EQ(d.slowest, 1);
  EXPECT_EQ(d.fastest, 3);
  EXPECT_THAT(Digest().best_so_far(), ElementsAre());
}

TEST(Digest, KeepsTheBestOfEachIdeaFastestFirst) {
  Digest d = digest();
  AttemptLine other = line_of(tiled_attempt(5, OutcomeClass::NoGain, 2.5));
  other.name = "blocked";
  d.add(other);
  AttemptLine failed = line_of(tiled_attempt(6, OutcomeClass::Failed, 0));
  failed.name = "broken";
  d.add(failed);
  std::vector<int> numbers;
  for (const AttemptLine& line : d.ideas()) numbers.push_back(line.number);
  EXPECT_THAT(numbers, ElementsAre(4, 5, 6));
}

TEST(Axis, TicksAreRoundAndInside) {
  const Axis linear{0, 7, false, 0, 100};
  EXPECT_THAT(linear.ticks(), ElementsAre(0, 2, 4, 6));
  const Axis log{0.5, 2000, true, 0, 100};
  EXPECT_THAT(log.ticks(), ElementsAre(1, 10, 100, 1000));
  const Axis narrow{0.77, 1.35, true, 0, 100};
  EXPECT_THAT(narrow.ticks(), testing::SizeIs(testing::Ge(3u))) << "less than a decade";
  EXPECT_THAT(narrow.ticks(), testing::Each(testing::AllOf(testing::Ge(0.77), testing::Le(1.35))));
  EXPECT_DOUBLE_EQ(linear.at(3.5), 50);
  EXPECT_DOUBLE_EQ(Axis({1, 100, true, 0, 100}).at(10), 50);
}

TEST(Axis, FitsWhatCanBeShown) {
  const Axis axis = fit({NAN, INFINITY, -1, 10, 1000}, true, 0, 1);
  EXPECT_LT(axis.lo, 10);
  EXPECT_GT(axis.lo, 1);
  EXPECT_GT(axis.hi, 1000);
  const Axis flat = fit({5, 5}, false, 0, 1);
  EXPECT_LT(flat.lo, flat.hi);
}

TEST(SummaryTable, AnUnconfirmedResultNamesWhatItWasTimedAgainst) {
  RunData data = run_data();
  data.confirmation.reset();
  data.best->evaluation.speedup.baseline = "attempt 2";
  EXPECT_THAT(summary_table(data, digest()), HasSubstr("3.000x attempt 2 ("));
}

TEST(Comparison, DividesIntervalsAndAddsTheirRisks) {
  const Speedup first{2, 1.9, 2.1, 0.995, "omp", 0.002, true};
  const Speedup second{3, 2.8, 3.2, 0.995, "omp", 0.002, true};
  const auto ratio = ratio_of(second, first);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 1.5);
  EXPECT_DOUBLE_EQ(ratio->low, 2.8 / 2.1);
  EXPECT_DOUBLE_EQ(ratio->high, 3.2 / 1.9);
  EXPECT_NEAR(ratio->confidence, 0.99, 1e-12);
  Speedup other = second;
  other.baseline = "reference";
  EXPECT_FALSE(ratio_of(other, first)) << "over another baseline";
  EXPECT_FALSE(ratio_of(second, Speedup())) << "not measured";
}

TEST(Comparison, GoesShapeByShapeWhereBothWereTimed) {
  Evaluation first = *run_data().confirmation;
  Evaluation second = first;
  second.workloads.front().median_ns /= 2;
  second.workloads.front().speedup = {6, 5.5, 6.5, 0.995, "omp", 0.002, true};
  WorkloadResult alone = first.workloads.front();
  alone.name = "only here";
  first.workloads.push_back(alone);
  const auto shapes = compare_shapes(second, first);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].name, "large, \"padded\"");
  EXPECT_DOUBLE_EQ(shapes[0].ratio->value, 2);
}

/// A store with one run of four attempts.
class StoredRun : public store::OpenStore {
 protected:
  void SetUp() override {
    data_.run = store_.create(data_.run.config, "2026-01-02T03:04:05Z").value();
    for (const Attempt& a : attempts()) ASSERT_TRUE(store_.append(data_.run, a));
  }
  Result<std::string> file(const platform::Path& name) {
    return platform::read_file(store_.folder_of(data_.run) / name);
  }

  RunData data_ = run_data();
};

TEST_F(StoredRun, FolderHoldsACertificateForWinsOnly) {
  ASSERT_TRUE(write_run_folder(store_, data_, digest()));
  EXPECT_TRUE(file("best/certificate.json"));
  EXPECT_EQ(file("best/saxpy.cpp").value(), "#define B 64\n");
  EXPECT_EQ(split_lines(file("results.csv").value()).size(), 5u);
  EXPECT_TRUE(is_balanced(file("progress.svg").value()));
  EXPECT_TRUE(is_balanced(file("roofline.svg").value()));
  data_.run.config.carrier = "synthetic";
  ASSERT_TRUE(write_run_folder(store_, data_, digest()));
  EXPECT_FALSE(file("best/certificate.json"));
  data_.run.config.carrier = "pipe";
  data_.confirmation->speedup.is_faster = false;
  ASSERT_TRUE(write_run_folder(store_, data_, digest()));
  EXPECT_FALSE(file("best/certificate.json")) << "an earlier certificate does not stay";
  EXPECT_TRUE(file("best/saxpy.cpp"));
}

TEST_F(StoredRun, FolderAlwaysHoldsTheFastestCorrectThingAndSaysWhich) {
  data_.baselines[0].source = "// omp\n";
  const auto kept = [&] {
    EXPECT_TRUE(write_run_folder(store_, data_, digest()));
    return file("best/saxpy.cpp").value() + file("best/about.txt").value();
  };
  EXPECT_EQ(kept(),
            "#define B 64\nsaxpy.cpp: attempt 4 tiled B=64 S=2: 3.000x the speed of omp, win "
            "confirmed\n");

  data_.confirmation->speedup = {1.02, 0.99, 1.05, 0.995, "omp", 0.01, false};
  EXPECT_EQ(kept(),
            "#define B 64\nsaxpy.cpp: attempt 4 tiled B=64 S=2: 1.020x the speed of omp, win not "
            "confirmed\n");

  const std::string omp =
      "// omp\nsaxpy.cpp: baseline omp: no correct kernel of the run was measured to be faster\n";
  data_.confirmation->speedup.value = 0.97;
  EXPECT_EQ(kept(), omp);
  data_.confirmation->verdict.outcome = Outcome::WrongResult;
  data_.confirmation->speedup = {};
  EXPECT_EQ(kept(), omp) << "it was correct in search, and is not";
  data_.confirmation->verdict.outcome = Outcome::Unmeasurable;
  EXPECT_THAT(kept(),
              HasSubstr("attempt 4 tiled B=64 S=2: 3.000x the speed of omp, win not confirmed"))
      << "what the search saw stands";
  data_.confirmation.reset();
  EXPECT_THAT(kept(), HasSubstr("3.000x the speed of omp, win not confirmed"))
      << "interrupted before";

  data_.best.reset();
  EXPECT_EQ(kept(), "// omp\nsaxpy.cpp: baseline omp: no kernel of the run was correct\n");
  data_.baselines.front().mean_ns = 0;
  ASSERT_TRUE(write_run_folder(store_, data_, digest()));
  EXPECT_FALSE(file("best/saxpy.cpp")) << "there is nothing";
}

// A person may choose a slow baseline as the opponent. A kernel that is faster than this opponent,
// but slower than the fastest baseline, must not be kept as the best.
TEST_F(StoredRun, WhatIsAheadOfASlowOpponentAloneIsNotTheFastest) {
  data_.baselines = {{"omp", 100, "", "// omp\n"}, {"reference", 2000, ""}};
  data_.baseline = "reference";
  data_.confirmation.reset();
  ASSERT_GT(data_.best->evaluation.mean_time_ns(), 100);
  EXPECT_TRUE(kept_of(data_)->is_baseline);
  data_.baselines[0].mean_ns = 1e6;
  EXPECT_FALSE(kept_of(data_)->is_baseline);
}

TEST_F(StoredRun, SavesAttemptsByNumberAndName) {
  const platform::Path kept = dir_.path() / "kept";
  ASSERT_TRUE(save_attempts(kept, store_, data_.run.id));
  EXPECT_THAT(platform::list_dir(kept).value(),
              ElementsAre("001_tiled.cpp", "002_tiled.cpp", "003_tiled.cpp", "004_tiled.cpp"));
  EXPECT_EQ(platform::read_file(kept / "003_tiled.cpp").value(), "// source\n");
}

}  // namespace
}  // namespace kw::report

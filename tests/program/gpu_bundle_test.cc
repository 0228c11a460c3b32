// Tests of a GPU run that is judged elsewhere, on the stand-in for a GPU: bundles go out and
// results come back until the winner is confirmed, with the ceilings that were measured there.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bundle_files.h"
#include "stand_in.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class GpuBundle : public StandIn {
 protected:
  static constexpr int kTries = 5;

  void SetUp() override {
    StandIn::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    write_kernels(0);
  }

  /// Writes kernels whose sources differ for each try, because results that came back are kept for
  /// ever.
  void write_kernels(int attempt) const {
    const std::string mark = "// " + std::to_string(attempt) + "\n";
    w_.write("twice/baselines/naive.cu", sleeper(40) + mark);
    w_.write("twice/candidates/001_quick.cu", sleeper(8) + mark);
  }

  Ran optimize(const Words& more = {}) const {
    Words words{"optimize", "twice",  "--target",   "cuda", "--arch",     "sm_90a", "--carrier",
                "bundle",   "--json", "--attempts", "1",    "--baseline", "naive"};
    words.insert(words.end(), more.begin(), more.end());
    return kw(words);
  }

  /// Facts about the stand-in, with ceilings that a worker would measure in minutes.
  nlohmann::json facts() const {
    know_ceilings();
    auto facts = kw({"device", "--target", "cuda", "--json"}).json();
    facts.erase("notes");
    return facts;
  }

  /// Judges the waiting bundle into `file`. The file already holds ceilings, as if a worker had
  /// been killed after measuring them and is started again.
  Ran judge(const std::string& file, const nlohmann::json& facts) const {
    w_.write(file, results_file({{"bundle", hash_of(w_.read(bundle_))},
                                 {"facts", facts},
                                 {"answers", nlohmann::json::array()}}));
    return worker({"--bundle", bundle_, "--out", file});
  }

  std::string bundle_ = "runs/twice.sm_90a.bundle";
};

struct Tour {
  Ran ran;  ///< How the run ended.
  std::string run;
  int rounds = 0;  ///< Number of bundles that went out and came back.
};

TEST_F(GpuBundle, GoesOutAndComesBackUntilTheWinnerIsConfirmed) {
  const auto here = facts();
  ASSERT_FALSE(here["ceilings"].empty());
  const auto travel = [&](Tour tour) {
    tour.ran = optimize();
    for (; tour.ran.code == 3 && !is_too_busy(tour.ran.err) && tour.rounds < 8; ++tour.rounds) {
      EXPECT_THAT(tour.ran.err, HasSubstr("kw-worker --bundle")) << tour.ran.out;
      const Ran judged = judge("results", here);
      EXPECT_EQ(judged.code, 0) << judged.err;
      EXPECT_EQ(judged.err.find("measuring the ceilings"), std::string::npos);
      const auto results = body_of(w_.read("results"));
      EXPECT_EQ(results["facts"]["id"], here["id"]);
      EXPECT_EQ(results["facts"]["ceilings"], here["ceilings"]);
      EXPECT_EQ(results["answers"].size(), 1u) << judged.err;
      const bool has_run = kw({"show", tour.run}).code == 0;
      tour.ran = has_run ? kw({"resume", tour.run, "--results", "results", "--json"})
                         : optimize({"--results", "results"});
    }
    return tour;
  };
  Tour tour;
  for (int i = 1;
       i <= kTries && (i == 1 || tour.ran.code == 3 || tour.ran.json()["best"].is_null()); ++i) {
    write_kernels(i);
    const auto runs = kw({"runs", "--json"}).json()["runs"];
    tour = travel({{}, "twice-" + std::to_string(runs.size() + 1), 0});
  }
  EXPECT_GE(tour.rounds, 3) << "the baseline, the attempt, the confirmation";
  ASSERT_THAT(tour.ran.code, AnyOf(0, 1)) << tour.ran.err;
  const auto best = tour.ran.json()["best"];
  ASSERT_TRUE(best.is_object()) << tour.ran.out << kw({"explain", tour.run, "1"}).out;
  EXPECT_EQ(best["name"], "001_quick");
  EXPECT_EQ(best["confirmed"], tour.ran.code == 0);
  if (tour.ran.code != 0) {  // on a busy machine time stamps and events disagree
    EXPECT_EQ(best["verdict"]["outcome"], "unmeasurable") << tour.ran.out;
  }
  const auto attempt = kw({"explain", tour.run, "1", "--json"}).json()["evaluation"];
  EXPECT_EQ(attempt["machine"], "Emulated GPU");
  EXPECT_GT(attempt["roofline_fraction"], 0) << "of the ceilings that came with the results";

  // After the first results, times of another GPU are refused.
  auto of_other = body_of(w_.read("results"));
  of_other["facts"]["id"] = "gpu-00000000000000000000000000000000";
  of_other["facts"]["model"] = "Other GPU";
  w_.write("of_other", results_file(of_other));
  const Ran refused = kw({"resume", tour.run, "--results", "of_other"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("another device (Other GPU, sm_90a, gpu-000000000000)"),
                                 HasSubstr("than earlier results (Emulated GPU, sm_90a, ")));
}

TEST_F(GpuBundle, TwoArchitecturesOfOneWorkspaceHaveTimesOfTheirOwn) {
  const auto here = facts();
  const auto asks_for_baseline = [&] {
    const auto evaluations = body_of(w_.read(bundle_))["evaluations"];
    return std::any_of(evaluations.begin(), evaluations.end(),
                       [](const auto& e) { return e["request"]["id"] == "baseline-naive"; });
  };
  EXPECT_EQ(optimize().code, 3);
  EXPECT_TRUE(asks_for_baseline());
  ASSERT_EQ(judge("results", here).code, 0);
  const Ran taken = optimize({"--results", "results"});
  EXPECT_THAT(taken.err, AllOf(HasSubstr("judged on Emulated GPU, sm_90a"),
                               HasSubstr("its ceilings: copy in DRAM 1.00 GB/s")));
  ASSERT_EQ(taken.code, 3) << taken.err;
  EXPECT_FALSE(asks_for_baseline()) << "its time came with the results";

  // For another architecture the baseline is timed again, by a device that can run its code.
  Words other{"optimize",  "twice",  "--target",   "cuda", "--arch",     "sm_90",
              "--carrier", "bundle", "--attempts", "1",    "--baseline", "naive"};
  const std::string first = w_.read(bundle_);
  EXPECT_EQ(kw(other).code, 3);
  EXPECT_EQ(w_.read(bundle_), first) << "that of the other arch still waits";
  bundle_ = "runs/twice.sm_90.bundle";
  EXPECT_TRUE(asks_for_baseline());
  Words mixed = other;
  mixed.insert(mixed.end(), {"--results", "results"});
  EXPECT_THAT(kw(mixed).err,
              HasSubstr("results for a run for cuda sm_90a, and this run is for cuda sm_90"));
  auto old = here;
  old["gpu"][0]["arch"] = "sm_75";
  old["model"] = "Tesla T4";
  w_.write("of_old", results_file({{"bundle", hash_of(w_.read(bundle_))},
                                   {"facts", old},
                                   {"answers", nlohmann::json::array()}}));
  other.insert(other.end(), {"--results", "of_old"});
  const Ran refused = kw(other);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("from a Tesla T4, sm_75, which cannot run code for sm_90, for "
                                     "which this run's code is compiled"));
  ASSERT_EQ(judge("of_new", here).code, 0);
  other.back() = "of_new";
  EXPECT_THAT(kw(other).err,
              HasSubstr("launch plans of this run keep to the limits that every sm_90"));
}

}  // namespace
}  // namespace kw::program

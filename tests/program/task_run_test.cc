// Tests of a search on a real task, judged by a worker, and of every command that shows the
// finished run.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include "base/text.h"
#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Writes two kernels of the easy task: one right, with a knob, and one wrong.
void write_kernels(const Workspace& w) {
  w.write("twice/candidates/001_plain.cpp",
          "// kw: tune STEP = 1, 4\n"
          "void twice(int n, const float* x, float* y) {\n"
          "  for (int i = 0; i < n; i += STEP)\n"
          "    for (int j = i; j < i + STEP && j < n; ++j) y[j] = 2 * x[j];\n"
          "}\n");
  w.write("twice/candidates/002_wrong.cpp",
          "void twice(int n, const float* x, float* y) {\n"
          "  for (int i = 1; i < n; ++i) y[i] = 2 * x[i];\n"
          "}\n");
}

void expect_folder(const Workspace& w, const json& best) {
  const std::string folder = "runs/twice-1/";
  for (const char* file :
       {"best/twice.cpp", "progress.svg", "roofline.svg", "results.csv", "decisions.log"})
    EXPECT_NE(w.read(folder + file), "") << file;
  EXPECT_THAT(w.read(folder + "roofline.svg"), StartsWith("<svg"));
  EXPECT_THAT(w.read(folder + "results.csv"), HasSubstr("large"));
  const auto certificate = json::parse(w.read(folder + "best/certificate.json"), nullptr, false);
  ASSERT_TRUE(certificate.is_object());
  EXPECT_THAT(certificate.dump(), HasSubstr(best["source_sha256"].get<std::string>()));
  const json& terms = certificate["terms"];
  EXPECT_EQ(terms["gate"]["kind"], "relative");
  EXPECT_EQ(terms["gate"]["c"], 400);
  std::map<std::string, json> shapes;
  for (const json& shape : terms["workloads"]) shapes[shape["name"]] = shape;
  for (const json& seen : certificate["evaluation"]["workloads"]) {
    EXPECT_NE(seen["seed"], 0);
    const json shape = shapes[seen["name"]];
    EXPECT_EQ(shape["group"], seen["group"]);
    EXPECT_FALSE(shape["dims"].empty());
    EXPECT_FALSE(shape["tensors"][0]["values"]["kind"].empty());
  }
}

void expect_views(const Workspace& w) {
  const json run = w.kw({"runs", "--json"}).json()["runs"][0];
  EXPECT_EQ(run["name"], "twice-1");
  EXPECT_EQ(run["is_confirmed"], true);
  const json shown = w.kw({"show", "twice-1", "--json"}).json();
  EXPECT_EQ(shown["attempts"].size(), run["attempts"]);
  EXPECT_EQ(shown["confirmation"]["verdict"]["outcome"], "correct");
  EXPECT_THAT(w.kw({"show", "twice-1"}).out, HasSubstr("CONFIRMED"));
  const json attempt = w.kw({"show", "twice-1", "--attempt", "1", "--json"}).json();
  EXPECT_FALSE(attempt["evaluation"]["workloads"].empty());
  EXPECT_THAT(attempt["source"].get<std::string>(), HasSubstr("void twice"));
  const auto steps = split_lines(w.kw({"export", "twice-1"}).out);
  EXPECT_EQ(steps.size(), run["attempts"].get<std::size_t>());
  EXPECT_EQ(w.kw({"replay", "twice-1", "--json"}).json()["is_identical"], true);
  EXPECT_EQ(w.kw({"compare", "twice-1", "twice-1"}).code, 2) << "a run and itself";
}

/// Expects the keys on which other programs rely in the JSON of `judge` and `optimize`.
void expect_keys_of_a_judgement(const json& judged) {
  const auto expect_keys = [](const json& object, const std::vector<const char*>& keys) {
    for (const char* key : keys) EXPECT_TRUE(object.contains(key)) << key << ": " << object;
  };
  expect_keys(judged, {"verdict", "findings", "speedup", "roofline_fraction", "device", "jail",
                       "trust_class", "workloads"});
  expect_keys(judged["verdict"], {"stage", "outcome", "evidence"});
  expect_keys(judged["speedup"], {"value", "low", "high", "confidence", "baseline"});
  EXPECT_FALSE(judged["workloads"].empty());
  for (const json& workload : judged["workloads"])
    expect_keys(workload, {"name", "group", "outcome", "median_ns", "baseline_ns", "samples",
                           "items_per_s", "flops_per_s", "bytes_per_s", "arithmetic_intensity",
                           "bound", "checksum_diff", "max_abs_diff", "rel_l2"});
}

TEST(TaskRun, EndsWithACertificateAndCanBeLookedBackAt) {
  const Workspace w(Whose::Suite);
  write_easy_task(w, "twice");
  write_kernels(w);
  const Ran ran = w.kw({"optimize", "twice", "--attempts", "3", "--baseline", "reference", "--json",
                        "--save-attempts", "all"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const json done = ran.json();
  EXPECT_EQ(done["run"], "twice-1");
  EXPECT_EQ(done["attempts"], 3);
  EXPECT_THAT(done["stopped_by"].get<std::string>(), HasSubstr("attempts"));
  EXPECT_GT(done["spent"]["time_ns"], 0);
  EXPECT_EQ(done["spent"]["attempts"], 3);
  const json best = done["best"];
  EXPECT_EQ(best["confirmed"], true);
  const json certificate = json::parse(w.read("runs/twice-1/best/certificate.json"));
  EXPECT_THAT(certificate["device"]["compiler"].get<std::string>(), HasSubstr("."));
  expect_keys_of_a_judgement(best);
  EXPECT_EQ(best["verdict"]["outcome"], "correct");
  EXPECT_TRUE(std::filesystem::is_regular_file(w.path() / best["path"].get<std::string>()));
  EXPECT_GT(best["speedup"]["low"], 1.0);
  EXPECT_EQ(best["speedup"]["baseline"], "reference");
  const auto kept = platform::list_dir(w.path() / "all");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), 3u);
  expect_folder(w, best);
  expect_views(w);
  // Judging the search's best kernel again agrees with the search.
  const Ran again = w.kw(
      {"judge", "runs/twice-1/best/twice.cpp", "--task", "twice", "--until", "check", "--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  expect_keys_of_a_judgement(again.json());
}

TEST(TaskRun, ASweepWritesATableAndAPlot) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  const Ran ran = w.kw({"sweep", "twice", "--dim", "n=131072..524288", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const json swept = ran.json();
  EXPECT_EQ(swept["dim"], "n");
  EXPECT_THAT(swept["kernel_from"], StartsWith("a baseline: no --kernel is given"));
  ASSERT_EQ(swept["points"].size(), 3u);
  const std::string table = w.read(swept["csv"].get<std::string>());
  const auto rows = split_lines(table);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_THAT(std::string(rows[0]), StartsWith("n,outcome,median_ns,"));
  for (std::size_t i = 0; i < 3; ++i) {
    const json& point = swept["points"][i];
    EXPECT_EQ(point["value"], 131072 << i);
    EXPECT_EQ(point["outcome"], "correct");
    EXPECT_GT(point["median_ns"], 0);
    EXPECT_THAT(std::string(rows[i + 1]), StartsWith(std::to_string(131072 << i) + ",correct,"));
  }
  const std::string plot = w.read(swept["svg"].get<std::string>());
  EXPECT_THAT(plot, AllOf(StartsWith("<svg"), HasSubstr("twice over n")));
}

}  // namespace
}  // namespace kw::program

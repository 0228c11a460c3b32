// Tests of published .cu files that are judged without a plan in their text: compiled by NVRTC,
// checked on the stand-in for a GPU, and compared with each other and with a host launcher.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "stand_in.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path kRepository = KW_SOURCE_DIR;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The rest of the line that begins with `word`; empty if there is no such line.
std::string after(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(word)) return line.substr(word.size());
  return {};
}

/// Names of the published sources for which a plan is expected.
std::vector<std::string> accepted() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRepository / "tests/published"))
    if (entry.path().extension() == ".expect" && after(read_text(entry.path()), "missing ").empty())
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// The shapes cut down to five checked workloads and one small timed workload, since the stand-in
/// is slow.
std::string small_shapes(const std::string& shapes) {
  std::string out;
  std::string first;
  int checks = 0;
  bool is_check = false;
  std::istringstream lines(shapes);
  for (std::string line; std::getline(lines, line) && !line.starts_with("time:");) {
    if (!line.starts_with(" ")) is_check = line.starts_with("check:");
    if (line.find("for: [") != std::string::npos) continue;
    if (line.starts_with("  - {") && is_check && ++checks > 5) continue;
    if (first.empty() && line.starts_with("  - {")) first = line;
    out += line + "\n";
  }
  return out + "time:\n" + std::regex_replace(first, std::regex("name: "), "name: timed_") + "\n";
}

class Published : public StandIn, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    StandIn::SetUp();
    if (IsSkipped()) return;
    name_ = GetParam();
    task_ = after(read_text(kRepository / "tests/published" / (name_ + ".expect")), "task ");
    w_.write(name_ + ".cu", read_text(kRepository / "tests/published" / (name_ + ".cu")));
    fs::create_directories(w_.path() / "tasks");
    for (std::string task = task_; !task.empty();) {
      const fs::path from = kRepository / "tasks" / task;
      fs::copy(from, w_.path() / "tasks" / task, fs::copy_options::recursive);
      if (fs::exists(from / "shapes.yaml"))
        w_.write("tasks/" + task + "/shapes.yaml", small_shapes(read_text(from / "shapes.yaml")));
      const std::string yaml = read_text(from / "task.yaml");
      const std::string like = after(yaml, "like: ");
      task = like.empty() ? after(yaml, "truth_of: ") : like;
    }
  }
  std::string name_;
  std::string task_;
};

TEST_P(Published, IsCorrectOnTheStandIn) {
  const Ran ran = kw({"judge", name_ + ".cu", "--task", task_, "--until", "check", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.json()["verdict"]["outcome"], "correct");
  EXPECT_EQ(ran.json()["trust_class"], "device_code");
  EXPECT_THAT(ran.json()["drafted"]["command"].get<std::string>(), HasSubstr("kw plan draft"));
}

TEST_P(Published, CompilesByNvrtc) {
  const Ran ran = w_.kw({"judge", name_ + ".cu", "--task", (kRepository / "tasks" / task_).string(),
                         "--until", "compile", "--arch", "sm_90a", "--json"});
  if (lacks_jail(ran) || ran.code == 3) GTEST_SKIP() << "skipped: no NVRTC or no jail: " << ran.err;
  EXPECT_EQ(ran.json()["verdict"]["outcome"], "correct") << ran.out;
}

INSTANTIATE_TEST_SUITE_P(Sources, Published, testing::ValuesIn(accepted()),
                         [](const auto& info) { return info.param; });

class Against : public StandIn {
 protected:
  void SetUp() override {
    StandIn::SetUp();
    if (!IsSkipped()) know_ceilings();
  }
};

constexpr const char* kHostForm =
    "// kw: dialect host\n"
    "__global__ void k(int n, const float* x, float* y) {\n"
    "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
    "  if (i < n) y[i] = FACTOR * x[i];\n"
    "}\n"
    "extern \"C\" int twice(int n, const float* x, float* y, cudaStream_t stream) {\n"
    "  k<<<(n + 255) / 256, 256, 0, stream>>>(n, x, y);\n"
    "  return cudaGetLastError() != cudaSuccess;\n"
    "}\n";

TEST_F(Against, AHostLauncherIsNoCandidateAndTheWordsNameTheDraft) {
  w_.write("host.cu", std::string("#define FACTOR 2\n") + kHostForm);
  const Ran ran = kw({"judge", "host.cu", "--task", "twice", "--until", "check"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rejected at screen"));
  EXPECT_THAT(ran.out, HasSubstr("kw plan draft"));
}

TEST_F(Against, AnOpponentThatIsWrongWinsNothing) {
  std::string wrong = sleeper(0);
  wrong.replace(wrong.find("2 * x"), 5, "3 * x");
  w_.write("wrong.cu", wrong);
  const Ran ran = kw({"judge", "right.cu", "--against", "wrong.cu", "--task", "twice", "--json"});
  ASSERT_EQ(ran.code, 1) << ran.err;
  EXPECT_TRUE(ran.json()["winner"].is_null());
  EXPECT_THAT(ran.json()["why_not"].get<std::string>(), HasSubstr("B, wrong.cu, is not correct"));
}

}  // namespace
}  // namespace kw::program

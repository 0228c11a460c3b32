// Tests that lessons of a run enter later prompts: a worked example of tiling a wave equation, from
// a broken source injection to a contiguous winner, and a second run that knows all lessons from
// the start.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "kw.h"
#include "model_server.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string shipped(const std::string& file) {
  const auto text = platform::read_file(platform::Path(KW_SOURCE_DIR) / "tasks/fctd3d" / file);
  EXPECT_TRUE(text) << file;
  return text ? *text : std::string();
}

/// Writes fctd3d under another name, so that no playbook knows it, with workloads of milliseconds.
/// The first check has one step and many sources, so a wrong injection is distinguished from a
/// wrong update. Planes are a power of two apart, so that strides cost much, and the reference is
/// slowed down, so that a few pairs of calls show a winner.
void write_wave(const Workspace& w) {
  std::string yaml = shipped("task.yaml");
  yaml.replace(yaml.find("name: fctd3d"), 12, "name: wave3d");
  w.write("wave3d/task.yaml", yaml);
  w.write("wave3d/shapes.yaml",
          "show: [ { name: small, nx: 16, ny: 18, nz: 20, nt: 4, nsrc: 3 } ]\n"
          "check:\n"
          "  - { name: many_sources, nx: 33, ny: 31, nz: 65, nt: 1, nsrc: 120 }\n"
          "  - { name: some_steps, nx: 17, ny: 20, nz: 37, nt: 3, nsrc: 5 }\n"
          "time: [ { name: cube, nx: 96, ny: 56, nz: 120, nt: 4, nsrc: 4 } ]\n");
  w.write("wave3d/spec.md", shipped("spec.md"));
  std::string reference = shipped("reference.cpp");
  const std::string row = "    const Real* p = now + z;\n";
  reference.replace(reference.find(row), row.size(),
                    row + "    volatile Real held = p[0];\n    held = held + held;\n");
  w.write("wave3d/reference.cpp", reference);
}

/// Source of two helper functions: the update of one point, and the injection of one source; both
/// are correct.
const std::string kParts = R"(#include <math.h>
#include <stddef.h>
static inline float updated(const float* p, float before, float m, ptrdiff_t sx, ptrdiff_t sy,
                            float ax, float ay, float az) {
  const float c0 = -2.5f, c1 = 4.0f / 3.0f, c2 = -1.0f / 12.0f;
  const float dx = c0 * p[0] + c1 * (p[sx] + p[-sx]) + c2 * (p[2 * sx] + p[-2 * sx]);
  const float dy = c0 * p[0] + c1 * (p[sy] + p[-sy]) + c2 * (p[2 * sy] + p[-2 * sy]);
  const float dz = c0 * p[0] + c1 * (p[1] + p[-1]) + c2 * (p[2] + p[-2]);
  return 2 * p[0] - before + (ax * dx + ay * dy + az * dz) / m;
}
static void inject(float* next, const float* m, float value, float gx, float gy, float gz, int nx,
                   int ny, int nz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8);
  const float fx = floorf(gx), fy = floorf(gy), fz = floorf(gz);
  const int bx = (int)fx, by = (int)fy, bz = (int)fz;
  const ptrdiff_t base = (bx + 4) * sx + (by + 4) * sy + bz + 4;
  for (int corner = 0; corner < 8; ++corner) {
    const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
    const int x = bx + rx, y = by + ry, z = bz + rz;
    if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
    const float wx = rx ? gx - fx : 1 - (gx - fx);
    const float wy = ry ? gy - fy : 1 - (gy - fy);
    const float wz = rz ? gz - fz : 1 - (gz - fz);
    next[base + rx * sx + ry * sy + rz] += 1e-2f * wx * wy * wz * value / m[base];
  }
}
static int clamped(float g, int n) {
  const int b = (int)floorf(g);
  return b < 0 ? 0 : b >= n ? n - 1 : b;
}
)";

/// A reply with a kernel that does `step` in each time step.
std::string wave_kernel(const std::string& plan, const std::string& technique,
                        const std::string& step) {
  return plan + "\n\n```cpp\n// kw: technique " + technique + "\n" + kParts + R"(
void wave3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const float ax = dt * dt / (hx * hx), ay = dt * dt / (hy * hy), az = dt * dt / (hz * hz);
  for (int t = 0; t < nt; ++t) {
    const float* now = u + (t % 3) * level;
    const float* before = u + ((t + 2) % 3) * level;
    float* next = u + ((t + 1) % 3) * level;
)" + step +
         "  }\n}\n```\n";
}

const std::string kEachSource = R"(
    for (int p = 0; p < nsrc; ++p) {
      const float gx = (src_coords[3 * p] - ox) / hx;
      const float gy = (src_coords[3 * p + 1] - oy) / hy;
      const float gz = (src_coords[3 * p + 2] - oz) / hz;
)";
const std::string kInject =
    "      inject(next, m, src[(ptrdiff_t)t * nsrc + p], gx, gy, gz, nx, ny, nz);\n    }\n";

/// Source of loops over tiles in x and y, with x innermost.
const std::string kTiles = R"(
    for (int x0 = 0; x0 < nx; x0 += 8)
      for (int y0 = 0; y0 < ny; y0 += 8) {
        const int x1 = x0 + 8 < nx ? x0 + 8 : nx, y1 = y0 + 8 < ny ? y0 + 8 : ny;
        for (int z = 0; z < nz; ++z)
          for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) {
              const ptrdiff_t at = (x + 4) * sx + (y + 4) * sy + z + 4;
              next[at] = updated(now + at, before[at], m[at], sx, sy, ax, ay, az);
            }
)";

/// Source that injects each source with the tile of its cell, so that later tiles overwrite some of
/// its corners.
const std::string kTiledInjection =
    kTiles + kEachSource +
    "      const int bx = clamped(gx, nx), by = clamped(gy, ny);\n"
    "      if (bx < x0 || bx >= x1 || by < y0 || by >= y1) continue;\n" +
    kInject + "    }\n";
const std::string kTiledStep = kTiles + "    }\n" + kEachSource + kInject;
const std::string kContiguousStep = R"(
#pragma omp parallel for schedule(static)
    for (int x = 0; x < nx; ++x)
      for (int y = 0; y < ny; ++y) {
        const ptrdiff_t row = (x + 4) * sx + (y + 4) * sy + 4;
#pragma omp simd
        for (int z = 0; z < nz; ++z)
          next[row + z] =
              updated(now + row + z, before[row + z], m[row + z], sx, sy, ax, ay, az);
      }
)" + kEachSource + kInject;

class LessonsOfAWave : public testing::Test {
 protected:
  void SetUp() override { write_wave(w_); }
  Ran optimize(int attempts) const {
    return w_.kw({"optimize", "wave3d", "--model", "openai:test-model", "--base-url",
                  server_.base_url(), "--baseline", "reference", "--attempts",
                  std::to_string(attempts), "--json"});
  }
  json lessons(const std::string& kind) const {
    json found = json::array();
    const json all = w_.kw({"memory", "--json"}).json();
    for (const json& lesson : all["lessons"])
      if (lesson["kind"] == kind) found.push_back(lesson);
    return found;
  }
  json attempt(int number) const {
    return w_.kw({"show", "wave3d-1", "--attempt", std::to_string(number), "--json"}).json();
  }

  Workspace w_{Whose::Suite};
  ModelServer server_;
};

TEST_F(LessonsOfAWave, ReachTheNextPromptAndTheNextRun) {
  server_.reply(wave_kernel("Tile x and y. More follows.", "tiling", kTiledInjection));
  server_.reply(wave_kernel("Inject after all tiles.", "tiling", kTiledStep));
  server_.reply(
      wave_kernel("Keep z innermost and contiguous.", "vectorization, threads", kContiguousStep));
  const Ran first = optimize(3);
  if (lacks_jail(first)) GTEST_SKIP() << first.err;
  ASSERT_EQ(first.code, 0) << first.err;

  // Tiling makes the injected sources wrong, so the next prompt gains an instruction.
  EXPECT_EQ(attempt(1)["outcome"], "wrong_result");
  EXPECT_THAT(server_.prompt(0), Not(HasSubstr("What kernels for this task have missed")));
  EXPECT_THAT(server_.prompt(1),
              AllOf(HasSubstr("What kernels for this task have missed"),
                    HasSubstr("Keep point updates (source injection, scatter)"),
                    HasSubstr("A kernel with tiling missed that"),
                    HasSubstr("The specification says"), HasSubstr("after the update")));
  // The second attempt is correct but slower, since its tiles broke contiguous access along z.
  EXPECT_EQ(attempt(2)["outcome"], "correct");
  EXPECT_EQ(attempt(2)["class"], "no_gain") << attempt(2)["words"];
  EXPECT_THAT(server_.prompt(2),
              AllOf(HasSubstr("What was learnt here"), HasSubstr("Correct but slower with tiling"),
                    HasSubstr("contiguous access along z is lost")));
  // The third attempt keeps z contiguous and becomes the best.
  EXPECT_EQ(attempt(3)["class"], "new_best") << attempt(3)["words"];
  for (std::size_t call = 0; call < server_.calls(); ++call)
    EXPECT_THAT(server_.prompt(call), Not(HasSubstr("many_sources"))) << "hidden workloads";

  // The memory has all lessons, with the attempts that taught them.
  const json instruction = lessons("instruction").at(0);
  EXPECT_EQ(instruction["seen_in"][0]["run"], "wave3d-1");
  EXPECT_EQ(instruction["seen_in"][0]["attempt"], 1);
  EXPECT_EQ(lessons("insight").at(0)["seen_in"][0]["attempt"], 2);
  const json win = lessons("win").at(0);
  EXPECT_GT(win["gain"]["low"], 1);
  EXPECT_EQ(win["seen_in"][0]["attempt"], 3);
  EXPECT_EQ(lessons("caution").at(0)["is_told"], false) << "seen once";
  EXPECT_THAT(w_.kw({"memory"}).out, AllOf(HasSubstr("wave3d-1 attempt 1"), HasSubstr("along z")));
  EXPECT_THAT(w_.kw({"memory", "show", win["id"].dump()}).out, HasSubstr("#pragma omp simd"));
  EXPECT_THAT(w_.kw({"memory", "diff", "wave3d-1"}).out,
              AllOf(HasSubstr("+ [example] For this very task"), HasSubstr("+ [instruction] Keep"),
                    HasSubstr("+ [insight] Correct but slower with tiling")));

  // A person can list the lessons of one target only.
  for (const auto& [word, key] :
       {std::pair("list", "lessons"), std::pair("experience", "experience")}) {
    const auto of = [&, word = word, key = key](const Words& target) {
      Words words{"memory", word, "--json"};
      words.insert(words.end(), target.begin(), target.end());
      return w_.kw(words).json()[key];
    };
    EXPECT_FALSE(of({}).empty()) << word;
    EXPECT_EQ(of({"--target", "cpu"}), of({})) << word;
    EXPECT_TRUE(of({"--target", "cuda"}).empty()) << word;
  }

  // A frozen lesson still enters prompts, but runs do not change it until it is unfrozen.
  const std::string id = instruction["id"].dump();
  EXPECT_EQ(w_.kw({"memory", "freeze", id}).code, 0);
  EXPECT_EQ(lessons("instruction").at(0)["state"], "frozen");
  EXPECT_EQ(w_.kw({"memory", "freeze", id}).code, 2) << "it is frozen already";

  // The second run begins with these lessons, except those that were dropped in between.
  EXPECT_THAT(w_.kw({"prompt", "wave3d"}).out, HasSubstr("For this very task. Confirmed"));
  server_.reply("I have no idea.");
  EXPECT_EQ(optimize(1).code, 1);
  EXPECT_THAT(server_.prompt(3),
              AllOf(HasSubstr("Write a first kernel"), HasSubstr("Keep point updates"),
                    HasSubstr("contiguous access along z is lost"),
                    HasSubstr("For this very task. Confirmed"), HasSubstr("#pragma omp simd"),
                    HasSubstr("3 kernels tried"), Not(HasSubstr("many_sources"))));
  EXPECT_EQ(lessons("win").at(0)["uses"], 1);
  EXPECT_EQ(w_.kw({"memory", "unfreeze", id}).code, 0);
  EXPECT_EQ(lessons("instruction").at(0)["state"], "live");
  EXPECT_EQ(w_.kw({"memory", "drop", win["id"].dump()}).code, 0);
  EXPECT_THAT(w_.kw({"prompt", "wave3d"}).out,
              AllOf(Not(HasSubstr("For this very task")), HasSubstr("Keep point updates")));
  EXPECT_THAT(w_.kw({"prompt", "wave3d", "--no-memory"}).out, Not(HasSubstr("Keep point updates")));
}

TEST(CardsOfATarget, AreThoseItsPromptsMayShow) {
  const Workspace w(Whose::Suite);
  const auto names = [&](const std::string& target) {
    std::set<std::string> all;
    Words words{"memory", "cards", "--json"};
    if (!target.empty()) words.insert(words.end(), {"--target", target});
    const json told = w.kw(words).json();
    for (const json& card : told["cards"]) {
      const json& targets = card["targets"];
      EXPECT_TRUE(target.empty() || targets.empty() || targets.dump().contains(target)) << card;
      all.insert(card["origin"].get<std::string>() + " " + card["name"].get<std::string>());
    }
    return all;
  };
  const auto cpu = names("cpu"), cuda = names("cuda"), all = names("");
  EXPECT_FALSE(cpu.empty());
  EXPECT_FALSE(cuda.empty());
  EXPECT_LT(cpu.size(), all.size());
  EXPECT_LT(cuda.size(), all.size());
  std::set<std::string> either = cpu;
  either.insert(cuda.begin(), cuda.end());
  EXPECT_EQ(either, all);
}

}  // namespace
}  // namespace kw::program

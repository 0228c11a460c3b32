// Installs the stand-in's libraries in a workspace, and writes kernels of known duration.
// SPDX-License-Identifier: Apache-2.0
#include "stand_in.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "platform/jail.h"

namespace kw::program {
namespace {

namespace fs = std::filesystem;

const platform::Path kEmulated = platform::Path(KW_BINARY_DIR) / "emulated";

/// The reason why the stand-in does not work here; empty if it works.
std::string why_no_stand_in() {
#ifdef __SANITIZE_ADDRESS__
  if (std::getenv("KW_SUITE_KW") == nullptr)
    return "the stand-in changes stacks under a sanitizer's feet; KW_SUITE_KW names another build";
#endif
  const auto asked =
      platform::run({(kEmulated / "bin/nvcc").string(), "--version"}, {}, std::chrono::seconds(20));
  return asked && asked->ok() ? std::string() : "no nvcc, whose cubins the stand-in needs";
}

/// Ceilings with rates that no kernel on the stand-in reaches.
nlohmann::json ceilings() {
  nlohmann::json all = nlohmann::json::array();
  for (const char* kind : {"copy", "mix_3r1w", "triad", "read", "write"})
    all.push_back({{"kind", kind},
                   {"level", "DRAM"},
                   {"isa", "sm_90a"},
                   {"per_second", 1e9},
                   {"samples", 10},
                   {"reads", 0.5}});
  for (const char* kind : {"fma_f32", "fma_f64"})
    all.push_back({{"kind", kind},
                   {"level", "core"},
                   {"isa", "sm_90a"},
                   {"per_second", 1e12},
                   {"samples", 10}});
  return all;
}

}  // namespace

void StandIn::SetUp() {
  static const std::string why_not = why_no_stand_in();
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  for (const char* library : {"libcuda.so.1", "libnvidia-ml.so.1"}) {
    ASSERT_TRUE(platform::make_dirs(w_.path() / "gpu"));
    std::error_code trouble;
    fs::copy_file(kEmulated / "lib" / library, w_.path() / "gpu" / library, trouble);
    ASSERT_FALSE(trouble) << trouble.message();
  }
  // Makes the device's clock agree with the referee's own.
  be("slowdown 1\n");
  write_easy_task(w_, "twice");
  w_.write("twice/shapes.yaml",
           "show: [ { name: small, n: 1000 } ]\n"
           "check: [ { name: prime, n: 1009 } ]\n"
           "time:\n"
           "  - { name: on_gpu, n: 16384, for: [cuda] }\n"
           "  - { name: on_cpu, n: 262144, for: [cpu] }\n");
  w_.write("right.cu", sleeper(0));
}

Words StandIn::env() const {
  const std::string gpu = (w_.path() / "gpu").string();
  return {"KW_CUDA_DRIVER=" + gpu + "/libcuda.so.1", "KW_NVML=" + gpu + "/libnvidia-ml.so.1",
          "CUDA_PATH=" + kEmulated.string(), "KW_NVRTC=none",
          "XDG_CACHE_HOME=" + (kEmulated / "cache").string()};
}

Ran StandIn::worker(const Words& arguments) const {
  Words words{(w_.programs() / "kw-worker").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  platform::SpawnOptions options;
  options.cwd = w_.path();
  options.env = env();
  if (const auto path = platform::env_of_ours("PATH")) options.env.push_back(*path);
  return ended(platform::run(words, options, kPatience));
}

void StandIn::bring_back() const { fs::remove(w_.path() / "gpu" / "lost"); }

std::string StandIn::sleeper(int ms) {
  return "// kw: launch twice_kernel grid(ceil_div(n, 256)) block(256) args(n, x, y)\n"
         "extern \"C\" __global__ void twice_kernel(int n, const float* x, float* y) {\n"
         "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
         "  if (i < n) y[i] = 2 * x[i];\n"
         "  if (i == 0)\n"
         "    for (int k = 0; k < " +
         std::to_string(ms) +
         "; ++k) __nanosleep(1000000);\n"
         "}\n";
}

void StandIn::know_ceilings() const {
  const nlohmann::json facts{{"id", "gpu-e0e1e2e3e4e5e6e7e8e9eaebecedeeef"},
                             {"target", "cuda"},
                             {"ceilings", ceilings()},
                             {"measured_at", "2026-01-01T00:00:00Z"}};
  ASSERT_EQ(kw({"graph", "export", "graph.json"}).code, 0);  // creates the database
  SQLite::Database db((w_.path() / "runs/kernelwright.sqlite").string(), SQLite::OPEN_READWRITE);
  SQLite::Statement note(db, "INSERT OR REPLACE INTO facts(kind, key, body) VALUES(?, ?, ?)");
  note.bind(1, "device");
  note.bind(2, "cuda");
  note.bind(3, facts.dump());
  note.exec();
}

Ran StandIn::check(const std::string& file) const {
  return kw({"judge", file, "--task", "twice", "--until", "check", "--json"});
}

void expect_one_line(const Ran& ran, int code) {
  EXPECT_EQ(ran.code, code) << ran.out << ran.err;
  EXPECT_THAT(ran.err, testing::StartsWith("kw")) << ran.out;
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
}

}  // namespace kw::program

// bench-store WORKSPACE RUNS ATTEMPTS: fills a store with RUNS runs of ATTEMPTS attempts through
// the program's own writer.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/rng.h"
#include "store/run_store.h"

namespace {

using namespace kw;

constexpr int kSources = 64;  // number of different source texts
constexpr int kSamples = 24;  // number of pairs in one measured workload
constexpr std::uint64_t kSeed = 2024;

/// An attempt as large as a real one: two workloads with samples, and texts.
Attempt make_attempt(int number, Rng& rng) {
  const auto ratio = [&rng] { return 1 + 1e-20 * static_cast<double>(rng()); };
  Attempt a;
  a.number = number;
  a.parent = number / 2;
  a.candidate.name = "idea-" + std::to_string(number % kSources);
  a.candidate.source = "void f() {}  // " + std::to_string(number % kSources) + "\n";
  a.candidate.knobs = {{"BM", number % 7}, {"BN", number % 11}};
  a.why = "a neighbour of the best point so far";
  a.reward = ratio();
  a.words = "memory-bound; no gain over its parent";
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  for (const char* name : {"square", "skinny"}) {
    WorkloadResult w;
    w.name = name;
    w.group = Group::Time;
    w.median_ns = 1e6 * ratio();
    for (int s = 0; s < kSamples; ++s)
      w.samples.push_back(
          {std::floor(1e6 * ratio()), std::floor(1e6 * ratio()), s % 4, s % 2 == 0});
    a.evaluation.workloads.push_back(std::move(w));
  }
  return a;
}

Result<> fill(const char* workspace, int runs, int attempts) {
  auto store = KW_TRY(store::RunStore::open(workspace));
  Rng rng{Seed{kSeed, kSeed}};
  RunConfig config;
  config.task = "bench";
  config.task_path = "bench";
  for (int r = 0; r < runs; ++r) {
    auto run = KW_TRY(store.create(config, "2024-01-01T00:00:00Z"));
    for (int n = 1; n <= attempts; ++n) KW_TRY(store.append(run, make_attempt(n, rng)));
    run.state = RunState::Finished;
    run.best_attempt = attempts;
    run.best_speedup = 2;
    KW_TRY(store.update(run));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench-store WORKSPACE RUNS ATTEMPTS\n");
    return 2;
  }
  const auto filled = fill(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
  if (filled) return 0;
  std::fprintf(stderr, "bench-store: %s\n", describe(filled.error()).c_str());
  return 3;
}

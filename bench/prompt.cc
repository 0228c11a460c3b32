// bench-prompt N: builds the prompt of an improvement with 200 attempts of history N times, and
// prints the nanoseconds of each.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "memory/data_files.h"
#include "propose/examples.h"
#include "propose/prompt.h"
#include "task/load.h"

namespace {

using namespace kw;

constexpr int kAttempts = 200;

/// A line of history about one attempt. Two thirds of the attempts failed or gained nothing. The
/// words name a hidden workload.
AttemptLine make_line(int number) {
  AttemptLine line;
  line.number = number;
  line.parent = number / 2;
  line.name = "idea_" + std::to_string(number);
  line.knobs = {{"TILE", number % 7}, {"UNROLL", number % 3}};
  line.speedup = 1 + 0.01 * number;
  line.outcome_class = static_cast<OutcomeClass>(number % 3);
  line.words =
      "failed at check: wrong_result (workload 'long_row', tensor 'y': 11 of 196611 "
      "elements looked at are wrong)";
  return line;
}

Attempt make_parent(const std::string& source, int number) {
  Attempt a;
  a.number = number;
  a.candidate.name = "parent";
  a.candidate.source = source;
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  a.against_baseline.value = 2;
  for (int i = 1; i <= 12; ++i)
    a.evaluation.findings.push_back(
        {"vectorization", i, "The loop in line 12 is not vectorised: control flow.",
         "12 | for (int c = 0; c < cols; ++c) {\n   | ^ this loop\n", "kernel.cpp:12:3"});
  return a;
}

Result<> measure(int count) {
  const auto data = KW_TRY(memory::DataFiles::open(std::nullopt));
  const auto task =
      KW_TRY(task::parse_task({"tasks/softmax_padded", data.under("tasks/softmax_padded")}));
  const auto book = KW_TRY(propose::PromptBook::open(data));
  const auto kernels = data.under("playbook/softmax_padded");
  const Attempt best = make_parent(kernels.at("20_staged.cpp"), 3);
  Attempt parent = make_parent(kernels.at("20_staged.cpp") + "// changed\n", kAttempts);
  parent.parent = best.number;
  DeviceFacts device;
  device.model = "bench";
  propose::Situation situation;
  situation.number = kAttempts + 1;
  situation.errand = Errand::Improve;
  situation.task = &task;
  situation.device = &device;
  situation.baseline = "omp";
  situation.parent = &parent;
  situation.best = &best;
  situation.examples = KW_TRY(propose::select_examples(data, task.task));
  const propose::Veil veil(task);
  propose::History history;
  for (int i = 1; i <= kAttempts; ++i) history.add(make_line(i), veil);
  situation.history = &history;
  for (int i = 0; i < count; ++i) {
    const auto started = std::chrono::steady_clock::now();
    // The token limit is met only after something is dropped, so the prompt is rendered twice.
    const auto prompt = KW_TRY(book.build(situation, {.max_tokens = 12'000}));
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - started;
    std::printf("%lld\t%lld\t%zu\n", static_cast<long long>(took.count()),
                static_cast<long long>(prompt.tokens), prompt.dropped.size());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench-prompt N\n");
    return 2;
  }
  const auto measured = measure(std::atoi(argv[1]));
  if (measured) return 0;
  std::fprintf(stderr, "bench-prompt: %s\n", describe(measured.error()).c_str());
  return 3;
}

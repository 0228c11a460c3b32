// What the tests of prompts share: a task with recognisable numbers, attempts, and the shipped
// templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "memory/data_files.h"
#include "propose/prompt.h"
#include "task/load.h"

namespace kw::propose {

/// A task with two shapes to show, and with hidden and timed shapes whose sizes occur nowhere else.
inline task::Definition test_task() {
  task::TaskFiles files{"tasks/twice", {}};
  files.texts["task.yaml"] = R"(name: twice
family: elementwise
summary: y becomes two x
dims: [rows, cols, pad]
scalars:
  rows: { dtype: i32 }
  cols: { dtype: i32 }
  pitch: { dtype: i32, value: "cols + pad" }
tensors:
  x: { dtype: f32, shape: [rows, cols], role: in, pitch: "cols + pad" }
  y: { dtype: f32, shape: [rows, cols], role: out, pitch: "cols + pad" }
signature: [rows, cols, pitch, x, y]
gate: { kind: relative, c: 4, scale: 0.5 }
rms: { factor: 3 }
work:
  floor: { bytes: "8 * rows * cols", flops: "rows * cols" }
  nominal: { read_bytes: "4 * rows * cols", write_bytes: "4 * rows * cols", flops: "rows * cols", items: "rows" }
goals: { speedup: 8, roof: 0.85 }
restrictions: { options: [fast_math], workspace_bytes: 1048576 }
)";
  files.texts["shapes.yaml"] = R"(show:
  - { name: small, rows: 11, cols: 100, pad: 0 }
  - { name: padded, rows: 12, cols: 250, pad: 6 }
check:
  - { name: secret_tall, rows: 6829, cols: 7, pad: 2 }
  - { name: secret_wide, rows: 5, cols: 7919, pad: 1 }
time:
  - { name: square, rows: 3001, cols: 3011, pad: 0 }
)";
  files.texts["spec.md"] = "# twice\n\nEach element is doubled: y = 2 x.\n";
  files.texts["reference.cpp"] =
      "template <class Real>\n"
      "void reference(int rows, int cols, int pitch, const Real* x, Real* y) {\n"
      "  for (int r = 0; r < rows; ++r)\n"
      "    for (int c = 0; c < cols; ++c) y[r * pitch + c] = 2 * x[r * pitch + c];\n"
      "}\n";
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition.has_value()) << definition.error().what;
  return std::move(*definition);
}

/// A history to which `lines` are added and which keeps about `most_bytes` of them.
inline History test_history(const std::vector<AttemptLine>& lines,
                            std::size_t most_bytes = kHistoryBytes) {
  const Veil veil(test_task());
  History history(most_bytes);
  for (const AttemptLine& line : lines) history.add(line, veil);
  return history;
}

inline DeviceFacts test_device() {
  DeviceFacts facts;
  facts.id = "cpu-test";
  facts.model = "Test Processor 9000";
  facts.cores = 6;
  facts.isa = {"avx2", "fma"};
  facts.caches = {{1, 32 << 10, 1}, {3, 24 << 20, 6}};
  facts.compiler = "g++ 12.2.0";
  facts.ceilings = {{"copy", "DRAM", "", 1, 2e10, 0, 5, 0.5},
                    {"copy", "DRAM", "", 6, 4.5e10, 0, 5, 0.5},
                    {"fma_f32", "core", "avx2", 6, 9e11, 0, 5, 0}};
  return facts;
}

inline Attempt test_attempt(int number, Outcome outcome, double speedup = 0) {
  Attempt a;
  a.number = number;
  a.candidate.name = "kernel_" + std::to_string(number);
  a.candidate.source =
      "void twice(int rows, int cols, int pitch, const float* x, float* y) {\n"
      "  // kernel " +
      std::to_string(number) + "\n}\n";
  const bool is_correct = outcome == Outcome::Correct;
  a.evaluation.verdict = {is_correct ? Stage::Measure : Stage::Check, outcome,
                          is_correct ? "" : "evidence " + std::to_string(number)};
  a.outcome_class = is_correct ? OutcomeClass::NewBest : OutcomeClass::Failed;
  a.against_baseline.value = speedup;
  return a;
}

inline AttemptLine test_line(int number, OutcomeClass outcome_class) {
  AttemptLine line;
  line.number = number;
  line.name = "kernel_" + std::to_string(number);
  line.outcome_class = outcome_class;
  line.words = "words of " + std::to_string(number);
  line.speedup = outcome_class == OutcomeClass::Failed ? 0 : 1.5;
  return line;
}

inline PromptBook shipped_prompts() {
  const auto data = memory::DataFiles::open(std::nullopt);
  auto book = PromptBook::open(*data);
  EXPECT_TRUE(book.has_value()) << describe(book.error());
  return std::move(*book);
}

}  // namespace kw::propose

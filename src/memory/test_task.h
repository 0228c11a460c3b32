// The task that the tests of memory use: a small stencil whose specification the rules can quote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "record/attempt.h"
#include "task/load.h"

namespace kw::memory {

inline task::Definition test_task() {
  task::TaskFiles files{"tasks/waves", {}};
  files.texts["task.yaml"] =
      "name: waves\nfamily: stencil\nsummary: s\ndims: [nx, nz]\n"
      "scalars:\n  nx: { dtype: i32 }\n  nz: { dtype: i32 }\n"
      "tensors:\n  u: { dtype: f32, shape: [nx, \"nz + 8\"], role: inout }\n"
      "gate: { kind: relative, c: 4, scale: 1 }\n"
      "work:\n  floor: { bytes: nx, flops: nx }\n"
      "  nominal: { read_bytes: nx, write_bytes: nx, flops: nx, items: nx }\n";
  files.texts["shapes.yaml"] =
      "check: [ { name: hidden, nx: 7919, nz: 9 } ]\ntime: [ { name: b, nx: 9, nz: 9 } ]\n";
  files.texts["spec.md"] =
      "# waves\n\nWaves on a grid.\n\n**Sources** go in after the update of the same\nstep.\n\n"
      "- The halo is two wide.\n"
      "- Several sources may share a cell.\n"
      "- A step that is tiled must see the sources in every copy of a point.\n\n"
      "    source[code] is left out\n";
  files.texts["reference.cpp"] =
      "template <class Real>\nvoid reference(Real* u, int nx, int nz) {\n"
      "  for (int x = 0; x < nx; ++x)\n"
      "    for (int z = 0; z < nz; ++z) u[x * (nz + 8) + z] += 1;\n}\n";
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition) << definition.error().what;
  return std::move(*definition);
}

inline const char* const kStrided =
    "for (int z = 0; z < nz; ++z)\n  for (int x = 0; x < nx; ++x) u[x * (nz + 8) + z] += 1;\n";
inline const char* const kContiguous =
    "for (int x = 0; x < nx; ++x)\n  for (int z = 0; z < nz; ++z) u[x * (nz + 8) + z] += 1;\n";

/// An attempt with a source that a model wrote. The hash of the source is its own text.
inline Attempt tried(int number, const std::string& source,
                     const std::vector<std::string>& techniques) {
  Attempt a;
  a.number = number;
  a.candidate.name = "00" + std::to_string(number) + "_model";
  a.candidate.origin = Origin::Model;
  a.candidate.source = source;
  a.candidate.sha256 = source;
  a.candidate.techniques = techniques;
  return a;
}

inline Attempt failed(int number, const std::string& source, Outcome outcome,
                      const std::vector<Finding>& findings,
                      const std::vector<std::string>& techniques = {}) {
  Attempt a = tried(number, source, techniques);
  a.evaluation.verdict = {outcome == Outcome::CompileFailed ? Stage::Compile : Stage::Check,
                          outcome, "evidence"};
  a.evaluation.findings = findings;
  return a;
}

/// A correct attempt with `speedup` against the best kernel at that time, which is the baseline.
inline Attempt correct(int number, const std::string& source, double speedup,
                       const std::vector<std::string>& techniques = {}) {
  Attempt a = tried(number, source, techniques);
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  a.evaluation.speedup = {speedup,     0.95 * speedup, 1.05 * speedup,    0.995,
                          "reference", std::nullopt,   0.95 * speedup > 1};
  a.against_baseline = a.evaluation.speedup;
  a.outcome_class = a.evaluation.speedup.is_faster ? OutcomeClass::NewBest : OutcomeClass::NoGain;
  return a;
}

inline Finding isolated() {
  return {FindingKind::Mismatch,
          1,
          "In workload 'hidden', tensor 'u': x. 3 isolated elements are wrong: point updates.",
          "",
          "workload 'hidden', tensor 'u'",
          MismatchPattern::Isolated};
}

inline Finding diagnostic(const std::string& text) {
  return {FindingKind::Diagnostic, 1, text, "", ""};
}

}  // namespace kw::memory

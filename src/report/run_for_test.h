// A run of four attempts for the tests of tables, plots and exports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/digest.h"
#include "report/run_data.h"

namespace kw::report {

inline Attempt tiled_attempt(int number, OutcomeClass outcome_class, double value) {
  Attempt a;
  a.number = number;
  a.candidate.name = "tiled";
  a.candidate.source = "// source\n";
  a.candidate.knobs = {{"B", 64}, {"S", 2}};
  a.ask = R"({"id":1})";
  a.outcome_class = outcome_class;
  a.at_ns = number * 1000;
  if (outcome_class == OutcomeClass::Failed) {
    a.evaluation.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9"};
    return a;
  }
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  a.evaluation.speedup = {value, value * 0.9, value * 1.1, 0.995, "omp", 0.002, value > 1.2};
  a.against_baseline = a.evaluation.speedup;
  a.evaluation.stage_ns = {{"measure", 300}, {"compile", 200}, {"check", 100}};
  WorkloadResult w;
  w.name = "large, \"padded\"";
  w.group = Group::Time;
  w.median_ns = 2000 / value;
  w.opponent_ns = 2000;
  w.speedup = a.evaluation.speedup;
  w.samples.resize(7);
  w.items_per_s = 1e9;
  w.bytes_per_s = 8e9;
  w.flops_per_s = 2e9;
  w.arithmetic_intensity = 0.25;
  w.roofline.fraction = 0.5;
  a.evaluation.workloads = {w};
  return a;
}

inline std::vector<Attempt> attempts() {
  return {tiled_attempt(1, OutcomeClass::NoGain, 1.1), tiled_attempt(2, OutcomeClass::NewBest, 2),
          tiled_attempt(3, OutcomeClass::Failed, 0), tiled_attempt(4, OutcomeClass::NewBest, 3)};
}

inline Digest digest() {
  Digest digest;
  for (const Attempt& a : attempts()) digest.add(line_of(a));
  return digest;
}

inline RunData run_data() {
  RunData data;
  data.run.name = "saxpy-1";
  data.run.config.task = "saxpy";
  data.run.stopped_by = "4 attempts";
  data.run.spent_ns = 5000;
  data.baselines = {{"omp", 2000, ""}, {"reference", 0, "failed at check"}};
  data.baseline = "omp";
  data.best = attempts()[3];
  data.best_source = "#define B 64\n";
  data.confirmation = data.best->evaluation;
  Workload shape;
  shape.name = data.confirmation->workloads.front().name;
  shape.dims = {{"n", 1009}};
  shape.scalars = {{"a", Dtype::F32, 1.5, 0}};
  shape.dot_length = 7;
  data.terms = {{GateKind::Dot, 6, 0, 0, 0, 3}, true, {shape}};
  data.device.model = "A <Processor> & more";
  Ceiling dram;
  dram.kind = "triad";
  dram.level = "DRAM";
  dram.per_second = 3e10;
  Ceiling fma;
  fma.kind = "fma_f32";
  fma.level = "core";
  fma.per_second = 1e11;
  data.device.ceilings = {dram, fma};
  return data;
}

}  // namespace kw::report

// Runs admission on this machine.
// SPDX-License-Identifier: Apache-2.0
#include "session/admission.h"

#include <fmt/format.h>

#include <optional>

#include "base/rng.h"
#include "base/text.h"
#include "referee/admission.h"
#include "session/admission_record.h"
#include "session/judging/task_judge.h"
#include "task/long_truth.h"
#include "task/reference_loops.h"

namespace kw::session {

Result<std::vector<worker::AdmissionLine>> admit(const Options& options,
                                                 task::Definition definition, const Aim& aim,
                                                 std::int64_t budget_ns) {
  const std::optional<int> line = task::line_of_double(definition);
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const auto judge = KW_TRY(TaskJudge::open(options, &store, std::move(definition), aim));
  EvaluationRequest request = KW_TRY(judge->workbench().references());
  const Task task = request.task;
  if (auto reordered = referee::reordered_unit(request))
    request.units.push_back(*std::move(reordered));
  if (auto loops = task::loops_unit(judge->definition()))
    request.units.push_back(*std::move(loops));
  request.id = "admission";
  request.seed = Seed::from_os().low;
  request.measure.wall_ns = budget_ns;
  auto lines = KW_TRY(judge->carrier().admit(std::move(request)));
  if (line)
    lines.push_back(
        {fmt::format(
             "reference.cpp names 'double' in line {}, although the truth of f64 outputs is "
             "computed in 'long double': what is rounded there counts as right, and honest "
             "kernels that round less may be refused. Name the template's type instead.",
             *line),
         "all", true, ""});
  KW_TRY(remember_admission(store, task, aim.target, judge->machine().judge_id(), lines));
  return lines;
}

bool is_admitted(const std::vector<worker::AdmissionLine>& lines) {
  bool all = !lines.empty();
  for (const worker::AdmissionLine& line : lines) all = all && line.is_ok;
  return all;
}

std::string admission_words(const std::vector<worker::AdmissionLine>& lines) {
  std::vector<std::string> left_out;
  for (const worker::AdmissionLine& line : lines)
    if (!line.is_examined) left_out.push_back(line.workload);
  std::string words = is_admitted(lines) ? "admitted" : "NOT admitted";
  if (!left_out.empty())
    words += fmt::format("; {} left out, or in part: {}",
                         left_out.size() == 1 ? "one workload was" : "some workloads were",
                         join(left_out, ", "));
  return words;
}

}  // namespace kw::session

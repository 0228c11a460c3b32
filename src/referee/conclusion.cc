// Turns the figures of an admission into sentences, each with the key to change.
// SPDX-License-Identifier: Apache-2.0
#include "referee/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kw::referee {
namespace {

// Fraction of the gate that an honest answer may use: one that uses more has less than a factor 4
// to spare, which is reported. Our choice.
constexpr double kEnoughSpare = 0.25;

/// Says which key of task.yaml to change if the gates accept the wrong answer that has this name.
std::string hint_for(const std::string& answer) {
  if (answer.starts_with("inputs rounded"))
    return "tighten 'gate' or add 'rms' in task.yaml; rounding errors average out in sums of one "
           "sign, so give the inputs 'values' of mean zero";
  if (answer.ends_with("ignored")) {
    constexpr std::string_view kBlock = "last block of ";
    std::string_view input = std::string_view(answer).substr(0, answer.rfind(' '));
    if (input.starts_with(kBlock)) input.remove_prefix(kBlock.size());
    return fmt::format(
        "tighten 'gate' in task.yaml, or change 'values' of '{}' there so that this input changes "
        "the results",
        input);
  }
  if (answer.ends_with("missing"))
    return "tighten 'gate' in task.yaml: 'relative' and 'dot' look at each element";
  return "tighten 'gate' in task.yaml, or give the inputs 'values' that vary more";
}

void conclude_answers(Admission& admission) {
  std::vector<std::string> names;
  for (const NullAnswer& answer : admission.answers)
    if (std::find(names.begin(), names.end(), answer.name) == names.end())
      names.push_back(answer.name);
  for (const std::string& name : names) {
    bool fails_a_check = false;
    bool has_check = false;
    bool applies = false;
    for (const NullAnswer& answer : admission.answers) {
      if (answer.name != name) continue;
      has_check = has_check || (answer.group == Group::Check && answer.is_applicable);
      applies = applies || answer.is_applicable;
      fails_a_check =
          fails_a_check || (answer.group == Group::Check && answer.is_applicable && !answer.passed);
      if (answer.group == Group::Time && answer.passed)
        admission.problems.push_back(
            fmt::format("The wrong answer '{}', which is made without doing the work (a null "
                        "answer), is taken for correct on the timed workload '{}': {}.",
                        name, answer.workload, hint_for(name)));
    }
    if (has_check && !fails_a_check)
      admission.problems.push_back(
          fmt::format("The wrong answer '{}', which is made without doing the work (a null "
                      "answer), is taken for correct on every check workload: {}.",
                      name, hint_for(name)));
    if (!applies && name.ends_with(" ignored") && !name.starts_with("last block"))
      admission.problems.push_back(fmt::format(
          "No workload depends on the input '{1}': the answer '{0}', computed with other data in "
          "its place, is right on every workload. If the function does not read '{1}', declare it "
          "'role: out' in task.yaml or leave it out; else give it other 'values'.",
          name, name.substr(0, name.rfind(' '))));
  }
}

std::string hint_for_mutant(const MutantResult& mutant) {
  if (mutant.name.find(" rounded to ") != std::string::npos)
    return "tighten 'gate' in task.yaml, or give the other inputs 'values' that select few "
           "elements of the rounded one, so that its last bits change the results";
  if (mutant.name.find(" dropped") != std::string::npos)
    return "tighten 'gate' in task.yaml, or give the inputs 'values' whose sums are exact, so that "
           "no term is too small to be seen";
  return "tighten 'gate' in task.yaml, or give the inputs 'values' that vary more";
}

void conclude_mutants(Admission& admission) {
  for (const MutantResult& mutant : admission.mutants)
    if (mutant.fate == MutantFate::Passed)
      admission.problems.push_back(
          fmt::format("The wrong answer '{}' (a mutant) is taken for correct on the timed workload "
                      "'{}' with each of {} input sets; its error is at most {:.2g} of what 'gate' "
                      "allows: {}; or explain under 'excused' in task.yaml why it is legitimate.",
                      mutant.name, mutant.workload, mutant.sets, mutant.gate_fraction,
                      hint_for_mutant(mutant)));
}

void conclude_baseline(Admission& admission) {
  for (const BaselineFigure& figure : admission.baseline) {
    if (!figure.passed)
      admission.problems.push_back(fmt::format(
          "The reference, compiled for the task's type, fails the task's own gates on workload "
          "'{}': {}: loosen 'gate' in task.yaml, or shorten the workload's sums in shapes.yaml.",
          figure.workload, figure.failure));
    else if (figure.gate_fraction > kEnoughSpare)
      admission.remarks.push_back(fmt::format(
          "The error of the reference, compiled for the task's type, is {:.2f} of what 'gate' "
          "allows on workload '{}'; at most {:.2f} would leave a factor of 4 to spare.",
          figure.gate_fraction, figure.workload, kEnoughSpare));
  }
}

}  // namespace

void conclude(Admission& admission) {
  conclude_answers(admission);
  conclude_mutants(admission);
  conclude_baseline(admission);
  admission.is_admitted = admission.problems.empty();
}

}  // namespace kw::referee

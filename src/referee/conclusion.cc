// Turns the figures of an admission into sentences, each with the key to change.
// SPDX-License-Identifier: Apache-2.0
#include "referee/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

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
  if (answer.ends_with("everywhere") || answer.starts_with("commonest") || answer == "zeros" ||
      answer == "ones")
    return "tighten 'gate' in task.yaml, or give the inputs 'values', the scalars numbers and the "
           "dims sizes with which the right answer is not the same everywhere; or explain under "
           "'excused' there why it is";
  if (answer.ends_with("missing"))
    return "tighten 'gate' in task.yaml: 'relative' and 'dot' look at each element";
  return "tighten 'gate' in task.yaml, or give the inputs 'values' that vary more";
}

/// Returns the inputs on which no workload depends.
std::vector<std::string> conclude_answers(Admission& admission) {
  std::vector<std::string> unread;
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
    if (!applies && name.ends_with(" ignored") && !name.starts_with("last block")) {
      unread.push_back(name.substr(0, name.rfind(' ')));
      admission.problems.push_back(fmt::format(
          "No workload depends on the input '{1}': the answer '{0}', computed with other data in "
          "its place, is right on every workload. If the function does not read '{1}', declare it "
          "'role: out' in task.yaml or leave it out; else give it other 'values'.",
          name, unread.back()));
    }
  }
  return unread;
}

std::string hint_for_mutant(const MutantResult& mutant) {
  if (mutant.name.find(" rounded to ") != std::string::npos)
    return "tighten 'gate' in task.yaml, or give the other inputs 'values' that select few "
           "elements of the rounded one, so that its last bits change the results";
  if (mutant.name.starts_with("loop "))
    return "tighten 'gate' in task.yaml, or give the inputs 'values' to which each pass adds "
           "enough";
  if (mutant.name.ends_with(" swapped"))
    return "tighten 'gate' in task.yaml, or give the two scalars values that lie further apart";
  if (mutant.name.find(" dropped") != std::string::npos)
    return "tighten 'gate' in task.yaml, or give the inputs 'values' whose sums are exact, so that "
           "no term is too small to be seen";
  return "tighten 'gate' in task.yaml, or give the inputs 'values' that vary more";
}

/// Says what of a task to change if a workload asks for no more than this mutant does.
std::string hint_for_blind(const MutantResult& mutant) {
  if (mutant.input.empty())
    return "give the inputs 'values', and the scalars numbers, that need all passes";
  return fmt::format(
      "give '{0}', and inputs that index it, 'values' that vary more (more than two integers), and "
      "'{0}' a 'shape' of which all is read,",
      mutant.input);
}

/// One sentence for all mutants of one workload that read a part of the same input.
void conclude_blind(Admission& admission, const std::vector<std::string>& unread) {
  std::map<std::pair<std::string, std::string>, std::vector<const MutantResult*>> groups;
  for (const MutantResult& mutant : admission.mutants)
    if (mutant.fate == MutantFate::Blind && std::ranges::find(unread, mutant.input) == unread.end())
      groups[{mutant.workload, mutant.input.empty() ? mutant.name : mutant.input}].push_back(
          &mutant);
  for (const auto& [key, mutants] : groups) {
    std::vector<std::string> names;
    for (const MutantResult* mutant : mutants) names.push_back("'" + mutant->name + "'");
    const MutantResult& first = *mutants.front();
    admission.problems.push_back(fmt::format(
        "The timed workload '{}' asks for no more than a mutant does, whose answer is right with "
        "each of {} input sets ({}): {}: {} in task.yaml; or explain under 'excused' there why no "
        "honest kernel does more.",
        first.workload, first.sets, first.note, join(names, ", "), hint_for_blind(first)));
  }
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
    if (figure.is_reordered) {
      if (!figure.passed)
        admission.problems.push_back(fmt::format(
            "An honest kernel fails on workload '{}', which is the reference with its sums in "
            "another order: {}: loosen that gate in task.yaml.",
            figure.workload, figure.failure));
    } else if (!figure.passed)
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
  const auto unread = conclude_answers(admission);
  conclude_mutants(admission);
  conclude_blind(admission, unread);
  conclude_baseline(admission);
  admission.is_admitted = admission.problems.empty();
}

}  // namespace kw::referee

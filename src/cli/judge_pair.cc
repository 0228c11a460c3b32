// Shows a comparison of two kernels.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_pair.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/foreign_text.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/styled.h"
#include "cli/verdict_view.h"
#include "record/codec.h"
#include "record/interval.h"
#include "record/target.h"
#include "report/evaluation_json.h"
#include "session/duel.h"
#include "task/header.h"
#include "task/units.h"

namespace kw::cli {
namespace {

constexpr const char* words_of(session::Winner winner) {
  return winner == session::Winner::A ? "a" : winner == session::Winner::B ? "b" : "none";
}

std::string dims_text(const task::Definition& definition, const std::string& workload) {
  for (const task::WorkloadSpec& spec : definition.workloads) {
    if (spec.name != workload || spec.group != Group::Time) continue;
    std::string text;
    for (const auto& [name, value] : spec.dims)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text;
  }
  return {};
}

/// A hint on the form that a host launcher must have for this task.
std::string host_form_of(const Task& task) {
  const std::string text = task::interface_text(task);
  for (const std::string_view line : split_lines(text))
    if (line.starts_with("void "))
      return fmt::format(
          "a host launcher may be the opponent: add `// kw: dialect host` and\nextern \"C\" int "
          "{}, cudaStream_t stream) that launches on `stream` and returns 0\n",
          line.substr(5, line.rfind(')') - 5));
  return {};
}

std::string summary_of(const session::Duel& duel) {
  const session::DuelLine whole = duel.whole();
  if (whole.winner == session::Winner::None)
    return fmt::format("no difference shown: A is {} as fast as B{}", ratio_text(whole.speedup),
                       duel.is_undecided() ? "; the machine was too noisy for more" : "");
  const bool is_a = whole.winner == session::Winner::A;
  const session::Side& winner = is_a ? duel.a : duel.b;
  const session::Side& loser = is_a ? duel.b : duel.a;
  return fmt::format("{} wins: {} is {} as fast as {}", is_a ? "A" : "B", winner.file,
                     ratio_text(is_a ? whole.speedup : session::turned(whole.speedup)), loser.file);
}

std::string side_text(const char* letter, const session::Side& side) {
  std::string text = fmt::format("{}  {}", letter, sanitise_line(side.file));
  if (side.given.drafted)
    text += fmt::format(", its plan drafted from {}", sanitise_line(side.given.drafted->function));
  if (side.is_trusted_by_user) text += ", a host launcher trusted by the user";
  return text;
}

void print_pair(const session::Duel& duel) {
  std::string text = fmt::format("{}\n{}\n", side_text("A", duel.a), side_text("B", duel.b));
  text += sanitise_line(duel.is_compared() ? summary_of(duel) : duel.why_not) + "\n";
  if (duel.is_compared()) {
    for (const session::DuelLine& line : duel.lines())
      text += fmt::format("  {:<14} {:<26} A {:>9}  B {:>9}  {}  {}\n", line.name,
                          dims_text(duel.definition, line.name), format_ns(line.a_ns),
                          format_ns(line.b_ns), ratio_text(line.speedup),
                          line.winner == session::Winner::None ? "not told apart"
                          : line.winner == session::Winner::A  ? "A wins"
                                                               : "B wins");
    if (duel.is_reverse()) text += "judged with B as the candidate:\n";
  }
  fmt::print("{}", folded(text, look_of(STDOUT_FILENO)));
  print_evaluation(duel.is_compared() ? duel.deciding()
                   : duel.forward     ? *duel.forward
                                      : duel.b_check);
}

Json side_json(const session::Side& side) {
  Json object = {{"file", side.file},
                 {"trust_class", name_of(side.given.candidate.trust_class)},
                 {"is_trusted_by_user", side.is_trusted_by_user}};
  if (side.given.drafted) object["drafted"] = drafted_json(*side.given.drafted);
  return object;
}

Json pair_json(const session::Duel& duel) {
  Json object = {{"task", duel.definition.task.name},
                 {"a", side_json(duel.a)},
                 {"b", side_json(duel.b)},
                 {"winner", Json()},
                 {"why_not", duel.why_not},
                 {"is_undecided", duel.is_compared() && duel.is_undecided()},
                 {"workloads", Json::array()},
                 {"b_check", report::evaluation_json(duel.b_check)}};
  if (duel.is_compared()) {
    const session::DuelLine whole = duel.whole();
    object["winner"] = words_of(whole.winner);
    object["speedup"] = {{"value", whole.speedup.value},
                         {"low", whole.speedup.low},
                         {"high", whole.speedup.high},
                         {"confidence", whole.speedup.confidence}};
    for (const session::DuelLine& line : duel.lines())
      object["workloads"].push_back({{"name", line.name},
                                     {"dims", dims_text(duel.definition, line.name)},
                                     {"a_ns", line.a_ns},
                                     {"b_ns", line.b_ns},
                                     {"speedup", line.speedup.value},
                                     {"low", line.speedup.low},
                                     {"high", line.speedup.high},
                                     {"winner", words_of(line.winner)}});
  }
  object["a_against_b"] = duel.forward ? report::evaluation_json(*duel.forward) : Json();
  object["b_against_a"] = duel.reverse ? report::evaluation_json(*duel.reverse) : Json();
  return object;
}

/// Ends the comparison of two kernels because a file is no candidate, with all findings about the
/// file.
int refuse(const Global& global, const session::Duel& duel) {
  const session::Side& side = *duel.refused;
  const bool is_a = &side == &duel.a;
  const char* letter = is_a ? "A" : "B";
  if (global.json) {
    Json object = {{"winner", Json()},
                   {"why_not", fmt::format("{}, {}, is no candidate: {}", letter, side.file,
                                           side.given.refusal)},
                   {"findings", Json::array()}};
    for (const Finding& finding : side.given.findings)
      object["findings"].push_back(encode_json(finding));
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    const auto target = target_of_file(side.file);
    const bool may_be_host = !is_a && target && has_dialect_of(*target, TrustClass::HostLauncher);
    fmt::print("{}, {}, is no candidate: {}\n{}{}", letter, sanitise_line(side.file),
               sanitise_line(side.given.refusal), task::to_text(side.given.findings),
               may_be_host ? host_form_of(duel.definition.task) : "");
  }
  return kNotGood;
}

}  // namespace

Result<int> judge_pair(const Global& global, const JudgeFlags& flags, Stage until) {
  if (until != Stage::Measure)
    return fail_input(ErrorCode::Contradiction, About{"--until"},
                      "two kernels are compared by measuring them: --against goes with --until "
                      "measure alone",
                      "--until");
  if (flags.inspect.profile || flags.inspect.sanitize)
    return fail_input(ErrorCode::Contradiction, About{"--against"},
                      "--profile and --sanitize look at one kernel: judge it without --against");
  session::DuelRequest request;
  request.a.file = flags.file;
  request.a.task = flags.task;
  request.a.aim = KW_TRY(flags.target.aim(flags.file));
  request.a.settings = flags.settings;
  request.a.measuring = KW_TRY(measuring_of(flags));
  request.b = flags.against;
  if (KW_TRY(flags.target.aim(flags.against)).target != request.a.aim.target)
    return fail_input(ErrorCode::Contradiction, About{"target"},
                      "the two kernels are for different targets: kw compare --targets compares "
                      "runs of both",
                      "--against");
  const auto duel = KW_TRY(session::compare(global, request));
  if (duel->refused != nullptr) return refuse(global, *duel);
  if (global.json)
    std::printf("%s\n", dump_json(pair_json(*duel)).c_str());
  else
    print_pair(*duel);
  return duel->is_compared() ? kDone : kNotGood;
}

}  // namespace kw::cli

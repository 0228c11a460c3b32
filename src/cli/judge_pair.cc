// Compares two kernels in pairs: reads, checks and judges both, and reports the result.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_pair.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/foreign_text.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/given_kernel.h"
#include "cli/session.h"
#include "cli/styled.h"
#include "cli/verdict_view.h"
#include "engine/run.h"
#include "measure/estimate.h"
#include "record/codec.h"
#include "record/interval.h"
#include "referee/check.h"
#include "task/header.h"
#include "task/units.h"

namespace kw::cli {
namespace {

/// The noise floor where none was measured: how far from 1 the speedup between two equal kernels
/// may appear. The referee uses the same value.
constexpr double kAssumedFloor = 0.02;
constexpr double kConfidence = 0.995;

enum class Winner { A, B, None };

constexpr const char* words_of(Winner winner) {
  return winner == Winner::A ? "a" : winner == Winner::B ? "b" : "none";
}

/// One of the two kernels in a comparison.
struct Side {
  std::string file;
  GivenKernel given;
  /// Whether the kernel is a host launcher: its host code runs unscreened, because the user named
  /// the file.
  bool is_trusted_by_user = false;
};

struct Pair {
  Side a, b;
  Evaluation b_check;                 ///< B judged alone, up to the check.
  std::optional<Evaluation> forward;  ///< A judged against B.
  std::optional<Evaluation>
      reverse;  ///< B judged against A, where the first comparison did not show B as the winner.
  std::string why_not;  ///< Why the kernels were not compared; empty: they were.

  bool is_compared() const { return forward && why_not.empty(); }
};

/// The winner by the confidence interval of A's speedup over B, which must exceed the machine's
/// noise.
Winner winner_of(const Speedup& s) {
  if (s.is_faster) return Winner::A;
  const double line = measure::decision_line(s.noise_floor.value_or(kAssumedFloor));
  const bool is_sure = s.confidence >= kConfidence && s.value > 0 && s.high > 0;
  return is_sure && s.high < 1 / line ? Winner::B : Winner::None;
}

/// Whether pairs were timed but their confidence interval is too wide for a verdict.
bool is_undecided(const Evaluation& e) {
  return e.verdict.outcome == Outcome::Unmeasurable && e.verdict.stage == Stage::Measure &&
         e.speedup.value > 0 && e.opponent_fault.empty();
}

/// The speedup of A over B, given B's speedup over A.
Speedup turned(Speedup s) {
  if (s.value <= 0) return s;
  const double low = s.low;
  s.value = 1 / s.value;
  s.low = s.high > 0 ? 1 / s.high : 0;
  s.high = low > 0 ? 1 / low : 0;
  s.is_faster = false;
  return s;
}

Winner turned(Winner winner) {
  return winner == Winner::A ? Winner::B : winner == Winner::B ? Winner::A : Winner::None;
}

/// One line of the comparison: A's speedup over B.
struct DuelLine {
  std::string name;
  Speedup speedup;
  Winner winner = Winner::None;
  double a_ns = 0;
  double b_ns = 0;
};

DuelLine line_of(const WorkloadResult& w, bool is_reverse) {
  DuelLine line{w.name, w.speedup, winner_of(w.speedup), w.median_ns, w.opponent_ns};
  if (!is_reverse) return line;
  line.speedup = turned(w.speedup);
  line.winner = turned(line.winner);
  std::swap(line.a_ns, line.b_ns);
  return line;
}

const Evaluation& deciding(const Pair& pair) {
  const bool is_reverse =
      pair.reverse && pair.reverse->verdict.is_correct() && pair.reverse->speedup.value > 0;
  return is_reverse ? *pair.reverse : *pair.forward;
}

bool is_reverse(const Pair& pair) { return pair.reverse && &deciding(pair) == &*pair.reverse; }

DuelLine whole_of(const Pair& pair) {
  const Evaluation& e = deciding(pair);
  DuelLine line{"", e.speedup, is_undecided(e) ? Winner::None : winner_of(e.speedup), 0, 0};
  if (!is_reverse(pair)) return line;
  line.speedup = turned(e.speedup);
  line.winner = turned(line.winner);
  return line;
}

std::vector<DuelLine> lines_of(const Pair& pair) {
  std::vector<DuelLine> lines;
  for (const WorkloadResult& w : deciding(pair).workloads)
    if (w.group == Group::Time && w.speedup.value > 0)
      lines.push_back(line_of(w, is_reverse(pair)));
  return lines;
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

Result<Side> read_side(const std::string& file, Target target, const task::Definition& definition,
                       const std::vector<std::string>& settings) {
  GivenKernel given = KW_TRY(read_kernel(file, target, definition, settings));
  Side side{file, std::move(given), false};
  side.is_trusted_by_user =
      side.given.refusal.empty() && referee::is_trusted_by_user(side.given.candidate);
  return side;
}

class Duel {
 public:
  Duel(const engine::TaskWorkbench& workbench, evaluate::PipeCarrier& carrier,
       const engine::Surroundings& surroundings, const JudgeFlags& flags)
      : workbench_(workbench), carrier_(carrier), surroundings_(surroundings), flags_(flags) {}

  Result<> run(Pair& pair) {
    Candidate alone = pair.b.given.candidate;
    // A host launcher that the user named is built and checked like a baseline; only the screening
    // of its source is skipped.
    if (pair.b.is_trusted_by_user) {
      alone.origin = Origin::Baseline;
      fmt::print(stderr,
                 "kw: {}: its host code, which nobody screens, runs in the jail because you named "
                 "it\n",
                 pair.b.file);
    }
    auto request = KW_TRY(workbench_.request(alone, nullptr));
    request.id = "judge-b";
    request.until = Stage::Check;
    request.seed = surroundings_.input_seed;
    pair.b_check = KW_TRY(carrier_.evaluate(std::move(request)));
    if (!pair.b_check.verdict.is_correct()) {
      pair.why_not = fmt::format("B, {}, is not correct, so nothing can win against it: {}",
                                 pair.b.file, pair.b_check.verdict.evidence);
      return {};
    }
    pair.forward = KW_TRY(judge(pair.a.given.candidate, pair.b.given.candidate));
    // If the machine is too noisy for a verdict, the comparison ends without a winner.
    if (is_undecided(*pair.forward)) return {};
    if (!pair.forward->verdict.is_correct()) {
      pair.why_not = pair.forward->verdict.outcome == Outcome::Unmeasurable
                         ? "there is no comparison: " + pair.forward->verdict.evidence
                         : fmt::format("A, {}, is not correct: {}", pair.a.file,
                                       pair.forward->verdict.evidence);
      return {};
    }
    if (pair.forward->speedup.value <= 0) {
      pair.why_not = pair.forward->opponent_fault.empty()
                         ? "there is no comparison: no pair could be timed"
                         : "there is no comparison: " + pair.forward->opponent_fault;
      return {};
    }
    // B may win only by the same evidence as A, so B is now judged as the candidate against A.
    const bool may_b_win =
        pair.forward->speedup.value < 1 && winner_of(pair.forward->speedup) == Winner::None;
    if (may_b_win && !pair.b.is_trusted_by_user)
      pair.reverse = KW_TRY(judge(pair.b.given.candidate, pair.a.given.candidate));
    return {};
  }

 private:
  Result<Evaluation> judge(const Candidate& candidate, const Candidate& opponent) {
    auto request = KW_TRY(workbench_.request(candidate, &opponent));
    request.id = "judge";
    request.until = Stage::Measure;
    request.seed = surroundings_.input_seed;
    KW_TRY(shape_measurement(flags_, request));
    KW_TRY(engine::recall_floors(surroundings_, request));
    auto evaluation = KW_TRY(carrier_.evaluate(request));
    KW_TRY(engine::remember_floors(surroundings_, request, evaluation));
    return evaluation;
  }

  const engine::TaskWorkbench& workbench_;
  evaluate::PipeCarrier& carrier_;
  const engine::Surroundings& surroundings_;
  const JudgeFlags& flags_;
};

std::string summary_of(const Pair& pair) {
  const DuelLine whole = whole_of(pair);
  if (whole.winner == Winner::None)
    return fmt::format("no difference shown: A is {} as fast as B{}", ratio_text(whole.speedup),
                       is_undecided(deciding(pair)) ? "; the machine was too noisy for more" : "");
  const bool is_a = whole.winner == Winner::A;
  const Side& winner = is_a ? pair.a : pair.b;
  const Side& loser = is_a ? pair.b : pair.a;
  return fmt::format("{} wins: {} is {} as fast as {}", is_a ? "A" : "B", winner.file,
                     ratio_text(is_a ? whole.speedup : turned(whole.speedup)), loser.file);
}

std::string side_text(const char* letter, const Side& side) {
  std::string text = fmt::format("{}  {}", letter, sanitise_line(side.file));
  if (side.given.drafted)
    text += fmt::format(", its plan drafted from {}", sanitise_line(side.given.drafted->function));
  if (side.is_trusted_by_user) text += ", a host launcher trusted by the user";
  return text;
}

void print_pair(const Pair& pair, const task::Definition& definition) {
  std::string text = fmt::format("{}\n{}\n", side_text("A", pair.a), side_text("B", pair.b));
  text += sanitise_line(pair.is_compared() ? summary_of(pair) : pair.why_not) + "\n";
  if (pair.is_compared()) {
    for (const DuelLine& line : lines_of(pair))
      text += fmt::format("  {:<14} {:<26} A {:>9}  B {:>9}  {}  {}\n", line.name,
                          dims_text(definition, line.name), format_ns(line.a_ns),
                          format_ns(line.b_ns), ratio_text(line.speedup),
                          line.winner == Winner::None ? "not told apart"
                          : line.winner == Winner::A  ? "A wins"
                                                      : "B wins");
    if (is_reverse(pair)) text += "judged with B as the candidate:\n";
  }
  fmt::print("{}", folded(text, look_of(STDOUT_FILENO)));
  print_evaluation(pair.is_compared() ? deciding(pair)
                   : pair.forward     ? *pair.forward
                                      : pair.b_check);
}

Json side_json(const Side& side) {
  Json object = {{"file", side.file},
                 {"trust_class", name_of(side.given.candidate.trust_class)},
                 {"is_trusted_by_user", side.is_trusted_by_user}};
  if (side.given.drafted) object["drafted"] = drafted_json(*side.given.drafted);
  return object;
}

Json pair_json(const Pair& pair, const task::Definition& definition) {
  Json object = {{"task", definition.task.name},
                 {"a", side_json(pair.a)},
                 {"b", side_json(pair.b)},
                 {"winner", Json()},
                 {"why_not", pair.why_not},
                 {"is_undecided", pair.is_compared() && is_undecided(deciding(pair))},
                 {"workloads", Json::array()},
                 {"b_check", evaluation_json(pair.b_check)}};
  if (pair.is_compared()) {
    const DuelLine whole = whole_of(pair);
    object["winner"] = words_of(whole.winner);
    object["speedup"] = {{"value", whole.speedup.value},
                         {"low", whole.speedup.low},
                         {"high", whole.speedup.high},
                         {"confidence", whole.speedup.confidence}};
    for (const DuelLine& line : lines_of(pair))
      object["workloads"].push_back({{"name", line.name},
                                     {"dims", dims_text(definition, line.name)},
                                     {"a_ns", line.a_ns},
                                     {"b_ns", line.b_ns},
                                     {"speedup", line.speedup.value},
                                     {"low", line.speedup.low},
                                     {"high", line.speedup.high},
                                     {"winner", words_of(line.winner)}});
  }
  object["a_against_b"] = pair.forward ? evaluation_json(*pair.forward) : Json();
  object["b_against_a"] = pair.reverse ? evaluation_json(*pair.reverse) : Json();
  return object;
}

/// Ends the comparison of two kernels because a file is no candidate, with all findings about the
/// file.
Result<int> refuse(const Global& global, const char* letter, const Side& side,
                   const std::string& advice) {
  if (global.json) {
    Json object = {{"winner", Json()},
                   {"why_not", fmt::format("{}, {}, is no candidate: {}", letter, side.file,
                                           side.given.refusal)},
                   {"findings", Json::array()}};
    for (const Finding& finding : side.given.findings)
      object["findings"].push_back(encode_json(finding));
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    fmt::print("{}, {}, is no candidate: {}\n{}{}", letter, sanitise_line(side.file),
               sanitise_line(side.given.refusal), task::to_text(side.given.findings), advice);
  }
  return kNotGood;
}

}  // namespace

Result<int> judge_pair(const Global& global, const JudgeFlags& flags, Stage until) {
  if (until != Stage::Measure)
    return fail_input(
        "two kernels are compared by measuring them: --against goes with --until "
        "measure alone",
        "--until");
  if (flags.inspect.profile || flags.inspect.sanitize)
    return fail_input("--profile and --sanitize look at one kernel: judge it without --against");
  const Aim aim = KW_TRY(flags.target.aim(flags.file));
  if (KW_TRY(flags.target.aim(flags.against)).target != aim.target)
    return fail_input(
        "the two kernels are for different targets: kw compare --targets compares "
        "runs of both",
        "--against");
  auto starting = Bench::start(global, aim);  // the worker looks around while this process reads
  const auto data = KW_TRY(open_data(global));
  const auto definition = KW_TRY(open_accepted_task(global, data, flags.task));
  Pair pair;
  pair.a = KW_TRY(read_side(flags.file, aim.target, definition, flags.settings));
  if (!pair.a.given.refusal.empty()) return refuse(global, "A", pair.a, "");
  pair.b = KW_TRY(read_side(flags.against, aim.target, definition, {}));
  if (!pair.b.given.refusal.empty())
    return refuse(global, "B", pair.b,
                  aim.target == Target::Cuda ? host_form_of(definition.task) : "");
  if (const std::string why = why_not_built(pair.b.given.candidate); !why.empty())
    return fail(why, flags.against);
  if (!global.json)
    for (const Side* side : {&pair.a, &pair.b})
      if (side->given.drafted) say_drafted(side->file, *side->given.drafted);
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  auto bench = KW_TRY(std::move(starting));
  KW_TRY(bench->meet(&store, aim));
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      task::Definition(definition), {}, KW_TRY(workbench_options(global, aim, bench->facts()))));
  engine::Observer nobody;
  const engine::Surroundings surroundings{workbench,
                                          bench->carrier(),
                                          store,
                                          platform::real_clock(),
                                          nobody,
                                          global.is_interrupted,
                                          Seed::from_os().low,
                                          bench->judge_id()};
  KW_TRY(bench->ensure_ceilings());
  KW_TRY(Duel(workbench, bench->carrier(), surroundings, flags).run(pair));
  bench->carrier().dismiss();
  if (global.json)
    std::printf("%s\n", dump_json(pair_json(pair, definition)).c_str());
  else
    print_pair(pair, definition);
  return pair.is_compared() ? kDone : kNotGood;
}

}  // namespace kw::cli

// Enumerations that the whole program shares, with their names in files and on screens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/enum_names.h"

namespace kw {

/// How far a candidate came, in the order of a candidate's life.
enum class Stage { Propose, Screen, Compile, Load, Launch, Run, Check, Measure };
template <>
struct EnumNames<Stage> {
  static constexpr std::array<std::string_view, 8> names{"propose", "screen", "compile", "load",
                                                         "launch",  "run",    "check",   "measure"};
};

/// How the evaluation of a candidate ended. docs/verdicts.md maps every known fault to its (stage,
/// outcome).
enum class Outcome {
  Correct,
  NoCandidate,
  Rejected,
  CompileFailed,
  LoadFailed,
  LaunchFailed,
  TimedOut,
  OutOfResources,
  Crashed,
  OutOfBounds,
  WrongShapeOrDtype,
  WrongResult,
  ModifiedInput,
  Cheated,
  Implausible,
  Unmeasurable,
  Unsupported,
};
template <>
struct EnumNames<Outcome> {
  static constexpr std::array<std::string_view, 17> names{"correct",
                                                          "no_candidate",
                                                          "rejected",
                                                          "compile_failed",
                                                          "load_failed",
                                                          "launch_failed",
                                                          "timed_out",
                                                          "out_of_resources",
                                                          "crashed",
                                                          "out_of_bounds",
                                                          "wrong_shape_or_dtype",
                                                          "wrong_result",
                                                          "modified_input",
                                                          "cheated",
                                                          "implausible",
                                                          "unmeasurable",
                                                          "unsupported"};
};

/// Where a candidate runs. The table in record/target.h says what each target is, and may have more
/// rows than are named here; code outside of that table and of tables of strategies by target names
/// no target.
enum class Target : unsigned char { Cpu, Cuda };

/// Target of kernels where nobody says another.
inline constexpr Target kDefaultTarget = Target::Cpu;
/// Target of the referee's own code: references, magnitudes and what else this machine itself runs.
inline constexpr Target kHostTarget = Target::Cpu;

/// Names of all targets, from the table.
struct TargetNames {
  static std::size_t size();
  static const std::string_view* data();
  const std::string_view* begin() const { return data(); }
  const std::string_view* end() const { return data() + size(); }
  std::string_view operator[](std::size_t i) const { return data()[i]; }
};
template <>
struct EnumNames<Target> {
  static constexpr TargetNames names{};
};

enum class TensorRole { In, Out, InOut };
template <>
struct EnumNames<TensorRole> {
  static constexpr std::array<std::string_view, 3> names{"in", "out", "inout"};
};

/// What a tensor holds when the candidate is called.
enum class Initial { Values, Zero, Poison };
template <>
struct EnumNames<Initial> {
  static constexpr std::array<std::string_view, 3> names{"values", "zero", "poison"};
};

enum class GateKind { Exact, Relative, Dot, Field };
template <>
struct EnumNames<GateKind> {
  static constexpr std::array<std::string_view, 4> names{"exact", "relative", "dot", "field"};
};

/// What a workload is for: Show is shown in prompts, Check is hidden from proposers and checks
/// values, Time is timed.
enum class Group { Show, Check, Time };
template <>
struct EnumNames<Group> {
  static constexpr std::array<std::string_view, 3> names{"show", "check", "time"};
};

/// How a player is confined; docs/threat-model.md explains the levels under "Jail levels".
enum class JailLevel { Namespace, Landlock, None };
template <>
struct EnumNames<JailLevel> {
  static constexpr std::array<std::string_view, 3> names{"namespace", "landlock", "none"};
};

/// What form of code a candidate is, and so what it may do; reports never mix classes silently.
enum class TrustClass { DeviceCode, CpuFunction, HostLauncher, Python };
template <>
struct EnumNames<TrustClass> {
  static constexpr std::array<std::string_view, 4> names{"device_code", "cpu_function",
                                                         "host_launcher", "python"};
};

/// Who wrote a candidate.
enum class Origin { Task, Playbook, Generic, Tuner, Model, Human, Baseline, Reference };
template <>
struct EnumNames<Origin> {
  static constexpr std::array<std::string_view, 8> names{
      "task", "playbook", "generic", "tuner", "model", "human", "baseline", "reference"};
};

/// Whether the code ships with the task; such code is trusted without the proofs that a candidate
/// must give.
constexpr bool is_trusted(Origin origin) {
  return origin == Origin::Baseline || origin == Origin::Reference;
}

/// What limits a timed workload.
enum class Bound { Memory, Compute, Launch, Latency, Unknown };
template <>
struct EnumNames<Bound> {
  static constexpr std::array<std::string_view, 5> names{"memory", "compute", "launch", "latency",
                                                         "unknown"};
};

/// What an evaluation means for its run.
enum class OutcomeClass { NewBest, NoGain, Failed };
template <>
struct EnumNames<OutcomeClass> {
  static constexpr std::array<std::string_view, 3> names{"new_best", "no_gain", "failed"};
};

/// How much a prompt tells about an earlier attempt; each level includes those before it.
enum class FeedbackLevel {
  None,      ///< The code, and whether it was correct.
  Errors,    ///< What the compiler and the checks said.
  Findings,  ///< The speed, and the referee's other findings.
  Profile,   ///< The place under the roofline, and counters.
};
template <>
struct EnumNames<FeedbackLevel> {
  static constexpr std::array<std::string_view, 4> names{"none", "errors", "findings", "profile"};
};

}  // namespace kw

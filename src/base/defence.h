// Names of the referee's defences. A test build can switch one off to show that an attack succeeds
// without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kw {

/// One defence that an attack of tests/exploits is held against; each comment says what is lost
/// when the defence is off. docs/threat-model.md has a row for each.
enum class Defence : std::uint8_t {
  EveryThreadStopped,  ///< Without: a stop is a signal to the process, taken by its first thread.
  LongLives,           ///< Without: a process ends after as many calls as there are input sets.
  MemoryOfALife,       ///< Without: processes that follow one another map the same memory.
  WorkOutsideCalls,    ///< Without: nobody looks for work after an answer or before a request.

  // Defences that limit what a candidate is made of.
  SourceCap,       ///< Without: a source of any length is read.
  ClaimsScreened,  ///< Without: libraries, options and host code that the task forbids are used.
  TextScreened,    ///< Without: what the text of a source shows is not looked at.
  ObjectScreened,  ///< Without: what an object imports and defines is not looked at.
  PlansChecked,    ///< Without: a launch plan goes to the driver unchecked.
  CompileSize,     ///< Without: an object has up to 1 GiB.
  CompileTime,     ///< Without: a compiler runs as long as it likes.

  // Defences that limit what a candidate's process may do.
  JailFiles,         ///< Without: a jail shows /etc, /proc and a shared /tmp that can be written.
  SystemCalls,       ///< Without: neither the jail nor the player filters system calls.
  AllowedCalls,      ///< Without: a CPU player's calls are denied by a list, not allowed by one.
  OwnRoot,           ///< Without: a CPU player sees all of the system's files.
  LockedPages,       ///< Without: pages of the libraries that players share may be dropped.
  ResourceLimits,    ///< Without: no bound on a player's address space and threads.
  TimeLimit,         ///< Without: an answer is awaited for ever.
  ExactEnvironment,  ///< Without: a player inherits a variable of its caller.
  SilentPlayers,     ///< Without: what a player prints is printed.
  OnlyAnswersCount,  ///< Without: a process that ends or fails counts as one that answered.
  AnswerNumbers,     ///< Without: an answer need not repeat the number of its request.
  StrayAnswers,      ///< Without: an answer that nobody asked for is thrown away.
  ArithmeticReset,   ///< Without: a call inherits rounding modes from the call before.

  // Defences that limit what a candidate may read and write.
  GuardPages,       ///< Without: the memory beside a buffer can be accessed.
  Canaries,         ///< Without: nobody looks at the bytes beside a buffer.
  PaddingCompared,  ///< Without: nobody looks at the padding between rows.
  InputsReadOnly,   ///< Without: a process may write its inputs.
  InputsCompared,   ///< Without: nobody looks whether an input has changed.
  OutputsPoisoned,  ///< Without: an output holds what the last user of its memory left.
  WorkspacesAnew,   ///< Without: a workspace of a GPU's plan keeps its content between calls.
  NoSetTwice,       ///< Without: a process lives on and each timed call is on the same inputs.

  // Defences that decide which values are compared with the float64 reference, and when.
  ValuesCompared,      ///< Without: the values of outputs are not compared.
  NonfiniteMatched,    ///< Without: outputs that are not finite are not compared.
  SecondGate,          ///< Without: the RMS error is not compared with the trusted baseline's.
  HiddenShapes,        ///< Without: the shapes and values that prompts do not show are not run.
  LinkedAsCompiled,    ///< Without: the linker may compile what an object brings along.
  TimedShapesChecked,  ///< Without: a timed shape is not checked before it is timed.
  /// Without this defence, a timed shape is checked only on values like those of timed inputs.
  ValuesBorrowed,
  EveryCallChecked,  ///< Without: the first calls of a process are checked, timed ones are not.
  StoppedAtAnswer,   ///< Without: a process runs on after its answer.
  LateWorkWatched,   ///< Without: nobody looks what a process does after its answer.
  CachesFlushed,     ///< Without: a timed call begins with what lies in the caches.
  PhysicsFloor,      ///< Without: a time may be shorter than moving the data takes.
  TroublesOfTarget,  ///< Without: a cpu player is believed when it reports trouble with a GPU.
  DeviceFaultSeen,   ///< Without: a device counts as failed because a player says so.
  PlantedInputs,     ///< Without: a missing term or bit is too small an error to be seen.

  // Defences that clear what a GPU keeps between timed calls.
  ModulesReloaded,       ///< Without: device globals of a GPU's candidate live from call to call.
  LocalMemoryScrubbed,   ///< Without: what threads of a GPU keep in local memory survives.
  RegistersScrubbed,     ///< Without: a GPU's registers are left as they are between calls.
  SharedMemoryScrubbed,  ///< Without: a GPU's shared memory is left as it is between calls.
  TablesCleared,         ///< Without: memory behind a plan's tables on a GPU keeps its content.
  LocalFramesCapped,     ///< Without: a task's bound on local memory is not asked for.
  GpuSetsSeenOnce,       ///< Without: a process on a GPU is timed on the same few sets again.
};

struct DefenceName {
  Defence defence;
  std::string_view name;
};

/// Names of the defences in files of tests/exploits (`// control: NAME`).
inline constexpr DefenceName kDefenceNames[] = {
    {Defence::EveryThreadStopped, "every-thread-stopped"},
    {Defence::LongLives, "long-lives"},
    {Defence::MemoryOfALife, "memory-of-a-life"},
    {Defence::WorkOutsideCalls, "work-outside-calls"},
    {Defence::SourceCap, "source-cap"},
    {Defence::ClaimsScreened, "claims-screened"},
    {Defence::TextScreened, "text-screened"},
    {Defence::ObjectScreened, "object-screened"},
    {Defence::PlansChecked, "plans-checked"},
    {Defence::CompileSize, "compile-size"},
    {Defence::CompileTime, "compile-time"},
    {Defence::JailFiles, "jail-files"},
    {Defence::SystemCalls, "system-calls"},
    {Defence::AllowedCalls, "allowed-calls"},
    {Defence::OwnRoot, "own-root"},
    {Defence::LockedPages, "locked-pages"},
    {Defence::ResourceLimits, "resource-limits"},
    {Defence::TimeLimit, "time-limit"},
    {Defence::ExactEnvironment, "exact-environment"},
    {Defence::SilentPlayers, "silent-players"},
    {Defence::OnlyAnswersCount, "only-answers-count"},
    {Defence::AnswerNumbers, "answer-numbers"},
    {Defence::StrayAnswers, "stray-answers"},
    {Defence::ArithmeticReset, "arithmetic-reset"},
    {Defence::GuardPages, "guard-pages"},
    {Defence::Canaries, "canaries"},
    {Defence::PaddingCompared, "padding-compared"},
    {Defence::InputsReadOnly, "inputs-read-only"},
    {Defence::InputsCompared, "inputs-compared"},
    {Defence::OutputsPoisoned, "outputs-poisoned"},
    {Defence::WorkspacesAnew, "workspaces-anew"},
    {Defence::NoSetTwice, "no-set-twice"},
    {Defence::ValuesCompared, "values-compared"},
    {Defence::NonfiniteMatched, "nonfinite-matched"},
    {Defence::SecondGate, "second-gate"},
    {Defence::HiddenShapes, "hidden-shapes"},
    {Defence::LinkedAsCompiled, "linked-as-compiled"},
    {Defence::TimedShapesChecked, "timed-shapes-checked"},
    {Defence::ValuesBorrowed, "values-borrowed"},
    {Defence::EveryCallChecked, "every-call-checked"},
    {Defence::StoppedAtAnswer, "stopped-at-answer"},
    {Defence::LateWorkWatched, "late-work-watched"},
    {Defence::CachesFlushed, "caches-flushed"},
    {Defence::PhysicsFloor, "physics-floor"},
    {Defence::TroublesOfTarget, "troubles-of-target"},
    {Defence::DeviceFaultSeen, "device-fault-seen"},
    {Defence::PlantedInputs, "planted-inputs"},
    {Defence::ModulesReloaded, "modules-reloaded"},
    {Defence::LocalMemoryScrubbed, "local-memory-scrubbed"},
    {Defence::RegistersScrubbed, "registers-scrubbed"},
    {Defence::SharedMemoryScrubbed, "shared-memory-scrubbed"},
    {Defence::TablesCleared, "tables-cleared"},
    {Defence::LocalFramesCapped, "local-frames-capped"},
    {Defence::GpuSetsSeenOnce, "gpu-sets-seen-once"},
};

/// False only in builds with KW_DEFENCES_MAY_BE_OFF, which no released program is, and there only
/// where the environment variable KW_DEFENCES_OFF lists the defence's name (several names with
/// commas between them). An unknown name in the list ends the process, since a control that
/// switches nothing off would prove nothing. Cost: none in a release, else one look at the
/// environment.
#ifdef KW_DEFENCES_MAY_BE_OFF
bool is_on(Defence defence);
#else
constexpr bool is_on(Defence) { return true; }
#endif

/// The environment variable, "KW_DEFENCES_OFF=…", that a process with defences switched off hands
/// on to the processes it starts; empty where all are on.
#ifdef KW_DEFENCES_MAY_BE_OFF
std::string_view defences_variable();
#else
constexpr std::string_view defences_variable() { return {}; }
#endif

}  // namespace kw

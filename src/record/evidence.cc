// The sentences of verdicts, in one table, and what fills them in.
// SPDX-License-Identifier: Apache-2.0
#include "record/evidence.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace kw {
namespace {

struct Row {
  EvidenceKind kind;
  std::string_view words;
};

// {field} stands for a field of Evidence, {name} for the first of its names, {cause} for the
// sentence of its cause, {0} for its first number, rounded. A number may have a form: {0:ns} a
// time, {0:bytes} a size, {0:s} the ending of a plural, {0:signal} a signal with its name, {0:hex},
// {0:.3g}. What stands in brackets is left out if one of its fields is empty. {{ and }} are braces.
constexpr auto kTable = std::to_array<Row>({
    // Without an evaluation by the referee.
    {EvidenceKind::None, ""},
    {EvidenceKind::CompiledOnly, "compiled; not run"},
    {EvidenceKind::Synthetic, "synthetic"},
    {EvidenceKind::Example, "here stands what the referee saw"},
    // Before there is a candidate.
    {EvidenceKind::NotACandidate, "{detail}"},
    {EvidenceKind::NoAnswer, "no usable answer: {detail}"},
    {EvidenceKind::DirectivesUnusable, "the // kw: lines of the source cannot be used"},
    {EvidenceKind::TurnedDown, "the critic model turned this kernel down before it was judged"},
    // The screening of claims and plans.
    {EvidenceKind::DialectHeadersMissing,
     "`// kw: dialect {name}` needs {subject}, which are not found on this machine: write "
     "plain CUDA"},
    {EvidenceKind::ForbiddenTechnique,
     "it names the technique '{subject}', which the person in charge has forbidden (order {0})"},
    {EvidenceKind::HostLauncher,
     "a host launcher could forge what its process reports and outlive its call, so only a task's "
     "own baselines may be one; `kw plan draft FILE.cu` reads device code with a launch plan off "
     "kernels that the file launches itself, and --against takes a host launcher"},
    {EvidenceKind::LibraryNotAllowed,
     "the task does not allow the library '{subject}'; remove the line that names it, and write "
     "what it would do"},
    {EvidenceKind::OptionNotAllowed,
     "the task does not allow the compiler option '{subject}'; remove it[, it allows {names}]"},
    {EvidenceKind::DirectiveRefused, "{detail}"},
    {EvidenceKind::PlanRefused, "{detail}"},
    {EvidenceKind::PlanBeyondLimit, "{detail}"},
    {EvidenceKind::TargetRule, "{detail}"},
    // The screening of the source's text.
    {EvidenceKind::EmptySource, "the source file is empty"},
    {EvidenceKind::BinarySource, "the source file is not text: it holds a zero byte"},
    {EvidenceKind::UnclearRawLiteral,
     "compilers differ on whether a raw literal begins here; write a blank between the name and "
     "the literal"},
    {EvidenceKind::EndlessRawLiteral,
     "this raw literal has no end, or a delimiter that C++ does not know; write R\"(text)\""},
    {EvidenceKind::UnclearHeader,
     "compilers read the name of this header in different ways; name headers of the system, as in "
     "#include <cmath>"},
    {EvidenceKind::UnclearName,
     "compilers differ on names with \\u{{…}} and \\N{{…}}; write the character itself"},
    {EvidenceKind::EmbeddedFile,
     "#embed reads a file at compile time; put the bytes into the source, as an array"},
    {EvidenceKind::IncludeByMacro,
     "an #include names its file by a macro; write the name itself, as in #include <cmath>"},
    {EvidenceKind::IncludeByPath,
     "an #include names a file by absolute or parent path; include headers of the system by their "
     "names, and write everything else into the source"},
    {EvidenceKind::AssemblyBytes,
     "assembly includes a file; put the bytes into the source, as an array"},
    {EvidenceKind::AssemblyInclude,
     "assembly includes a file; write the instructions into the source"},
    {EvidenceKind::PtxSymbol, "inline PTX declares a symbol of its own; declare it in C++"},
    {EvidenceKind::PtxKernel,
     "inline PTX declares a kernel of its own; write it as a __global__ function"},
    {EvidenceKind::PtxSection, "inline PTX writes sections of its own; leave them to the compiler"},
    {EvidenceKind::RuntimeCall,
     "calls of the CUDA runtime have no place in device code; // kw: lines launch kernels, clear "
     "and copy, and take workspaces"},
    {EvidenceKind::HostCode,
     "this is host code; a file for target cuda holds only device code and // kw: lines, so leave "
     "host code out"},
    {EvidenceKind::LaunchInSource, "kernels are launched by // kw: launch lines, not by <<< >>>"},
    {EvidenceKind::KnobNamesArgument,
     "line {0}: the knob '{subject}' has the name of an argument of the task, and a macro would "
     "stand in the argument's place; give the knob another name"},
    {EvidenceKind::KnobNamesFunction,
     "line {0}: the knob '{subject}' has the name of the task's function; give it another"},
    {EvidenceKind::KnobNamesHeader,
     "line {0}: the knob '{subject}' has a name that headers use, and a macro breaks them; give "
     "the knob another name, such as {subject}_"},
    {EvidenceKind::KnobRedefined,
     "line {0}: #{name} {subject}, which is a knob: every setting of it would be the same code; "
     "leave the line out, or write #ifndef {subject} before it"},
    // The screening of built objects.
    {EvidenceKind::ObjectUnreadable, "the compiled object cannot be read: {detail}"},
    {EvidenceKind::LibraryNeeded,
     "the object needs the library '{subject}', which the task does not allow; write what it would "
     "do"},
    {EvidenceKind::SystemNameDefined,
     "the object defines '{subject}' in place of the system's; give the function another name, or "
     "make it static"},
    {EvidenceKind::StartsProcesses,
     "the object uses '{subject}', which starts other programs or processes; use threads: OpenMP, "
     "std::thread, std::async or pthread_create, joined or parked by the end of the call"},
    {EvidenceKind::LoadsCode,
     "the object uses '{subject}', which loads code or changes the protection of memory; write the "
     "code itself; memory comes from new, malloc or mmap"},
    {EvidenceKind::ReadsFiles,
     "the object uses '{subject}', which opens, reads or writes files; put tables into the source, "
     "as constants or computed at the first call"},
    {EvidenceKind::UsesNetwork,
     "the object uses '{subject}', which uses the network; a kernel may use only its arguments"},
    {EvidenceKind::ReadsClocks,
     "the object uses '{subject}', which looks at clocks or waits for a time; only the referee "
     "times a kernel; wait on a condition variable, std::barrier, std::latch or std::atomic::wait, "
     "and let knobs (// kw: tune) choose what is quickest"},
    {EvidenceKind::UsesEnvironment,
     "the object uses '{subject}', which reads or changes the environment; take settings from "
     "knobs (// kw: tune); omp_get_max_threads() gives the threads"},
    {EvidenceKind::HandlesSignals,
     "the object uses '{subject}', which sends signals or changes how they are handled; end "
     "threads by joining them; wake them by a condition variable or std::atomic::notify_all"},
    {EvidenceKind::BindsThreads,
     "the object uses '{subject}', which changes where threads run or how they are scheduled; "
     "leave it out: the referee binds OpenMP's threads, one to a processor"},
    {EvidenceKind::ReachesSystem,
     "the object uses '{subject}', which calls the operating system without the C library; call "
     "the library's own functions; std::atomic::wait and notify_all are what futex is for"},
    {EvidenceKind::UnknownImport,
     "the object uses '{subject}', which is not among the functions that kernels may use (memory, "
     "strings, mathematics, sorting, output, threads, OpenMP, the C++ library; docs/verdicts.md); "
     "write its code into the kernel"},
    {EvidenceKind::WritableCode,
     "the object wants memory that is both writable and executable; leave code in the sections "
     "that the compiler chooses"},
    {EvidenceKind::LinkerTag,
     "the object asks the dynamic linker for something unusual (tag {0:hex}); leave sections and "
     "relocations to the compiler"},
    {EvidenceKind::RunsAtLoad,
     "'{subject}' runs when the object is loaded, by a constructor attribute or a section of its "
     "own; compute what is needed at the first call, in a static variable of the function, or make "
     "it a constexpr table or an object with a constructor"},
    {EvidenceKind::RunsAtUnload,
     "'{subject}' would run when the object is unloaded, which never happens; leave it out"},
    {EvidenceKind::AssemblyAtLoad,
     "assembly adds code to '{subject}', which runs when the object is loaded; compute what is "
     "needed at the first call, in a static variable of the function, or make it a constexpr table "
     "or an object with a constructor"},
    {EvidenceKind::SystemCallInstruction,
     "the instruction {subject} in '{name}' calls the operating system without the C library; call "
     "the C library's functions, such as mmap or std::atomic::wait"},
    {EvidenceKind::ClockInstruction,
     "the instruction {subject} in '{name}' reads the time-stamp counter or waits by it; only the "
     "referee times a kernel; let knobs (// kw: tune) choose what is quickest"},
    {EvidenceKind::CounterInstruction,
     "the instruction {subject} in '{name}' reads a performance counter; leave it out; kw judge "
     "--profile tells what a kernel is bound by"},
    {EvidenceKind::ModeInstruction,
     "the instruction {subject} in '{name}' changes the mode of the processor; leave it out; no "
     "kernel needs it"},
    {EvidenceKind::SystemCallFunction,
     "'{subject}' uses syscall() for something other than waiting on a futex and waking its "
     "waiters; call the C library's function instead, or std::atomic::wait and notify_all"},
    {EvidenceKind::CallingResolver,
     "'{subject}' chooses a function while the object is loaded (ifunc) and calls others for it; "
     "use target_clones, or choose by __builtin_cpu_supports in the call"},
    {EvidenceKind::ArithmeticChanged,
     "an attribute or pragma changes the arithmetic of '{subject}': optimize({name}); where the "
     "task allows it, claim it by the line '// kw: option fast_math', else write the sums in the "
     "order that you want, with several accumulators or '#pragma omp simd reduction'"},
    {EvidenceKind::GridIdRegister,
     "the device code reads {subject}, which counts launches; a kernel's result depends on its "
     "arguments alone, so leave it out"},
    {EvidenceKind::ClockRegister,
     "the device code reads {subject}, which tells the time, which only the referee measures; wait "
     "with a barrier, cuda::atomic::wait or __nanosleep, and let knobs (// kw: tune) choose what "
     "is quickest"},
    {EvidenceKind::CounterRegister,
     "the device code reads {subject}, which counts hardware events; leave it out; kw judge "
     "--profile tells what a kernel is bound by"},
    {EvidenceKind::DevicePrints,
     "the device code uses '{subject}', which prints; leave out printf, whose output nobody sees"},
    {EvidenceKind::DeviceHeap,
     "the device code uses '{subject}', which takes memory from the device's heap; declare scratch "
     "memory by // kw: workspace lines"},
    {EvidenceKind::DeviceRuntime,
     "the device code uses '{subject}', which calls the CUDA runtime on the device; declare "
     "launches by // kw: launch lines"},
    {EvidenceKind::DeviceImport,
     "the device code uses '{subject}', which may not be called by device code; write its code "
     "into the source"},
    {EvidenceKind::KernelRegisters,
     "launch of '{subject}': the kernel uses {0} registers a thread; the task allows {1}: give the "
     "kernel __launch_bounds__, or keep less in each thread"},
    {EvidenceKind::KernelLocalMemory,
     "launch of '{subject}': the kernel uses {0} bytes of local memory a thread; the task allows "
     "{1}: keep data in shared memory or in a workspace instead"},
    // Compiling and loading.
    {EvidenceKind::NotCompiled, "[{place}: ]{detail}"},
    {EvidenceKind::NotLoaded, "the object could not be loaded[: {detail}]"},
    {EvidenceKind::LoadCodeEnded, "code that runs at load time ended the process"},
    {EvidenceKind::LoadCodeCrashed, "code that runs at load time crashed[: {detail}]"},
    {EvidenceKind::LoadFaulted, "loading faulted on the device[: {detail}]"},
    {EvidenceKind::LoadBroken, "while loading, the process {cause}"},
    // Launching.
    {EvidenceKind::KernelMissing,
     "launch of '{subject}': the compiled code has no such kernel[ (did you mean '{name}'?)]; a "
     "plain name needs extern \"C\""},
    {EvidenceKind::TooManyArguments,
     "launch of '{subject}': the launch passes {0} arguments, and the kernel has {1} "
     "parameter{1:s}"},
    {EvidenceKind::TooFewArguments,
     "launch of '{subject}': the kernel has {0} parameters, and the launch does not pass argument "
     "{1}"},
    {EvidenceKind::ArgumentSize,
     "launch of '{subject}': argument {0} has {1} bytes, and the kernel's parameter has {2}; write "
     "the argument's type, as in i64( ) or f32( )"},
    {EvidenceKind::BlockBeyondBounds,
     "launch of '{subject}': the launch asks for blocks of {0} threads, and the kernel's "
     "__launch_bounds__ allow {1}"},
    {EvidenceKind::BlockRegisters,
     "launch of '{subject}': a block of {0} threads with {1} registers each needs more than the "
     "{2} registers that a block has; give the kernel __launch_bounds__({0}) or the block fewer "
     "threads"},
    {EvidenceKind::SharedMemory,
     "launch of '{subject}': a block of this launch takes {0:bytes} of dynamic and {1:bytes} of "
     "static shared memory, and this device gives a block {2:bytes}"},
    {EvidenceKind::WorkspacesBeyondTask,
     "workload '{workload}': the workspaces of the plan need {0:bytes}, the task allows {1:bytes}"},
    {EvidenceKind::WorkspacesBeyondDevice,
     "workload '{workload}': the workspaces of the plan need {0:bytes}, more than is free on the "
     "device"},
    {EvidenceKind::NoRoomForWorkspace,
     "workload '{workload}': the device has no room for the workspace '{subject}': {detail}"},
    {EvidenceKind::PlanNotLaunched, "the plan cannot be launched[: {detail}]"},
    {EvidenceKind::PlanNotBound,
     "the launch plan at workload '{workload}' cannot be launched[: {detail}]"},
    {EvidenceKind::PlanBroken, "the launch plan at workload '{workload}' {cause}[: {detail}]"},
    // How a call ended.
    {EvidenceKind::CallNotLoaded,
     "[the call on workload '{workload}'[, {subject},] ]could not be loaded[: {detail}]"},
    {EvidenceKind::CallCrashed,
     "[the call on workload '{workload}'[, {subject},] ]crashed with signal {0:signal}[ (a process "
     "that cannot start another thread ends in the same way; its limit is a little above {1})]"},
    {EvidenceKind::CallBeyondTensor,
     "[the call on workload '{workload}'[, {subject},] ]crashed with signal {0:signal}, at an "
     "address beside a tensor"},
    {EvidenceKind::CallTimedOut,
     "[the call on workload '{workload}'[, {subject},] ]did not return in time"},
    {EvidenceKind::CallExited,
     "[the call on workload '{workload}'[, {subject},] ]ended by itself before it answered[ (a "
     "process that cannot start another thread ends in the same way; its limit is a little above "
     "{0})]"},
    {EvidenceKind::CallOutOfMemory,
     "[the call on workload '{workload}'[, {subject},] ]ran out of memory"},
    {EvidenceKind::CallForged,
     "[the call on workload '{workload}'[, {subject},] ]sent an answer that no honest process "
     "sends[: {detail}]"},
    {EvidenceKind::CallRefused,
     "[the call on workload '{workload}'[, {subject},] ]was refused at its launch[: {detail}]"},
    {EvidenceKind::DeviceFault,
     "[the call on workload '{workload}'[, {subject},] ]was stopped by the device with CUDA error "
     "{0}[: {detail}]"},
    {EvidenceKind::DeviceBadAddress,
     "[the call on workload '{workload}'[, {subject},] ]was stopped by the device with CUDA error "
     "{0}[: {detail}]: an address that no buffer of the call holds, or a write to an input"},
    // What the checks of a call found.
    {EvidenceKind::GuardChanged, "workload '{workload}', tensor '{tensor}': {detail}"},
    {EvidenceKind::WorkspaceGuardChanged, "workload '{workload}', workspace '{subject}': {detail}"},
    {EvidenceKind::InputChanged,
     "workload '{workload}', tensor '{tensor}': {0} bytes of the input were changed"},
    {EvidenceKind::InputWritten,
     "workload '{workload}': the kernel writes to its inputs: the call faults while they are "
     "read-only, and returns once they may be written"},
    {EvidenceKind::PaddingChanged,
     "workload '{workload}', tensor '{tensor}': {0} bytes of padding between rows were changed"},
    {EvidenceKind::ElementsWrong,
     "[workload '{workload}', tensor '{tensor}': ]{0} of {1} elements looked at are wrong[ ({2} of "
     "them not finite where the truth is, or finite where it is not)]"},
    {EvidenceKind::L2TooLarge,
     "[workload '{workload}', tensor '{tensor}': ]the relative L2 difference is {0:.3g}, and "
     "{1:.3g} is allowed"},
    {EvidenceKind::RmsTooLarge,
     "[workload '{workload}', tensor '{tensor}': ]RMS error {0:.3g} is {1:.3g} times that of the "
     "trusted baseline, {2:.3g} times is allowed: less precise arithmetic than the task's type"},
    {EvidenceKind::ResultRemembered,
     "workload '{workload}', tensor '{tensor}': the output is the answer for inputs of another "
     "call: the kernel remembers results"},
    {EvidenceKind::RunsDiffer,
     "workload '{workload}': two runs on equal inputs differ by up to {0:.3g}; the task requires "
     "determinism"},
    {EvidenceKind::ExitAfterReturn,
     "workload '{workload}': the process ended by itself after the call had returned"},
    {EvidenceKind::OutputChangedLater,
     "workload '{workload}', tensor '{tensor}': {0} bytes of the output changed after the call had "
     "returned"},
    {EvidenceKind::ProcessesLeft, "{0} processes were left running after the call"},
    {EvidenceKind::WorkAfterReturn,
     "{0:.3g} ms of CPU time were spent after the call had returned, {1:.3g} ms are allowed"},
    // What the timing found.
    {EvidenceKind::NoRoomToTime, "not every timed workload fits into the memory that is free now"},
    {EvidenceKind::InterruptedCheck, "the judgement was interrupted before the check"},
    {EvidenceKind::InterruptedTiming, "the judgement was interrupted before the timing"},
    {EvidenceKind::InterruptedPairs, "the judgement was interrupted after {0} pairs"},
    {EvidenceKind::InterruptedAlone,
     "the judgement was interrupted while the kernel was timed alone"},
    {EvidenceKind::InterruptedLife,
     "the judgement was interrupted during many calls of one process"},
    {EvidenceKind::CallTooShort,
     "workload '{workload}': a call takes {0:ns}; below {1:ns} its time is mostly that of the "
     "launch"},
    {EvidenceKind::TooManyCalls,
     "workload '{workload}': a call takes {0:ns}; a timing sample of {1:ns} would need {2} calls "
     "on distinct inputs, and at most {3} of them fit into memory"},
    {EvidenceKind::NoTime,
     "workload '{workload}': the call takes no longer than a call of an empty function"},
    {EvidenceKind::WorkOutside,
     "workload '{workload}': in {0} of {1} samples the candidate's threads worked before a request "
     "or after its answer, up to {2:ns} of processor time; the opponent's threads did so in {3} of "
     "{4}"},
    {EvidenceKind::WorkOutsideAlone,
     "workload '{workload}': in {0} of {1} samples the candidate's threads worked before a request "
     "or after its answer, up to {2:ns} of processor time; no opponent was timed for comparison"},
    {EvidenceKind::StampsDisagree,
     "workload '{workload}'[, {subject}]: the referee's stamps are missing or disagree with the "
     "driver's events in {0} of {1} calls[, most recently {2:ns} and {3:ns}]"},
    {EvidenceKind::StampForged,
     "workload '{workload}'[, {subject}]: the referee's stamps are missing or disagree with the "
     "driver's events in {0} of {1} calls[, most recently {2:ns} and {3:ns}]: a timestamp in the "
     "device's memory was written to"},
    {EvidenceKind::ClocksDisagree,
     "workload '{workload}': {0:ns} by the stamps on the device, {1:ns} by the referee's clock "
     "over {2} calls"},
    {EvidenceKind::SpeedupUnsure, "the speedup lies between {0:.3g} and {1:.3g}: {detail}"},
    {EvidenceKind::SpeedupUnknown, "the speedup has no confidence interval: {detail}"},
    {EvidenceKind::TooFast,
     "workload '{workload}' took {0:ns}; every algorithm must move {1:bytes} and do {2} "
     "operations, which takes at least {3:ns} at {subject}"},
    {EvidenceKind::OpponentFailed, "the opponent '{subject}': {cause}"},
    {EvidenceKind::OpponentDisturbed,
     "the opponent '{subject}': {cause}; the opponent works once no process of this candidate is "
     "there"},
    {EvidenceKind::OpponentWrong, "the opponent does not solve the task: {cause}"},
    {EvidenceKind::OpponentHasNoTime, "a call of the opponent takes no longer than an empty call"},
});

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].kind != static_cast<EvidenceKind>(i)) return false;
  return kTable.size() == EnumNames<EvidenceKind>::names.size();
}
static_assert(is_in_order(), "the table has each kind once, in the order of the enumeration");

std::string number_words(double number, std::string_view form) {
  const auto whole = static_cast<std::int64_t>(std::llround(number));
  if (form.empty()) return std::to_string(whole);
  if (form == "ns") return format_ns(number);
  if (form == "bytes") return format_bytes(static_cast<std::uint64_t>(whole));
  if (form == "s") return whole == 1 ? "" : "s";
  if (form == "hex") return fmt::format("{:#x}", whole);
  if (form == "signal") {
    const char* const name = sigabbrev_np(static_cast<int>(whole));
    return name != nullptr ? fmt::format("{} (SIG{})", whole, name) : std::to_string(whole);
  }
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", form)), number);
}

/// Fills in the sentence of one kind.
class Sentence {
 public:
  Sentence(std::string_view pattern, const Evidence& evidence)
      : rest_(pattern), evidence_(evidence) {}

  std::string write() { return part(); }

 private:
  /// The text up to a bracket that closes, or to the end.
  std::string part() {
    std::string text;
    while (!rest_.empty()) {
      const char c = rest_.front();
      const bool is_doubled = rest_.starts_with("{{") || rest_.starts_with("}}");
      if (c == ']') return text;
      if (c == '{' && !is_doubled) {
        text += field();
        continue;
      }
      rest_.remove_prefix(is_doubled ? 2 : 1);
      if (c == '[')
        text += optional_part();
      else
        text += c;
    }
    return text;
  }

  std::string optional_part() {
    const bool outer = std::exchange(is_whole_, true);
    std::string text = part();
    rest_.remove_prefix(1);
    return std::exchange(is_whole_, outer) ? text : std::string();
  }

  std::string field() {
    const std::size_t end = rest_.find('}');
    const std::string_view name = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    const auto value = value_of(name);
    is_whole_ = is_whole_ && value.has_value();
    return value.value_or("");
  }

  /// The words of a field; nothing if it is empty.
  std::optional<std::string> value_of(std::string_view name) const {
    const Evidence& e = evidence_;
    const std::size_t colon = std::min(name.find(':'), name.size());
    if (const char c = name.front(); c >= '0' && c <= '9') {
      const auto index = static_cast<std::size_t>(c - '0');
      if (index >= e.numbers.size()) return std::nullopt;
      return number_words(e.numbers[index], name.substr(std::min(colon + 1, name.size())));
    }
    std::string text = name == "place"      ? e.place
                       : name == "workload" ? e.workload
                       : name == "tensor"   ? e.tensor
                       : name == "subject"  ? e.subject
                       : name == "detail"   ? e.detail
                       : name == "names"    ? join(e.names, ", ")
                       : name == "name"     ? (e.names.empty() ? "" : e.names.front())
                       : e.cause.empty()    ? ""
                                            : words_of(e.cause.front());
    if (text.empty()) return std::nullopt;
    return text;
  }

  std::string_view rest_;
  const Evidence& evidence_;
  bool is_whole_ = true;  ///< Whether all fields of the innermost part were there.
};

}  // namespace

std::string words_of(const Evidence& evidence) {
  std::string words =
      Sentence(kTable[static_cast<std::size_t>(evidence.kind)].words, evidence).write();
  if (evidence.call > 0) words += fmt::format(" (call {} of one process)", evidence.call);
  if (evidence.more_calls > 0)
    words += fmt::format(" (after {} more calls of one process)", evidence.more_calls);
  return words;
}

}  // namespace kw

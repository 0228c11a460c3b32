// The one snapshot of the sentences of all kinds of evidence, and what fills them in.
// SPDX-License-Identifier: Apache-2.0
#include "record/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "record/codec.h"
#include "record/verdict.h"

namespace kw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Evidence that has every field.
Evidence full(EvidenceKind kind) {
  return {.kind = kind,
          .place = "k.cpp:1:2",
          .workload = "w",
          .tensor = "t",
          .subject = "s",
          .names = {"a", "b"},
          .numbers = {6, 2, 3, 4, 5},
          .detail = "d",
          .cause = {Evidence{.kind = EvidenceKind::CallTimedOut}}};
}

const std::string kSentences = R"words(compiled_only: compiled; not run
synthetic: synthetic
example: here stands what the referee saw
not_a_candidate: d
no_answer: no usable answer: d
directives_unusable: the // kw: lines of the source cannot be used
turned_down: the critic model turned this kernel down before it was judged
dialect_headers_missing: `// kw: dialect a` needs s, which are not found on this machine: write plain CUDA
forbidden_technique: it names the technique 's', which the person in charge has forbidden (order 6)
host_launcher: a host launcher could forge what its process reports and outlive its call, so only a task's own baselines may be one; `kw plan draft FILE.cu` reads device code with a launch plan off kernels that the file launches itself, and --against takes a host launcher
library_not_allowed: the task does not allow the library 's'; remove the line that names it, and write what it would do
option_not_allowed: the task does not allow the compiler option 's'; remove it, it allows a, b
directive_refused: d
plan_refused: d
plan_beyond_limit: d
target_rule: d
empty_source: the source file is empty
binary_source: the source file is not text: it holds a zero byte
unclear_raw_literal: compilers differ on whether a raw literal begins here; write a blank between the name and the literal
endless_raw_literal: this raw literal has no end, or a delimiter that C++ does not know; write R"(text)"
unclear_header: compilers read the name of this header in different ways; name headers of the system, as in #include <cmath>
unclear_name: compilers differ on names with \u{…} and \N{…}; write the character itself
embedded_file: #embed reads a file at compile time; put the bytes into the source, as an array
include_by_macro: an #include names its file by a macro; write the name itself, as in #include <cmath>
include_by_path: an #include names a file by absolute or parent path; include headers of the system by their names, and write everything else into the source
assembly_bytes: assembly includes a file; put the bytes into the source, as an array
assembly_include: assembly includes a file; write the instructions into the source
ptx_symbol: inline PTX declares a symbol of its own; declare it in C++
ptx_kernel: inline PTX declares a kernel of its own; write it as a __global__ function
ptx_section: inline PTX writes sections of its own; leave them to the compiler
runtime_call: calls of the CUDA runtime have no place in device code; // kw: lines launch kernels, clear and copy, and take workspaces
host_code: this is host code; a file for target cuda holds only device code and // kw: lines, so leave host code out
launch_in_source: kernels are launched by // kw: launch lines, not by <<< >>>
knob_names_argument: line 6: the knob 's' has the name of an argument of the task, and a macro would stand in the argument's place; give the knob another name
knob_names_function: line 6: the knob 's' has the name of the task's function; give it another
knob_names_header: line 6: the knob 's' has a name that headers use, and a macro breaks them; give the knob another name, such as s_
knob_redefined: line 6: #a s, which is a knob: every setting of it would be the same code; leave the line out, or write #ifndef s before it
object_unreadable: the compiled object cannot be read: d
library_needed: the object needs the library 's', which the task does not allow; write what it would do
system_name_defined: the object defines 's' in place of the system's; give the function another name, or make it static
starts_processes: the object uses 's', which starts other programs or processes; use threads: OpenMP, std::thread, std::async or pthread_create, joined or parked by the end of the call
loads_code: the object uses 's', which loads code or changes the protection of memory; write the code itself; memory comes from new, malloc or mmap
reads_files: the object uses 's', which opens, reads or writes files; put tables into the source, as constants or computed at the first call
uses_network: the object uses 's', which uses the network; a kernel may use only its arguments
reads_clocks: the object uses 's', which looks at clocks or waits for a time; only the referee times a kernel; wait on a condition variable, std::barrier, std::latch or std::atomic::wait, and let knobs (// kw: tune) choose what is quickest
uses_environment: the object uses 's', which reads or changes the environment; take settings from knobs (// kw: tune); omp_get_max_threads() gives the threads
handles_signals: the object uses 's', which sends signals or changes how they are handled; end threads by joining them; wake them by a condition variable or std::atomic::notify_all
binds_threads: the object uses 's', which changes where threads run or how they are scheduled; leave it out: the referee binds OpenMP's threads, one to a processor
reaches_system: the object uses 's', which calls the operating system without the C library; call the library's own functions; std::atomic::wait and notify_all are what futex is for
unknown_import: the object uses 's', which is not among the functions that kernels may use (memory, strings, mathematics, sorting, output, threads, OpenMP, the C++ library; docs/verdicts.md); write its code into the kernel
writable_code: the object wants memory that is both writable and executable; leave code in the sections that the compiler chooses
linker_tag: the object asks the dynamic linker for something unusual (tag 0x6); leave sections and relocations to the compiler
runs_at_load: 's' runs when the object is loaded, by a constructor attribute or a section of its own; compute what is needed at the first call, in a static variable of the function, or make it a constexpr table or an object with a constructor
runs_at_unload: 's' would run when the object is unloaded, which never happens; leave it out
assembly_at_load: assembly adds code to 's', which runs when the object is loaded; compute what is needed at the first call, in a static variable of the function, or make it a constexpr table or an object with a constructor
system_call_instruction: the instruction s in 'a' calls the operating system without the C library; call the C library's functions, such as mmap or std::atomic::wait
clock_instruction: the instruction s in 'a' reads the time-stamp counter or waits by it; only the referee times a kernel; let knobs (// kw: tune) choose what is quickest
counter_instruction: the instruction s in 'a' reads a performance counter; leave it out; kw judge --profile tells what a kernel is bound by
mode_instruction: the instruction s in 'a' changes the mode of the processor; leave it out; no kernel needs it
system_call_function: 's' uses syscall() for something other than waiting on a futex and waking its waiters; call the C library's function instead, or std::atomic::wait and notify_all
calling_resolver: 's' chooses a function while the object is loaded (ifunc) and calls others for it; use target_clones, or choose by __builtin_cpu_supports in the call
arithmetic_changed: an attribute or pragma changes the arithmetic of 's': optimize(a); where the task allows it, claim it by the line '// kw: option fast_math', else write the sums in the order that you want, with several accumulators or '#pragma omp simd reduction'
grid_id_register: the device code reads s, which counts launches; a kernel's result depends on its arguments alone, so leave it out
clock_register: the device code reads s, which tells the time, which only the referee measures; wait with a barrier, cuda::atomic::wait or __nanosleep, and let knobs (// kw: tune) choose what is quickest
counter_register: the device code reads s, which counts hardware events; leave it out; kw judge --profile tells what a kernel is bound by
device_prints: the device code uses 's', which prints; leave out printf, whose output nobody sees
device_heap: the device code uses 's', which takes memory from the device's heap; declare scratch memory by // kw: workspace lines
device_runtime: the device code uses 's', which calls the CUDA runtime on the device; declare launches by // kw: launch lines
device_import: the device code uses 's', which may not be called by device code; write its code into the source
kernel_registers: launch of 's': the kernel uses 6 registers a thread; the task allows 2: give the kernel __launch_bounds__, or keep less in each thread
kernel_local_memory: launch of 's': the kernel uses 6 bytes of local memory a thread; the task allows 2: keep data in shared memory or in a workspace instead
not_compiled: k.cpp:1:2: d
not_loaded: the object could not be loaded: d
load_code_ended: code that runs at load time ended the process
load_code_crashed: code that runs at load time crashed: d
load_faulted: loading faulted on the device: d
load_broken: while loading, the process did not return in time
kernel_missing: launch of 's': the compiled code has no such kernel (did you mean 'a'?); a plain name needs extern "C"
too_many_arguments: launch of 's': the launch passes 6 arguments, and the kernel has 2 parameters
too_few_arguments: launch of 's': the kernel has 6 parameters, and the launch does not pass argument 2
argument_size: launch of 's': argument 6 has 2 bytes, and the kernel's parameter has 3; write the argument's type, as in i64( ) or f32( )
block_beyond_bounds: launch of 's': the launch asks for blocks of 6 threads, and the kernel's __launch_bounds__ allow 2
block_registers: launch of 's': a block of 6 threads with 2 registers each needs more than the 3 registers that a block has; give the kernel __launch_bounds__(6) or the block fewer threads
shared_memory: launch of 's': a block of this launch takes 6 B of dynamic and 2 B of static shared memory, and this device gives a block 3 B
workspaces_beyond_task: workload 'w': the workspaces of the plan need 6 B, the task allows 2 B
workspaces_beyond_device: workload 'w': the workspaces of the plan need 6 B, more than is free on the device
no_room_for_workspace: workload 'w': the device has no room for the workspace 's': d
plan_not_launched: the plan cannot be launched: d
plan_not_bound: the launch plan at workload 'w' cannot be launched: d
plan_broken: the launch plan at workload 'w' did not return in time: d
call_not_loaded: the call on workload 'w', s, could not be loaded: d
call_crashed: the call on workload 'w', s, crashed with signal 6 (SIGABRT) (a process that cannot start another thread ends in the same way; its limit is a little above 2)
call_beyond_tensor: the call on workload 'w', s, crashed with signal 6 (SIGABRT), at an address beside a tensor
call_timed_out: the call on workload 'w', s, did not return in time
call_exited: the call on workload 'w', s, ended by itself before it answered (a process that cannot start another thread ends in the same way; its limit is a little above 6)
call_out_of_memory: the call on workload 'w', s, ran out of memory
call_forged: the call on workload 'w', s, sent an answer that no honest process sends: d
call_refused: the call on workload 'w', s, was refused at its launch: d
device_fault: the call on workload 'w', s, was stopped by the device with CUDA error 6: d
device_bad_address: the call on workload 'w', s, was stopped by the device with CUDA error 6: d: an address that no buffer of the call holds, or a write to an input
guard_changed: workload 'w', tensor 't': d
workspace_guard_changed: workload 'w', workspace 's': d
input_changed: workload 'w', tensor 't': 6 bytes of the input were changed
input_written: workload 'w': the kernel writes to its inputs: the call faults while they are read-only, and returns once they may be written
padding_changed: workload 'w', tensor 't': 6 bytes of padding between rows were changed
elements_wrong: workload 'w', tensor 't': 6 of 2 elements looked at are wrong (3 of them not finite where the truth is, or finite where it is not)
l2_too_large: workload 'w', tensor 't': the relative L2 difference is 6, and 2 is allowed
rms_too_large: workload 'w', tensor 't': RMS error 6 is 2 times that of the trusted baseline, 3 times is allowed: less precise arithmetic than the task's type
result_remembered: workload 'w', tensor 't': the output is the answer for inputs of another call: the kernel remembers results
runs_differ: workload 'w': two runs on equal inputs differ by up to 6; the task requires determinism
exit_after_return: workload 'w': the process ended by itself after the call had returned
output_changed_later: workload 'w', tensor 't': 6 bytes of the output changed after the call had returned
processes_left: 6 processes were left running after the call
work_after_return: 6 ms of CPU time were spent after the call had returned, 2 ms are allowed
no_room_to_time: not every timed workload fits into the memory that is free now
interrupted_check: the judgement was interrupted before the check
interrupted_timing: the judgement was interrupted before the timing
interrupted_pairs: the judgement was interrupted after 6 pairs
interrupted_alone: the judgement was interrupted while the kernel was timed alone
interrupted_life: the judgement was interrupted during many calls of one process
call_too_short: workload 'w': a call takes 6.00 ns; below 2.00 ns its time is mostly that of the launch
too_many_calls: workload 'w': a call takes 6.00 ns; a timing sample of 2.00 ns would need 3 calls on distinct inputs, and at most 4 of them fit into memory
no_time: workload 'w': the call takes no longer than a call of an empty function
work_outside: workload 'w': in 6 of 2 samples the candidate's threads worked before a request or after its answer, up to 3.00 ns of processor time; the opponent's threads did so in 4 of 5
work_outside_alone: workload 'w': in 6 of 2 samples the candidate's threads worked before a request or after its answer, up to 3.00 ns of processor time; no opponent was timed for comparison
stamps_disagree: workload 'w', s: the referee's stamps are missing or disagree with the driver's events in 6 of 2 calls, most recently 3.00 ns and 4.00 ns
stamp_forged: workload 'w', s: the referee's stamps are missing or disagree with the driver's events in 6 of 2 calls, most recently 3.00 ns and 4.00 ns: a timestamp in the device's memory was written to
clocks_disagree: workload 'w': 6.00 ns by the stamps on the device, 2.00 ns by the referee's clock over 3 calls
speedup_unsure: the speedup lies between 6 and 2: d
speedup_unknown: the speedup has no confidence interval: d
too_fast: workload 'w' took 6.00 ns; every algorithm must move 2 B and do 3 operations, which takes at least 4.00 ns at s
opponent_failed: the opponent 's': did not return in time
opponent_disturbed: the opponent 's': did not return in time; the opponent works once no process of this candidate is there
opponent_wrong: the opponent does not solve the task: did not return in time
opponent_has_no_time: a call of the opponent takes no longer than an empty call
)words";

TEST(Evidence, EachKindHasItsSentence) {
  EXPECT_EQ(words_of(full(EvidenceKind::None)), "");
  std::string all;
  for (std::size_t i = 1; i < EnumNames<EvidenceKind>::names.size(); ++i) {
    const auto kind = static_cast<EvidenceKind>(i);
    const std::string words = words_of(full(kind));
    EXPECT_THAT(words, Not(HasSubstr("["))) << name_of(kind);
    all += std::string(name_of(kind)) + ": " + words + "\n";
  }
  EXPECT_EQ(all, kSentences);
}

TEST(Evidence, WhatIsEmptyIsLeftOut) {
  EXPECT_EQ(words_of({.kind = EvidenceKind::ElementsWrong, .numbers = {3, 9}}),
            "3 of 9 elements looked at are wrong");
  EXPECT_EQ(words_of({.kind = EvidenceKind::CallCrashed, .numbers = {11}}),
            "crashed with signal 11 (SIGSEGV)");
  EXPECT_EQ(words_of({.kind = EvidenceKind::CallCrashed, .workload = "w", .numbers = {12345}}),
            "the call on workload 'w' crashed with signal 12345");
  EXPECT_EQ(words_of({.kind = EvidenceKind::NotCompiled, .detail = "no"}), "no");
  EXPECT_EQ(words_of({.kind = EvidenceKind::DialectHeadersMissing,
                      .subject = "CuTe and CUTLASS",
                      .names = {"cute"}}),
            "`// kw: dialect cute` needs CuTe and CUTLASS, which are not found on this machine: "
            "write plain CUDA");
  EXPECT_EQ(words_of({.kind = EvidenceKind::OptionNotAllowed, .subject = "O2"}),
            "the task does not allow the compiler option 'O2'; remove it");
  EXPECT_EQ(words_of({.kind = EvidenceKind::KernelMissing, .subject = "k"}),
            "launch of 'k': the compiled code has no such kernel; a plain name needs extern \"C\"");
  for (std::size_t i = 0; i < EnumNames<EvidenceKind>::names.size(); ++i)
    (void)words_of({.kind = static_cast<EvidenceKind>(i)});
}

TEST(Evidence, SaysWhichOfManyCalls) {
  Evidence seen{.kind = EvidenceKind::CallTimedOut, .workload = "w", .call = 7};
  EXPECT_EQ(words_of(seen),
            "the call on workload 'w' did not return in time (call 7 of one process)");
  seen.call = 0;
  seen.more_calls = 3;
  EXPECT_EQ(words_of(seen),
            "the call on workload 'w' did not return in time (after 3 more calls of one process)");
}

TEST(Verdict, KeepsWhatWasSeenBesideItsSentence) {
  const Verdict made =
      make_verdict(Stage::Compile, Outcome::CompileFailed, full(EvidenceKind::NotCompiled));
  EXPECT_EQ(made.evidence, "k.cpp:1:2: d");
  Verdict read = decode<Verdict>(encode(made)).value();
  EXPECT_EQ(encode(read), encode(made));
  set_place(read, "dir/k.cpp:1:2");
  EXPECT_EQ(read.evidence, "dir/k.cpp:1:2: d");
}

TEST(Verdict, OfAnOlderRecordHasItsSentenceAlone) {
  const auto read = decode<Verdict>(
      R"({"stage":"check","outcome":"wrong_result","evidence":"3 of 9","reason":"none"})");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->evidence, "3 of 9");
  EXPECT_EQ(read->seen.kind, EvidenceKind::None);
}

}  // namespace
}  // namespace kw

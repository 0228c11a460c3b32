// Screens what was built for a processor: imports, code that runs at load, instructions, options.
// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/contains.h"
#include "base/text.h"
#include "compile/elf.h"
#include "compile/elf_image.h"
#include "compile/host_code.h"
#include "referee/screen.h"
#include "referee/symbols.h"

namespace kw::referee {
namespace {

constexpr std::size_t kShown = 100;  // limit for the bytes of a foreign name in a message

/// The name as people write it, demangled if it is mangled: "saxpy(int, float, float const*,
/// float*)".
std::string shown(std::string_view name) {
  // The demangler would read "f" as float.
  if (!name.starts_with("_Z")) return sanitise(name, kShown);
  int status = 0;
  char* const plain = abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status);
  const std::string text(status == 0 && plain != nullptr ? plain : name);
  std::free(plain);  // NOLINT: malloc allocated it
  return sanitise(text, kShown);
}

bool is_own_library(std::string_view name, const std::vector<std::string>& libraries) {
  for (const std::string_view prefix :
       {"libc.so", "libm.so", "libmvec.so", "libgomp.so", "libomp.so", "libstdc++.so",
        "libgcc_s.so", "libpthread.so", "ld-linux"})
    if (name.starts_with(prefix)) return true;
  return std::any_of(libraries.begin(), libraries.end(), [&](const std::string& library) {
    return name.starts_with("lib" + library + ".so") || name.starts_with("lib" + library + "p.so");
  });
}

Screening screen_symbols(const compile::ElfFacts& object, const Candidate& candidate) {
  for (const std::string& needed : object.needed)
    if (!is_own_library(needed, candidate.libraries))
      return refuse(fmt::format(
          "the object needs the library '{}', which the task does not allow; write what "
          "it would do",
          shown(needed)));
  for (const std::string& name : object.exported)
    if (is_system_name(name))
      return refuse(fmt::format(
          "the object defines '{}' in place of the system's; give the function another name, or "
          "make it static",
          shown(name)));
  const bool has_openblas =
      std::ranges::find(candidate.libraries, "openblas") != candidate.libraries.end();
  for (const std::string& name : object.imported)
    if (const auto refusal = refused_import(name, has_openblas))
      return refuse(fmt::format("the object uses '{}', which {}; {}", shown(name), refusal->why,
                                refusal->instead));
  return {};
}

// The tags that GNU ld writes for our objects; any other tag would load or run more.
constexpr std::array<std::int64_t, 34> kTags{
    DT_NEEDED,      DT_PLTRELSZ,    DT_PLTGOT,     DT_HASH,         DT_STRTAB,       DT_SYMTAB,
    DT_RELA,        DT_RELASZ,      DT_RELAENT,    DT_STRSZ,        DT_SYMENT,       DT_INIT,
    DT_FINI,        DT_SONAME,      DT_SYMBOLIC,   DT_PLTREL,       DT_DEBUG,        DT_JMPREL,
    DT_BIND_NOW,    DT_INIT_ARRAY,  DT_FINI_ARRAY, DT_INIT_ARRAYSZ, DT_FINI_ARRAYSZ, DT_FLAGS,
    DT_GNU_HASH,    DT_VERSYM,      DT_RELACOUNT,  DT_FLAGS_1,      DT_VERNEED,      DT_VERNEEDNUM,
    DT_TLSDESC_PLT, DT_TLSDESC_GOT, DT_VERDEF,     DT_VERDEFNUM};

/// Whether this function may run before the first call: initialisers of C++ objects
/// (_GLOBAL__sub_I_…) and what the toolchain adds.
bool is_known_initialiser(std::string_view name) {
  return name.starts_with("_GLOBAL__sub_I_") || name.starts_with("_GLOBAL__I_") ||
         name == "frame_dummy" || name == "__cpu_indicator_init" || name == "init_have_lse_atomics";
}

constexpr std::string_view kAtLoad =
    "compute what is needed at the first call, in a static variable of the function, or make it a "
    "constexpr table or an object with a constructor";

Screening screen_load(const compile::ElfImage& image) {
  if (image.has_executable_stack ||
      std::ranges::any_of(image.segments, [](const compile::ElfSegment& s) {
        return s.is_writable && s.is_executable;
      }))
    return refuse(
        "the object wants memory that is both writable and executable; leave code in the sections "
        "that the compiler chooses");
  for (const auto& [tag, value] : image.dynamic)
    if (!contains(std::span(kTags), tag))
      return refuse(
          fmt::format("the object asks the dynamic linker for something unusual (tag {:#x}); leave "
                      "sections and relocations to the compiler",
                      tag));
  for (const std::string& name : image.array(DT_INIT_ARRAY, DT_INIT_ARRAYSZ))
    if (!is_known_initialiser(name))
      return refuse(fmt::format(
          "'{}' runs when the object is loaded, by a constructor attribute or a section of its "
          "own; {}",
          shown(name), kAtLoad));
  for (const std::string& name : image.array(DT_FINI_ARRAY, DT_FINI_ARRAYSZ))
    if (name != "__do_global_dtors_aux" && !name.starts_with("_GLOBAL__sub_D_"))
      return refuse(fmt::format(
          "'{}' would run when the object is unloaded, which never happens; leave it out",
          shown(name)));
  // crti and crtn alone make 23 bytes of .init, or 27 with an endbr64, and 13 of .fini.
  constexpr std::uint64_t kInit = 27;
  for (const compile::ElfCodeSection& section : image.code)
    if ((section.name == ".init" || section.name == ".fini") && section.bytes > kInit)
      return refuse(
          fmt::format("assembly adds code to '{}', which runs when the object is loaded; {}",
                      section.name, kAtLoad));
  return {};
}

struct ReachWords {
  std::string_view what, instead;
};

ReachWords reach_words(compile::Reach reach) {
  switch (reach) {
    case compile::Reach::SystemCall:
      return {"calls the operating system without the C library",
              "call the C library's functions, such as mmap or std::atomic::wait"};
    case compile::Reach::Clock:
      return {"reads the time-stamp counter or waits by it",
              "only the referee times a kernel; let knobs (// kw: tune) choose what is quickest"};
    case compile::Reach::Counter:
      return {"reads a performance counter",
              "leave it out; kw judge --profile tells what a kernel is bound by"};
    case compile::Reach::Mode:
      return {"changes the mode of the processor", "leave it out; no kernel needs it"};
  }
  return {};
}

Screening screen_code(const compile::ElfImage& image) {
  const compile::HostCode code = compile::read_host_code(image);
  if (!code.reaching.empty()) {
    const compile::ReachingInstruction& first = code.reaching.front();
    const ReachWords words = reach_words(first.reach);
    return refuse(fmt::format("the instruction {} in '{}' {}; {}", first.name,
                              shown(first.function), words.what, words.instead));
  }
  if (!code.system_callers.empty())
    return refuse(
        fmt::format("'{}' uses syscall() for something other than waiting on a futex and waking "
                    "its waiters; call "
                    "the C library's function instead, or std::atomic::wait and notify_all",
                    shown(code.system_callers.front())));
  if (!code.calling_resolvers.empty())
    return refuse(fmt::format(
        "'{}' chooses a function while the object is loaded (ifunc) and calls others for it; use "
        "target_clones, or choose by __builtin_cpu_supports in the call",
        shown(code.calling_resolvers.front())));
  return {};
}

Screening screen_marks(const std::vector<CodeMark>& marks, const Candidate& candidate) {
  const bool claims = std::ranges::find(candidate.options, "fast_math") != candidate.options.end();
  if (claims) return {};
  for (const CodeMark& mark : marks)
    if (mark.kind == "arithmetic")
      return refuse(fmt::format(
          "an attribute or pragma changes the arithmetic of '{}': optimize({}); where the task "
          "allows it, claim it by the line '// kw: option fast_math', else write the sums in the "
          "order that you want, with several accumulators or '#pragma omp simd reduction'",
          shown(mark.where), shown(mark.what)));
  return {};
}

}  // namespace

Screening screen_object(std::string_view bytes, const Candidate& candidate,
                        const std::vector<CodeMark>& marks) {
  const auto object = compile::read_elf(bytes);
  if (!object.has_value())
    return refuse("the compiled object cannot be read: " + object.error().what);
  const auto image = compile::read_elf_image(bytes);
  if (!image.has_value())
    return refuse("the compiled object cannot be read: " + image.error().what);
  if (auto seen = screen_symbols(*object, candidate); seen.verdict) return seen;
  if (auto seen = screen_load(*image); seen.verdict) return seen;
  if (auto seen = screen_code(*image); seen.verdict) return seen;
  return screen_marks(marks, candidate);
}

}  // namespace kw::referee

// Screens what was built for a processor: imports, code that runs at load, instructions, options.
// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/characters.h"
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

/// Words of the source that may stand for a demangled name: its parts without the arguments, last
/// one first.
std::vector<std::string> parts_of(std::string_view name) {
  std::string part;
  std::vector<std::string> parts;
  for (const char c : std::string(name.substr(0, name.find('('))) + " ") {
    if (is_name_char(c)) {
      part += c;
      continue;
    }
    if (part.size() > 2) parts.push_back(part);
    part.clear();
  }
  std::ranges::reverse(parts);
  return parts;
}

/// A rejection for what stands in the source under this name, or under `word`.
Screening refuse_named(EvidenceKind kind, std::string_view name, const std::string& word = {},
                       std::vector<std::string> names = {}) {
  std::string subject = shown(name);
  std::vector<std::string> words = parts_of(subject);
  if (!word.empty()) words.insert(words.begin(), word);
  return refuse_object({.kind = kind, .subject = std::move(subject), .names = std::move(names)},
                       std::move(words));
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
      return refuse_named(EvidenceKind::LibraryNeeded, needed);
  for (const std::string& name : object.exported)
    if (is_system_name(name)) return refuse_named(EvidenceKind::SystemNameDefined, name);
  const bool has_openblas =
      std::ranges::find(candidate.libraries, "openblas") != candidate.libraries.end();
  for (const std::string& name : object.imported)
    if (const auto refusal = refused_import(name, has_openblas))
      return refuse_named(*refusal, name);
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

Screening screen_load(const compile::ElfImage& image) {
  if (image.has_executable_stack ||
      std::ranges::any_of(image.segments, [](const compile::ElfSegment& s) {
        return s.is_writable && s.is_executable;
      }))
    return refuse({.kind = EvidenceKind::WritableCode});
  for (const auto& [tag, value] : image.dynamic)
    if (!contains(std::span(kTags), tag))
      return refuse({.kind = EvidenceKind::LinkerTag, .numbers = {static_cast<double>(tag)}});
  for (const std::string& name : image.array(DT_INIT_ARRAY, DT_INIT_ARRAYSZ))
    if (!is_known_initialiser(name)) return refuse_named(EvidenceKind::RunsAtLoad, name);
  for (const std::string& name : image.array(DT_FINI_ARRAY, DT_FINI_ARRAYSZ))
    if (name != "__do_global_dtors_aux" && !name.starts_with("_GLOBAL__sub_D_"))
      return refuse_named(EvidenceKind::RunsAtUnload, name);
  // crti and crtn alone make 23 bytes of .init, or 27 with an endbr64, and 13 of .fini.
  constexpr std::uint64_t kInit = 27;
  for (const compile::ElfCodeSection& section : image.code)
    if ((section.name == ".init" || section.name == ".fini") && section.bytes > kInit)
      return refuse_object({.kind = EvidenceKind::AssemblyAtLoad, .subject = section.name},
                           {section.name});
  return {};
}

EvidenceKind kind_of(compile::Reach reach) {
  switch (reach) {
    case compile::Reach::SystemCall:
      return EvidenceKind::SystemCallInstruction;
    case compile::Reach::Clock:
      return EvidenceKind::ClockInstruction;
    case compile::Reach::Counter:
      return EvidenceKind::CounterInstruction;
    case compile::Reach::Mode:
      break;
  }
  return EvidenceKind::ModeInstruction;
}

Screening screen_code(const compile::ElfImage& image) {
  const compile::HostCode code = compile::read_host_code(image);
  if (!code.reaching.empty()) {
    const compile::ReachingInstruction& first = code.reaching.front();
    const std::string function = shown(first.function);
    std::vector<std::string> words = parts_of(function);
    words.insert(words.begin(), first.name);
    return refuse_object({.kind = kind_of(first.reach), .subject = first.name, .names = {function}},
                         std::move(words));
  }
  if (!code.system_callers.empty())
    return refuse_named(EvidenceKind::SystemCallFunction, code.system_callers.front(), "syscall");
  if (!code.calling_resolvers.empty())
    return refuse_named(EvidenceKind::CallingResolver, code.calling_resolvers.front());
  return {};
}

Screening screen_marks(const std::vector<CodeMark>& marks, const Candidate& candidate) {
  const bool claims = std::ranges::find(candidate.options, "fast_math") != candidate.options.end();
  if (claims) return {};
  for (const CodeMark& mark : marks)
    if (mark.kind == "arithmetic")
      return refuse_named(EvidenceKind::ArithmeticChanged, mark.where, "optimize",
                          {shown(mark.what)});
  return {};
}

}  // namespace

Screening screen_object(std::string_view bytes, const Candidate& candidate,
                        const std::vector<CodeMark>& marks) {
  const auto object = compile::read_elf(bytes);
  if (!object.has_value())
    return refuse({.kind = EvidenceKind::ObjectUnreadable, .detail = object.error().what});
  const auto image = compile::read_elf_image(bytes);
  if (!image.has_value())
    return refuse({.kind = EvidenceKind::ObjectUnreadable, .detail = image.error().what});
  if (auto seen = screen_symbols(*object, candidate); seen.verdict) return seen;
  if (auto seen = screen_load(*image); seen.verdict) return seen;
  if (auto seen = screen_code(*image); seen.verdict) return seen;
  return screen_marks(marks, candidate);
}

}  // namespace kw::referee

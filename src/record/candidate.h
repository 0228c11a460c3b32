// A candidate, the units to compile for it, and what a compiler made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"

namespace kw {

/// A point of a tuning space: knob name to value.
using KnobPoint = std::map<std::string, std::int64_t>;

/// "B=64 S=2", with other joints "B = 64, S = 2"; empty where there are none.
std::string knobs_text(const KnobPoint& knobs, std::string_view equals = "=",
                       std::string_view between = " ");
/// What changes on the way to `after`: "B = 64 → 128, S = 2" (S is new); empty where nothing does.
std::string knobs_change(const KnobPoint& before, const KnobPoint& after);

/// ".cpp" or ".cu": how sources for a target are called.
std::string_view source_suffix(Target target);
/// What a file of this name is for, by its suffix; nothing: by neither.
std::optional<Target> target_of_file(std::string_view name);

/// Compiler flags of every candidate, baseline and reference that decide what code means and how
/// fast it is; docs/measurement.md explains them. None changes a value: fast-math is an option, and
/// contraction to FMA, GCC's default and not clang's, is no rounding error more.
inline constexpr std::array<std::string_view, 7> kCodeFlags{
    "-std=c++20",        "-O3", "-march=native", "-fopenmp", "-ffp-contract=fast",
    "-fno-math-errno",      // sqrt as one instruction; no value changes
    "-fno-trapping-math"};  // branches may become selects; no value changes

/// A kernel's name in lists for people; a reply that held none has none.
inline std::string_view shown_name(std::string_view name) {
  return name.empty() ? std::string_view("(no kernel)") : name;
}

/// One source text that claims to solve a task, at one point of its tuning space.
struct Candidate {
  std::string name;  ///< Short, file-name safe; unique among the baselines of a task.
  std::string source;
  Origin origin = Origin::Human;
  Target target = Target::Cpu;
  TrustClass trust_class = TrustClass::CpuFunction;
  KnobPoint knobs;
  std::vector<std::string> options;     ///< Named compiler options, from the whitelist.
  std::vector<std::string> libraries;   ///< Baselines only.
  std::vector<std::string> techniques;  ///< Declared, not verified.
  std::string sha256;                   ///< Of the source text.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("source", s.source), v("origin", s.origin), v("target", s.target),
        v("trust_class", s.trust_class), v("knobs", s.knobs), v("options", s.options),
        v("libraries", s.libraries), v("techniques", s.techniques), v("sha256", s.sha256);
  }
};

struct SourceFile {
  std::string name;  ///< Plain file name, no folders.
  std::string text;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("text", s.text);
  }
};

/// Where one parameter of a kernel lies in its parameter buffer, in bytes. An alignment above 16 is
/// kept where the buffer lies in the constant bank, so offsets are no multiple of it themselves.
struct KernelParameter {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("offset", s.offset), v("bytes", s.bytes);
  }
};

/// What a cubin says about one of its kernels.
struct KernelFacts {
  std::string name;    ///< As a plan launches it: a plain name or a name expression.
  std::string symbol;  ///< Its name in the cubin.
  std::vector<KernelParameter> parameters;  ///< In order.
  int registers = 0;                        ///< Per thread; 0: unknown.
  std::int64_t static_shared = 0;           ///< Bytes per block.
  std::int64_t stack_bytes = 0;             ///< Local memory per thread, spills included.
  std::int64_t spill_bytes = -1;            ///< Stores and loads of spilled registers; -1: unknown.
  int max_threads = 0;                      ///< Per block, of __launch_bounds__; 0: none given.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("symbol", s.symbol), v("parameters", s.parameters),
        v("registers", s.registers), v("static_shared", s.static_shared),
        v("stack_bytes", s.stack_bytes), v("spill_bytes", s.spill_bytes),
        v("max_threads", s.max_threads);
  }
};

/// What a compiler made; immutable, named by content.
/// Something that a compiler says of what it built and that screening must judge.
struct CodeMark {
  std::string kind;   ///< "arithmetic": options of a function's own that change values.
  std::string what;   ///< The options as written.
  std::string where;  ///< The function.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("what", s.what), v("where", s.where);
  }
};

struct BuiltObject {
  std::string format;  ///< "elf-so" for cpu, "cubin" for cuda.
  std::string sha256;
  std::int64_t bytes = 0;
  std::string path;    ///< Where both sides of a pipe see it; empty when `base64` carries it.
  std::string base64;  ///< For carriers without a shared disk.
  std::string log;     ///< Compiler remarks worth keeping (vectorisation report).
  std::vector<KernelFacts> kernels;  ///< Of a cubin.
  std::vector<CodeMark> marks;

  const KernelFacts* kernel(std::string_view name) const {
    for (const KernelFacts& k : kernels)
      if (k.name == name) return &k;
    return nullptr;
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("format", s.format), v("sha256", s.sha256), v("bytes", s.bytes), v("path", s.path),
        v("base64", s.base64), v("log", s.log), v("kernels", s.kernels), v("marks", s.marks);
  }
};

/// One shared object to build: all that the compile room needs to know.
struct BuildUnit {
  /// candidate | opponent | reference_f64 | reference_native | magnitude_f64 | reference_fast |
  /// magnitude_fast
  std::string role;
  Target target = Target::Cpu;  ///< Which kind of compiler it is for.
  std::string arch;             ///< cuda: "sm_90a"; cpu: empty for this machine's; cpu_compiler.h.
  std::string dialect;          ///< cuda: "cuda", "cute" with the headers of CuTe, or "host" code.
  std::vector<SourceFile> files;     ///< Headers first; every *.cpp or *.cu is a translation unit.
  std::string main_file;             ///< The user's file, for diagnostics and screening.
  std::vector<std::string> defines;  ///< "NAME=VALUE".
  std::vector<std::string> options;  ///< Whitelisted names.
  std::vector<std::string> libraries;
  std::vector<std::string> kernels;  ///< cuda: what plans launch, as written there; no doubles.
  std::vector<BuiltObject> object;   ///< Empty until built; then exactly one.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("target", s.target), v("arch", s.arch), v("dialect", s.dialect),
        v("files", s.files), v("main_file", s.main_file), v("defines", s.defines),
        v("options", s.options), v("libraries", s.libraries), v("kernels", s.kernels),
        v("object", s.object);
  }
};

}  // namespace kw

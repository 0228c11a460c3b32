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
#include "record/target.h"

namespace kw {

/// A point of a tuning space: knob name to value.
using KnobPoint = std::map<std::string, std::int64_t>;

/// "B=64 S=2", or "B = 64, S = 2" with other separators; empty where there are no knobs.
std::string knobs_text(const KnobPoint& knobs, std::string_view equals = "=",
                       std::string_view between = " ");
/// Changes from `before` to `after`: "B = 64 → 128, S = 2" (S is new); empty where nothing changes.
std::string knobs_change(const KnobPoint& before, const KnobPoint& after);

/// Compiler flags of every candidate, baseline and reference that decide what code means and how
/// fast it is; docs/measurement.md explains them. None of them makes values less exact: fast-math
/// is an option that a candidate must ask for, and contraction to FMA (GCC's default, not clang's)
/// only leaves out a rounding.
inline constexpr std::array<std::string_view, 7> kCodeFlags{
    "-std=c++20",        "-O3", "-march=native", "-fopenmp", "-ffp-contract=fast",
    "-fno-math-errno",      // lets sqrt be one instruction; no value changes
    "-fno-trapping-math"};  // lets branches become selects; no value changes

/// A kernel's name in lists for people; a reply that held no kernel has no name.
inline std::string_view shown_name(std::string_view name) {
  return name.empty() ? std::string_view("(no kernel)") : name;
}

/// One source text that claims to solve a task, at one point of its tuning space.
struct Candidate {
  std::string name;  ///< Short, file-name safe; unique among the baselines of a task.
  std::string source;
  Origin origin = Origin::Human;
  Target target = kDefaultTarget;
  TrustClass trust_class = TrustClass::CpuFunction;
  KnobPoint knobs;
  std::vector<std::string> options;     ///< Names of compiler options, from the whitelist.
  std::vector<std::string> libraries;   ///< Libraries to link; baselines only.
  std::vector<std::string> techniques;  ///< Techniques that the source declares; not verified.
  std::string sha256;                   ///< Hash of the source text.

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

/// Where one parameter of a kernel lies in its parameter buffer, in bytes. An
/// alignment above 16 holds for the place in the constant bank, so offsets in the buffer need not
/// be multiples of such an alignment.
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
  /// Name by which a plan launches the kernel: a plain name or a name expression.
  std::string name;
  std::string symbol;                       ///< Name of the kernel in the cubin.
  std::vector<KernelParameter> parameters;  ///< In the order of the signature.
  int registers = 0;                        ///< Per thread; 0: unknown.
  std::int64_t static_shared = 0;           ///< Static shared memory, bytes per block.
  std::int64_t stack_bytes = 0;             ///< Local memory per thread, spills included.
  /// Bytes stored and loaded for spilled registers; -1: unknown.
  std::int64_t spill_bytes = -1;
  /// Threads per block by __launch_bounds__; 0: none given.
  int max_threads = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("symbol", s.symbol), v("parameters", s.parameters),
        v("registers", s.registers), v("static_shared", s.static_shared),
        v("stack_bytes", s.stack_bytes), v("spill_bytes", s.spill_bytes),
        v("max_threads", s.max_threads);
  }
};

/// Something that a compiler reports about what it built and that screening must judge.
struct CodeMark {
  /// Kind of the mark. "arithmetic": compiler options that a function sets for itself and that
  /// change values.
  std::string kind;
  std::string what;   ///< The options as written.
  std::string where;  ///< Name of the function.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("what", s.what), v("where", s.where);
  }
};

struct BuiltObject {
  std::string format;  ///< "elf-so" for cpu, "cubin" for cuda.
  std::string sha256;
  std::int64_t bytes = 0;
  /// Path that both sides of a pipe can read; empty when `base64` carries the bytes.
  std::string path;
  std::string base64;                ///< The bytes, for carriers without a shared disk.
  std::string log;                   ///< Compiler remarks worth keeping (vectorisation report).
  std::vector<KernelFacts> kernels;  ///< Kernels of a cubin.
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

/// One shared object to build: everything that a compiler needs to know.
struct BuildUnit {
  /// candidate | opponent | reference_f64 | reference_native | magnitude_f64 | reference_fast |
  /// magnitude_fast | init
  std::string role;
  Target target = kHostTarget;  ///< Target that the unit is compiled for.
  /// "sm_90a" where the target needs one; cpu: empty for the processor of this machine, else as in
  /// cpu_compiler.h.
  std::string arch;
  std::string dialect;               ///< Name of a dialect of the target.
  std::vector<SourceFile> files;     ///< Headers first; every *.cpp or *.cu is a translation unit.
  std::string main_file;             ///< The user's file, for diagnostics and screening.
  std::vector<std::string> defines;  ///< "NAME=VALUE".
  std::vector<std::string> options;  ///< Whitelisted names.
  std::vector<std::string> libraries;
  /// cuda: names of the kernels that plans launch, as the plans write them; none twice.
  std::vector<std::string> kernels;
  std::vector<BuiltObject> object;  ///< Empty until built; then exactly one.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("target", s.target), v("arch", s.arch), v("dialect", s.dialect),
        v("files", s.files), v("main_file", s.main_file), v("defines", s.defines),
        v("options", s.options), v("libraries", s.libraries), v("kernels", s.kernels),
        v("object", s.object);
  }
};

}  // namespace kw

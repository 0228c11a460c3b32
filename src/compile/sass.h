// Reads a disassembly of device code: the instructions of each kernel, and of its hottest loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kw::compile {

/// Counts of instructions by class. A class is an operation without its modifiers (FFMA, HGMMA,
/// BAR, MUFU), for moves of data followed by the width in bits (LDG.128, STS.32). Operations
/// without a rule count as "other".
struct CodeMix {
  int instructions = 0;
  std::map<std::string, int> by_class;

  /// Count of a class over all widths: of("LDG") counts LDG.32 and LDG.128, not LDGSTS.
  int of(std::string_view name) const;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("instructions", s.instructions), v("by_class", s.by_class);
  }
};

/// Machine code of one kernel.
struct KernelCode {
  std::string symbol;
  CodeMix all;
  /// The instructions of the loop that probably takes most time, without the loops inside it. It is
  /// chosen by arithmetic and memory instructions, weighted four times per level of nesting. This
  /// is a guess, since the text does not tell how often a loop runs. Empty if the kernel has no
  /// loop.
  CodeMix loop;
  int loop_depth = 0;  ///< Depth of nesting; 1: not nested; 0: no loop.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("symbol", s.symbol), v("all", s.all), v("loop", s.loop), v("loop_depth", s.loop_depth);
  }
};

/// Kernels in the output of `nvdisasm -c` or `cuobjdump -sass`, in the order of the output. Lines
/// that are no instructions are skipped, so no text is an error. Takes linear time.
std::vector<KernelCode> parse_sass(std::string_view text);

}  // namespace kw::compile

// Reads a disassembly of device code: which instructions a kernel has, and those of its hottest
// loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kw::compile {

/// Instructions of a stretch of code by class. A class is an operation without its modifiers (FFMA,
/// HGMMA, BAR, MUFU); one that moves data has its bits behind a dot (LDG.128, STS.32). What the
/// rules do not tell apart is "other".
struct CodeMix {
  int instructions = 0;
  std::map<std::string, int> by_class;

  /// Sum of a class over all widths: of("LDG") counts LDG.32 and LDG.128, not LDGSTS.
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
  /// The loop in which most time is likely to go, without the loops within it: by its arithmetic
  /// and memory instructions, four times as much per level of nesting. A guess from the text, since
  /// nothing tells how often a loop turns. Empty: no loop.
  CodeMix loop;
  int loop_depth = 0;  ///< 1: not nested; 0: no loop.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("symbol", s.symbol), v("all", s.all), v("loop", s.loop), v("loop_depth", s.loop_depth);
  }
};

/// Kernels in a text of `nvdisasm -c` or `cuobjdump -sass`, in its order; what is no instruction is
/// passed over, so any text gives an answer. Linear in the text.
std::vector<KernelCode> parse_sass(std::string_view text);

}  // namespace kw::compile

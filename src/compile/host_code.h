// What the instructions of a shared object reach for: clocks, counters, the system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/elf_image.h"

namespace kw::compile {

enum class Reach : std::uint8_t {
  SystemCall,  ///< The kernel beneath the C library.
  Clock,       ///< The time-stamp counter, or a wait that ends by it.
  Counter,     ///< Performance counters.
  Mode         ///< Another mode of the processor, where other calls have other numbers.
};

struct ReachingInstruction {
  Reach reach = Reach::SystemCall;
  std::string name;  ///< As the processor's manual writes it: "rdtsc".
  std::uint64_t address = 0;
  std::string function;  ///< The symbol that it lies in.
};

struct HostCode {
  std::vector<ReachingInstruction> reaching;  ///< By address; the first few.
  /// Functions that call syscall() with a number that is not plainly that of futex, or take its
  /// address. Those that wait and wake as <atomic> and <barrier> do are not among them.
  std::vector<std::string> system_callers;
  /// Functions that run while the object is loaded, to choose others, and call imported ones.
  std::vector<std::string> calling_resolvers;
};

/// Decodes what is executable: from every section and function on, and from wherever a branch, a
/// call, a relocation or an address in the code leads, each time until bytes that are no
/// instruction. So instructions hidden in others are seen as well once something plain leads to
/// them. An address computed at run time may lead elsewhere, into the middle of an instruction or
/// behind such bytes; what is reached that way is the jail's to deny. Linear in the code, some
/// 50 ns a byte.
HostCode read_host_code(const ElfImage& image);

}  // namespace kw::compile

// Finds instructions of a shared object that read clocks or counters, or call the operating system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/elf_image.h"

namespace kw::compile {

enum class Reach : std::uint8_t {
  SystemCall,  ///< A direct call of the kernel, past the C library.
  Clock,       ///< A read of the time-stamp counter, or a wait until its value.
  Counter,     ///< Performance counters.
  Mode         ///< Another mode of the processor, in which system calls have other numbers.
};

struct ReachingInstruction {
  Reach reach = Reach::SystemCall;
  std::string name;  ///< Name in the processor's manual: "rdtsc".
  std::uint64_t address = 0;
  std::string function;  ///< Symbol of the function that contains the instruction.
};

struct HostCode {
  std::vector<ReachingInstruction> reaching;  ///< Instructions by address; only the first few.
  /// Functions that take the address of syscall(), or call it with a number that is not a constant
  /// equal to that of futex. Functions that wait and wake as <atomic> and <barrier> do are
  /// therefore not listed.
  std::vector<std::string> system_callers;
  /// IFUNC resolvers, which run while the object is loaded, that call imported functions.
  std::vector<std::string> calling_resolvers;
};

/// Decodes executable bytes from the start of every section and function, and from every address to
/// which a branch, a call, a relocation or an address in the code leads, each time until bytes that
/// are no instruction. Instructions hidden inside others are therefore found if such an address
/// leads to them. An address computed at run time may lead elsewhere, into the middle of an
/// instruction; the jail must deny what is reached that way. Takes linear time, some 50 ns per
/// byte.
HostCode read_host_code(const ElfImage& image);

}  // namespace kw::compile

// The interface between an emulated kernel and the engine that runs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// An emulated kernel is compiled by the host's compiler into a shared object. Each block has one
/// operating-system thread; the block's threads are fibers, which switch only at barriers, warp
/// operations and sleeps.
namespace kw_emulated {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

class Engine;

/// One thread of a block, with the values that a kernel's code reads about itself.
struct Thread {
  Index thread, block, block_size, grid_size;
  unsigned lane = 0;
  unsigned warp = 0;
  unsigned char* shared = nullptr;  ///< Dynamic shared memory of the block.
  // The values that the lanes of the warp contributed to the latest warp operation.
  std::uint64_t received[32] = {};
  Engine* engine = nullptr;
};

/// Functions of the engine that kernels call. Kernels get them as a table, because the driver's
/// library is loaded with local symbols.
struct Calls {
  void (*sync_block)(Thread&, unsigned barrier,
                     unsigned threads);  ///< 0 threads means all threads of the block.
  bool (*sync_block_reduce)(Thread&, bool value, int how, int* count);  ///< 0 count, 1 and, 2 or.
  /// Exchanges a value among all lanes of `mask`, which find each other's values in
  /// Thread::received.
  void (*exchange)(Thread&, unsigned mask, std::uint64_t value);
  unsigned (*active_mask)(Thread&);
  void (*sleep)(Thread&, unsigned ns);
  void (*fault)(Thread&, int status);  ///< Does not return.
  std::uint64_t (*global_timer)();
};

/// Calls a kernel with pointers to its arguments, in the form in which cuLaunchKernel gets them.
using Thunk = void (*)(void* const* arguments);

struct Parameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct Kernel {
  const char* name = nullptr;  ///< The kernel's name as written; templates are found by address.
  void* address = nullptr;
  Thunk thunk = nullptr;
  const Parameter* parameters = nullptr;
  std::size_t parameter_count = 0;
  const Kernel* next = nullptr;
};

/// The data that the shared object of a module exports.
struct Exports {
  const Kernel* kernels;
  void (*bind)(const Calls* calls);
  Thread** (*self)();  ///< Where the calling operating system thread keeps its current fiber.
};
inline constexpr const char* kExportsName = "kw_emulated_exports";

/// Stands between the cubin of the real compiler and the shared object that was compiled from the
/// same source.
struct Trailer {
  char magic[8] = {'k', 'w', 'e', 'm', 'u', 'l', '0', '1'};
  std::uint64_t object_bytes = 0;
};

/// The size of an ELF file according to its own tables; 0 if the bytes are no ELF file.
inline std::size_t elf_bytes(const unsigned char* image) {
  if (std::memcmp(image, "\177ELF\2", 5) != 0) return 0;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image);
  std::size_t end = header->e_shoff + std::size_t{header->e_shnum} * header->e_shentsize;
  end = std::max(end, header->e_phoff + std::size_t{header->e_phnum} * header->e_phentsize);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (sections[i].sh_type != SHT_NOBITS)
      end = std::max<std::size_t>(end, sections[i].sh_offset + sections[i].sh_size);
  return end;
}

// Statuses of CUDA with which a faulting kernel ends.
inline constexpr int kIllegalAddress = 700;
inline constexpr int kAssert = 710;
inline constexpr int kLaunchFailed = 719;
inline constexpr int kIllegalInstruction = 715;
inline constexpr int kMisalignedAddress = 716;

}  // namespace kw_emulated

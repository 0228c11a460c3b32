// Reads a cubin: symbols for the kernels, .nv.info for their resources.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cubin.h"

#include <algorithm>
#include <map>

#include "compile/elf_sections.h"

namespace kw::compile {
namespace {

constexpr int kCudaMachine = 190;            // EM_CUDA
constexpr unsigned char kEntryOther = 0x10;  // STO_CUDA_ENTRY: a kernel, not a device function
constexpr std::size_t kMostParameters = 4096;

// Formats and attributes of entries in .nv.info that this file reads.
constexpr std::uint8_t kSized = 4;  // EIFMT_SVAL: the half-word is the size of a payload
constexpr std::uint8_t kMaxThreads = 0x05;
constexpr std::uint8_t kRequiredThreads = 0x10;
constexpr std::uint8_t kFrameSize = 0x11;
constexpr std::uint8_t kLeastStack = 0x12;  ///< Stack of a kernel and of the functions it calls.
constexpr std::uint8_t kParameter = 0x17;
constexpr std::uint8_t kRegisterCount = 0x2f;

/// Calls `see(attribute, payload)` for each attribute with a payload; false if the section is
/// damaged.
template <class F>
bool for_each_attribute(std::string_view section, F see) {
  while (!section.empty()) {
    if (section.size() < 4) return false;
    const auto format = static_cast<std::uint8_t>(section[0]);
    const auto attribute = static_cast<std::uint8_t>(section[1]);
    const auto half = *elf_at<std::uint16_t>(section, 2);
    section.remove_prefix(4);
    if (format != kSized) continue;  // other formats have no payload
    if (half > section.size()) return false;
    if (!see(attribute, section.substr(0, half))) return false;
    section.remove_prefix(half);
  }
  return true;
}

std::uint32_t word(std::string_view payload, std::size_t index) {
  return elf_at<std::uint32_t>(payload, index * 4).value_or(0);
}

struct File {
  std::string_view bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<std::string> names;  ///< Names of the sections.

  const Elf64_Shdr* section(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return &sections[i];
    return nullptr;
  }
};

Result<File> open_file(std::string_view bytes) {
  const Elf64_Ehdr header = KW_TRY(read_elf_header(bytes));
  if (header.e_machine != kCudaMachine)
    return fail(ErrorCode::Malformed, About{"cubin"}, "not a cubin");
  File file{bytes, KW_TRY(read_elf_sections(bytes, header)), {}};
  if (header.e_shstrndx >= file.sections.size())
    return fail(ErrorCode::Malformed, About{"section names"},
                "the sections of the cubin have no names");
  const Elf64_Shdr names = file.sections[header.e_shstrndx];
  for (const Elf64_Shdr& section : file.sections)
    file.names.push_back(elf_string(bytes, names, section.sh_name));
  return file;
}

/// Finds the kernels of a cubin, by the indices of their symbols.
Result<std::map<std::uint32_t, KernelFacts>> read_kernels(const File& file) {
  std::map<std::uint32_t, KernelFacts> kernels;
  for (const Elf64_Shdr& table : file.sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= file.sections.size()) continue;
    const std::string_view symbols = elf_contents(file.bytes, table);
    for (std::uint32_t i = 1; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = *elf_at<Elf64_Sym>(symbols, std::uint64_t{i} * sizeof(Elf64_Sym));
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & kEntryOther) == 0)
        continue;
      if (kernels.size() >= kMostKernels)
        return fail(ErrorCode::TooLarge, About{"kernels"},
                    "the cubin holds more than " + std::to_string(kMostKernels) + " kernels");
      KernelFacts& kernel = kernels[i];
      kernel.symbol = elf_string(file.bytes, file.sections[table.sh_link], symbol.st_name);
      kernel.name = kernel.symbol;
      if (kernel.symbol.empty())
        return fail(ErrorCode::Malformed, About{"kernel name"},
                    "a kernel of the cubin has no name");
    }
    return kernels;
  }
  return fail(ErrorCode::Malformed, About{"symbols"}, "the cubin has no table of symbols");
}

/// Reads the registers and stack of every function from .nv.info, by symbol.
Result<> read_shared_info(const File& file, std::map<std::uint32_t, KernelFacts>& kernels) {
  const Elf64_Shdr* info = file.section(".nv.info");
  if (info == nullptr) return {};
  const bool is_whole = for_each_attribute(
      elf_contents(file.bytes, *info), [&](std::uint8_t attribute, std::string_view payload) {
        const auto kernel = kernels.find(word(payload, 0));
        if (kernel == kernels.end() || payload.size() < 8) return true;
        if (attribute == kRegisterCount)
          kernel->second.registers = static_cast<int>(std::min(word(payload, 1), 1024u));
        if (attribute == kFrameSize || attribute == kLeastStack)
          kernel->second.stack_bytes =
              std::max<std::int64_t>(kernel->second.stack_bytes, word(payload, 1));
        return true;
      });
  if (!is_whole)
    return fail(ErrorCode::Malformed, About{"attributes"},
                "the attributes of a kernel in the cubin are damaged");
  return {};
}

std::int64_t threads_of(std::string_view payload) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < 3; ++i)
    product *= std::clamp<std::int64_t>(word(payload, i), 1, 1 << 16);
  return product;
}

/// Reads the parameters and the launch bounds of one kernel from its section .nv.info.NAME.
Result<> read_own_info(const File& file, KernelFacts& kernel) {
  const Elf64_Shdr* info = file.section(".nv.info." + kernel.symbol);
  if (info == nullptr)
    return fail(ErrorCode::Malformed, About{"no parameters"},
                "the cubin says nothing about the parameters of " + kernel.symbol);
  std::map<int, KernelParameter> parameters;
  const bool is_whole = for_each_attribute(
      elf_contents(file.bytes, *info), [&](std::uint8_t attribute, std::string_view payload) {
        if (attribute == kParameter) {
          // The payload holds the parameter's index, its ordinal and offset as half-words, then a
          // word whose low 18 bits are space and alignment, with the size above them.
          if (payload.size() != 12) return false;
          const std::uint32_t place = word(payload, 1), packed = word(payload, 2);
          return parameters
              .emplace(static_cast<int>(place & 0xffff),
                       KernelParameter{.offset = place >> 16, .bytes = packed >> 18})
              .second;
        }
        if (attribute == kMaxThreads || attribute == kRequiredThreads)
          kernel.max_threads =
              static_cast<int>(std::min<std::int64_t>(threads_of(payload), 1 << 20));
        return true;
      });
  if (!is_whole || parameters.size() > kMostParameters)
    return fail(ErrorCode::Malformed, About{"parameters"},
                "the cubin's table of parameters of " + kernel.symbol + " is damaged");
  for (const auto& [ordinal, parameter] : parameters) {
    const std::int64_t end = kernel.parameters.empty()
                                 ? 0
                                 : kernel.parameters.back().offset + kernel.parameters.back().bytes;
    if (ordinal != static_cast<int>(kernel.parameters.size()) || parameter.offset < end ||
        parameter.bytes <= 0)
      return fail(ErrorCode::Malformed, About{"missing parameters"},
                  "the cubin's table of parameters of " + kernel.symbol + " is incomplete");
    kernel.parameters.push_back(parameter);
  }
  if (const Elf64_Shdr* shared = file.section(".nv.shared." + kernel.symbol))
    kernel.static_shared =
        static_cast<std::int64_t>(std::min<std::uint64_t>(shared->sh_size, std::uint64_t{1} << 30));
  return {};
}

}  // namespace

Result<std::vector<KernelFacts>> read_cubin(std::string_view bytes) {
  const File file = KW_TRY(open_file(bytes));
  std::map<std::uint32_t, KernelFacts> kernels = KW_TRY(read_kernels(file));
  KW_TRY(read_shared_info(file, kernels));
  std::vector<KernelFacts> facts;
  for (auto& [index, kernel] : kernels) {
    KW_TRY(read_own_info(file, kernel));
    facts.push_back(std::move(kernel));
  }
  return facts;
}

}  // namespace kw::compile

// Follows code from every address that leads into it: x86-64 by Zydis, AArch64 word by word.
// SPDX-License-Identifier: Apache-2.0
#include "compile/host_code.h"

#include <Zydis/Zydis.h>
#include <elf.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "compile/elf_sections.h"

namespace kw::compile {
namespace {

constexpr std::size_t kMostSightings = 16, kMostSeen = 4096;
constexpr std::int64_t kFutex = 202;  // the number of the system call on x86-64

std::optional<Reach> reach_of(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_INT:
      return Reach::SystemCall;
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_UMWAIT:
    case ZYDIS_MNEMONIC_TPAUSE:
    case ZYDIS_MNEMONIC_MWAITX:
      return Reach::Clock;
    case ZYDIS_MNEMONIC_RDPMC:
    case ZYDIS_MNEMONIC_RDPRU:
      return Reach::Counter;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_WRPKRU:
      return Reach::Mode;
    default:
      if (instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return Reach::Mode;
      return std::nullopt;
  }
}

/// One decoded instruction, with what is needed to find the instructions that may run next.
struct Step {
  ZydisDecodedInstruction instruction;
  std::uint64_t address = 0;
  std::optional<std::uint64_t> target;  ///< Target of a direct branch or call.
  /// Absolute address of an operand that the instruction gives relative to the next instruction.
  std::optional<std::uint64_t> operand;

  std::uint64_t end() const { return address + instruction.length; }
  bool is_call() const { return instruction.meta.category == ZYDIS_CATEGORY_CALL; }
  bool is_jump() const { return instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR; }
  bool is_end() const { return is_jump() || instruction.meta.category == ZYDIS_CATEGORY_RET; }
};

class X86Code {
 public:
  explicit X86Code(const ElfImage& image) : image_(image) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (const ElfSegment& s : image.segments)
      if (s.is_executable) seen_.push_back({&s, std::vector<bool>(s.bytes.size())});
    for (const ElfRelocation& r : image.relocations)
      if (r.symbol == "syscall") system_slots_.insert(r.place);
  }

  HostCode read() {
    follow_everything();
    std::ranges::sort(code_.reaching, {}, &ReachingInstruction::address);
    if (code_.reaching.size() > kMostSightings) code_.reaching.resize(kMostSightings);
    if (!system_slots_.empty()) find_system_callers();
    for (const std::uint64_t resolver : image_.resolvers)
      if (calls_out(resolver)) note(code_.calling_resolvers, resolver);
    return std::move(code_);
  }

 private:
  struct Seen {
    const ElfSegment* segment;
    std::vector<bool> starts;  ///< By byte: whether an instruction that was followed begins here.
  };

  std::vector<bool>::reference mark(Seen& seen, std::uint64_t address) {
    return seen.starts[address - seen.segment->address];
  }

  Seen* part_of(std::uint64_t address) {
    for (Seen& seen : seen_)
      if (address >= seen.segment->address && address - seen.segment->address < seen.starts.size())
        return &seen;
    return nullptr;
  }

  std::optional<Step> decode(const Seen& seen, std::uint64_t address) const {
    const std::string_view bytes = seen.segment->bytes.substr(address - seen.segment->address);
    Step step;
    ZydisDecoderContext context;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, &context, bytes.data(), bytes.size(),
                                                    &step.instruction)))
      return std::nullopt;
    step.address = address;
    const auto& raw = step.instruction.raw;
    if (raw.imm[0].is_relative)
      step.target = step.end() + static_cast<std::uint64_t>(raw.imm[0].value.s);
    if ((step.instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && raw.modrm.mod == 0 &&
        raw.modrm.rm == 5)
      step.operand = step.end() + static_cast<std::uint64_t>(raw.disp.value);
    return step;
  }

  void follow_everything() {
    for (const Seen& seen : seen_) anchors_.push_back(seen.segment->address);
    for (const ElfCodeSection& section : image_.code) anchors_.push_back(section.address);
    for (const ElfFunction& function : image_.functions) anchors_.push_back(function.address);
    for (const ElfRelocation& r : image_.relocations)
      anchors_.push_back(r.value + static_cast<std::uint64_t>(r.addend));
    joins_.insert(anchors_.begin(), anchors_.end());
    while (!anchors_.empty()) {
      std::uint64_t address = anchors_.back();
      anchors_.pop_back();
      Seen* const seen = part_of(address);
      if (seen == nullptr) continue;
      while (part_of(address) == seen && !mark(*seen, address)) {
        mark(*seen, address) = true;
        const auto step = decode(*seen, address);
        // Bytes that are no instruction end the process (SIGILL), so execution does not continue
        // behind them.
        if (!step) break;
        look_at(*step);
        address = step->end();
      }
    }
  }

  void look_at(const Step& step) {
    for (const auto& lead : {step.target, step.operand}) {
      if (!lead) continue;
      anchors_.push_back(*lead);
      joins_.insert(*lead);
    }
    if (const auto reach = reach_of(step.instruction); reach && code_.reaching.size() < kMostSeen)
      code_.reaching.push_back({.reach = *reach,
                                .name = ZydisMnemonicGetString(step.instruction.mnemonic),
                                .address = step.address,
                                .function = std::string(image_.function_at(step.address))});
  }

  bool is_stub(std::uint64_t address) const {
    return std::ranges::any_of(image_.code, [&](const ElfCodeSection& section) {
      return section.name.starts_with(".plt") && address >= section.address &&
             address - section.address < section.bytes;
    });
  }

  /// Calls `visit` for every instruction that was reached, by ascending address.
  template <class Visit>
  void for_each_step(Visit visit) {
    for (const Seen& seen : seen_)
      for (std::size_t i = 0; i < seen.starts.size(); ++i)
        if (seen.starts[i])
          if (const auto step = decode(seen, seen.segment->address + i)) visit(*step);
  }

  // Finds the stubs through which syscall() is called, then the functions that call one of them.
  void find_system_callers() {
    std::set<std::uint64_t> stubs;
    for_each_step([&](const Step& step) {
      if (!step.operand || !system_slots_.contains(*step.operand)) return;
      if (!step.is_jump() || !is_stub(step.address)) return;
      stubs.insert(step.address);
      stubs.insert(step.address - 4);  // with an endbr64 before it
    });
    std::optional<std::int64_t> number;  // the value in edi, where the code sets a constant
    std::uint64_t expected = 0;
    for_each_step([&](const Step& step) {
      if (step.address != expected || joins_.contains(step.address)) number.reset();
      expected = step.end();
      const bool is_direct = step.target && stubs.contains(*step.target);
      const bool names_slot =
          step.operand && system_slots_.contains(*step.operand) && !is_stub(step.address);
      if ((is_direct || names_slot) &&
          (number != kFutex || (names_slot && !step.is_call() && !step.is_jump())))
        note(code_.system_callers, step.address);
      update(number, step);
    });
    const bool is_stored = std::ranges::any_of(image_.relocations, [](const ElfRelocation& r) {
      return r.symbol == "syscall" && !r.is_slot;
    });
    if (is_stored) code_.system_callers.emplace_back("a table of functions");
  }

  /// Updates what is known of the register of the first argument after an instruction.
  void update(std::optional<std::int64_t>& number, const Step& step) const {
    if (step.is_call()) {
      number.reset();
      return;
    }
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const Seen* const seen = const_cast<X86Code*>(this)->part_of(step.address);
    const std::string_view bytes =
        seen->segment->bytes.substr(step.address - seen->segment->address);
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder_, bytes.data(), bytes.size(), &instruction, operands)))
      return number.reset();
    for (std::size_t i = 0; i < instruction.operand_count; ++i) {
      const ZydisDecodedOperand& operand = operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER ||
          (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0 ||
          ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value) !=
              ZYDIS_REGISTER_RDI)
        continue;
      number.reset();
      if (instruction.mnemonic == ZYDIS_MNEMONIC_MOV && i == 0 && operand.size >= 32 &&
          operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        number = operands[1].imm.value.s;
    }
  }

  /// Whether the code that an IFUNC resolver reaches by direct calls and branches calls an import,
  /// or a function pointer from memory. Branches through a register come from switches and are not
  /// calls.
  bool calls_out(std::uint64_t resolver) {
    std::set<std::uint64_t> seen;
    std::vector<std::uint64_t> open{resolver};
    while (!open.empty()) {
      std::uint64_t address = open.back();
      open.pop_back();
      for (Seen* part; (part = part_of(address)) != nullptr && seen.insert(address).second;) {
        const auto step = decode(*part, address);
        if (!step) break;
        const bool is_branch = step->is_call() || step->is_jump();
        if (is_stub(address) || (is_branch && !step->target && (step->operand || step->is_call())))
          return true;
        if (step->target) open.push_back(*step->target);
        if (step->is_end()) break;
        address = step->end();
      }
    }
    return false;
  }

  void note(std::vector<std::string>& list, std::uint64_t address) const {
    const std::string name(image_.function_at(address));
    if (list.size() < kMostSightings && std::ranges::find(list, name) == list.end())
      list.push_back(name);
  }

  const ElfImage& image_;
  ZydisDecoder decoder_{};
  std::vector<Seen> seen_;
  std::vector<std::uint64_t> anchors_;
  /// Targets of branches, where the value of a register is unknown because control may come from
  /// several places.
  std::set<std::uint64_t> joins_;
  std::set<std::uint64_t> system_slots_;
  HostCode code_;
};

/// Looks at every instruction, since all have the same size. Encodings: Arm ARM, C5.2 (system
/// registers), C6 (SVC).
HostCode read_aarch64(const ElfImage& image) {
  struct Word {
    std::uint32_t mask, bits;
    Reach reach;
    std::string_view name;
  };
  static constexpr Word kWords[] = {
      {0xffe0001f, 0xd4000001, Reach::SystemCall, "svc"},
      {0xffffffe0, 0xd53be020, Reach::Clock, "mrs cntpct_el0"},
      {0xffffffe0, 0xd53be040, Reach::Clock, "mrs cntvct_el0"},
      {0xffffffe0, 0xd53be0a0, Reach::Clock, "mrs cntpctss_el0"},
      {0xffffffe0, 0xd53be0c0, Reach::Clock, "mrs cntvctss_el0"},
      {0xffffffe0, 0xd53b9d00, Reach::Counter, "mrs pmccntr_el0"},
      {0xffffffe0, 0xd53b9d40, Reach::Counter, "mrs pmxevcntr_el0"},
  };
  HostCode code;
  for (const ElfSegment& segment : image.segments) {
    if (!segment.is_executable) continue;
    for (std::size_t i = 0; i + 4 <= segment.bytes.size(); i += 4) {
      const auto word = *elf_at<std::uint32_t>(segment.bytes, i);
      for (const Word& known : kWords)
        if ((word & known.mask) == known.bits && code.reaching.size() < kMostSightings)
          code.reaching.push_back(
              {.reach = known.reach,
               .name = std::string(known.name),
               .address = segment.address + i,
               .function = std::string(image.function_at(segment.address + i))});
    }
  }
  return code;
}

}  // namespace

HostCode read_host_code(const ElfImage& image) {
  return image.machine == EM_X86_64 ? X86Code(image).read() : read_aarch64(image);
}

}  // namespace kw::compile

// Turns the lines of a disassembly into counts and loops.
// SPDX-License-Identifier: Apache-2.0
#include "compile/sass.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/contains.h"
#include "base/text.h"
#include "compile/cubin.h"

namespace kw::compile {
namespace {

/// Most instructions of a kernel that are read; a kernel of CuTe has some ten thousand.
constexpr std::size_t kMostInstructions = std::size_t{1} << 20;
constexpr std::size_t kMostLoops = 2048;
/// Factor by which the weight of a loop's instructions grows per level of nesting, since inner
/// loops run more often.
constexpr double kPerLevel = 4;

/// Operations that move data; their widths are counted separately.
constexpr std::array<std::string_view, 12> kMoves{"LDG", "STG", "LDS", "STS",  "LDL",   "STL",
                                                  "LD",  "ST",  "RED", "ATOM", "ATOMG", "ATOMS"};
constexpr std::array<std::string_view, 38> kOperations{
    "FFMA",    "FFMA2",   "FADD",     "FMUL",  "DFMA",     "DADD", "DMUL",  "HFMA2",
    "HADD2",   "HMUL2",   "HMMA",     "IMMA",  "DMMA",     "QMMA", "HGMMA", "IGMMA",
    "QGMMA",   "MUFU",    "BAR",      "SHFL",  "LDGSTS",   "LDSM", "STSM",  "UBLKCP",
    "UTMALDG", "UTMASTG", "UTMAREDG", "SYNCS", "WARPSYNC", "IMAD", "IADD3", "LOP3",
    "LEA",     "ISETP",   "BRA",      "F2F",   "I2F",      "F2I"};

struct Instruction {
  std::string_view operation;  ///< Operation with its modifiers: "LDG.E.128".
  std::string_view target;     ///< Target of a branch, a label or an address; empty: none.
  std::int64_t address = 0;
  bool is_end = false;  ///< An EXIT without a condition.
};

struct CodeLoop {
  std::size_t first = 0;
  std::size_t last = 0;
  int depth = 1;
  CodeMix mix = {};  ///< Instructions of this loop outside of its inner loops.
};

std::string class_of(std::string_view operation) {
  const auto modifiers = split(operation, '.');
  const std::string_view name = modifiers.front();
  if (contains(kOperations, name)) return std::string(name);
  if (!contains(kMoves, name)) return "other";
  std::string_view bits = "32";
  for (const std::string_view m : modifiers) {
    if (m == "128" || m == "64") bits = m;
    if (m == "U8" || m == "S8") bits = "8";
    if (m == "U16" || m == "S16") bits = "16";
  }
  return std::string(name) + "." + std::string(bits);
}

/// Weight of an instruction in the search for the hottest loop. Arithmetic and memory count most: a
/// loop that only computes addresses or waits for a barrier seldom takes the most time.
double work_of(std::string_view name) {
  if (name.ends_with("GMMA")) return 64;
  if (name.ends_with("MMA")) return 16;
  constexpr std::array<std::string_view, 12> kWork{"FFMA",  "FFMA2", "FADD", "FMUL",
                                                   "DFMA",  "DADD",  "DMUL", "HFMA2",
                                                   "HADD2", "HMUL2", "MUFU", "LDGSTS"};
  const bool is_work = contains(kWork, name) || name.find('.') != std::string_view::npos;
  return is_work ? 1 : 0.25;
}

/// Takes a hexadecimal address written as /*0010*/ from the front of the line; nothing where there
/// is none. An instruction's encoding is a comment too, but begins with a blank.
std::optional<std::int64_t> take_address(std::string_view& line) {
  if (!line.starts_with("/*")) return std::nullopt;
  const std::size_t end = line.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(2, end - 2);
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
    return std::nullopt;
  line = trim(line.substr(end + 2));
  return value;
}

/// The target of `BRA P0, `(.L_x_4)` or `BRA 0x1c0`: the last operand.
std::string_view target_of(std::string_view operands) {
  if (const auto at = operands.rfind("`("); at != std::string_view::npos) {
    const std::string_view rest = operands.substr(at + 2);
    return rest.substr(0, rest.find(')'));
  }
  if (const auto at = operands.rfind("0x"); at != std::string_view::npos)
    return trim(operands.substr(at));
  return {};
}

std::optional<Instruction> instruction_of(std::string_view line) {
  line = trim(line);
  const auto address = take_address(line);
  if (!address) return std::nullopt;
  Instruction found{.operation = {}, .target = {}, .address = *address, .is_end = false};
  line = trim(line.substr(0, line.find(';')));
  if (line.starts_with('{')) line = trim(line.substr(1));
  const bool is_guarded = line.starts_with('@');
  if (is_guarded) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    line = trim(line.substr(blank));
  }
  found.operation = line.substr(0, line.find_first_of(" \t"));
  const bool is_name =
      !found.operation.empty() && found.operation[0] >= 'A' && found.operation[0] <= 'Z';
  if (!is_name || found.operation == "NOP") return std::nullopt;  // padding after a kernel
  found.is_end = found.operation == "EXIT" && !is_guarded;
  if (found.operation == "BRA" || found.operation.starts_with("BRA."))
    found.target = target_of(line.substr(found.operation.size()));
  return found;
}

/// Instructions and labels of one kernel.
class Code {
 public:
  void label(std::string_view name) { labels_.emplace(name, instructions_.size()); }
  void add(const Instruction& instruction) {
    if (instructions_.size() < kMostInstructions) instructions_.push_back(instruction);
  }
  bool is_empty() const { return instructions_.empty(); }

  KernelCode facts(std::string symbol) const {
    KernelCode code;
    code.symbol = std::move(symbol);
    std::vector<CodeLoop> found = loops();
    std::size_t next = 0;
    std::vector<std::size_t> open;  // indices into `found`, outermost first
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      while (!open.empty() && found[open.back()].last < i) open.pop_back();
      for (; next < found.size() && found[next].first == i; ++next) {
        open.push_back(next);
        found[next].depth = static_cast<int>(open.size());
      }
      const std::string name = class_of(instructions_[i].operation);
      count(name, code.all);
      if (!open.empty()) count(name, found[open.back()].mix);
    }
    double most = 0;
    for (CodeLoop& loop : found) {
      const double weight = weight_of(loop);
      if (weight <= most) continue;
      most = weight;
      code.loop = loop.mix;
      code.loop_depth = loop.depth;
    }
    return code;
  }

 private:
  static void count(const std::string& name, CodeMix& mix) {
    ++mix.instructions;
    ++mix.by_class[name];
  }

  static double weight_of(const CodeLoop& loop) {
    double work = 0;
    for (const auto& [name, n] : loop.mix.by_class) work += n * work_of(name);
    return work * std::pow(kPerLevel, std::min(loop.depth, 8));
  }

  std::optional<std::size_t> find(std::string_view target) const {
    if (const auto at = labels_.find(target); at != labels_.end()) return at->second;
    if (!target.starts_with("0x")) return std::nullopt;
    std::int64_t address = 0;
    const auto digits = target.substr(2);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (read.ec != std::errc{}) return std::nullopt;
    const auto at = std::lower_bound(
        instructions_.begin(), instructions_.end(), address,
        [](const Instruction& i, std::int64_t wanted) { return i.address < wanted; });
    if (at == instructions_.end() || at->address != address) return std::nullopt;
    return static_cast<std::size_t>(at - instructions_.begin());
  }

  /// Finds loops by their first instruction; of several that begin at one instruction, the longest.
  /// Two kinds of backward branch are no loops: a branch to itself, which the compiler puts after
  /// the end of every kernel, and a branch from behind an EXIT, where the compiler puts rarely
  /// executed code such as waits for a barrier.
  std::vector<CodeLoop> loops() const {
    std::map<std::size_t, std::size_t> ends;
    std::size_t after_exit = 0;
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      if (instructions_[i].is_end) after_exit = i + 1;
      if (instructions_[i].target.empty()) continue;
      const auto first = find(instructions_[i].target);
      if (first && *first < i && *first >= after_exit &&
          (ends.size() < kMostLoops || ends.contains(*first)))
        ends[*first] = i;
    }
    std::vector<CodeLoop> found;
    for (const auto& [first, last] : ends) found.push_back({.first = first, .last = last});
    return found;
  }

  std::vector<Instruction> instructions_;
  std::map<std::string_view, std::size_t, std::less<>> labels_;
};

/// Name of the kernel whose code begins in this line: ".text.NAME:" in nvdisasm's output, "Function
/// : NAME" in cuobjdump's.
std::optional<std::string_view> start_of(std::string_view line) {
  constexpr std::string_view kSection = ".text.";
  constexpr std::string_view kFunction = "Function : ";
  if (line.starts_with(kSection) && line.ends_with(':'))
    return line.substr(kSection.size(), line.size() - kSection.size() - 1);
  const std::string_view words = trim(line);
  if (words.starts_with(kFunction)) return trim(words.substr(kFunction.size()));
  return std::nullopt;
}

}  // namespace

int CodeMix::of(std::string_view name) const {
  int sum = 0;
  for (auto at = by_class.lower_bound(std::string(name)); at != by_class.end(); ++at) {
    if (!std::string_view(at->first).starts_with(name)) break;
    if (at->first.size() == name.size() || at->first[name.size()] == '.') sum += at->second;
  }
  return sum;
}

std::vector<KernelCode> parse_sass(std::string_view text) {
  std::vector<KernelCode> kernels;
  std::string symbol;
  Code code;
  const auto end_kernel = [&] {
    if (!code.is_empty()) kernels.push_back(code.facts(std::move(symbol)));
    code = Code();
  };
  for (const std::string_view line : split_lines(text)) {
    if (const auto name = start_of(line)) {
      end_kernel();
      if (kernels.size() == kMostKernels) return kernels;
      symbol = *name;
    } else if (symbol.empty()) {
      continue;
    } else if (line.starts_with(".L") && line.ends_with(':')) {
      code.label(line.substr(0, line.size() - 1));
    } else if (const auto instruction = instruction_of(line)) {
      code.add(*instruction);
    }
  }
  end_kernel();
  return kernels;
}

}  // namespace kw::compile

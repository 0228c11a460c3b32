// Screening of claims, text and object.
// SPDX-License-Identifier: Apache-2.0
#include "referee/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/characters.h"
#include "base/text.h"
#include "compile/elf.h"
#include "referee/symbols.h"

namespace kw::referee {
namespace {

constexpr std::size_t kShown = 100;  // bytes of a foreign name in a message

Screening rejected(std::string evidence, std::string frame = {}, std::string place = {}) {
  Screening screening;
  screening.findings.push_back({"diagnostic", 0, evidence, std::move(frame), std::move(place)});
  screening.verdict = Verdict{Stage::Screen, Outcome::Rejected, std::move(evidence)};
  return screening;
}

/// The text with comments blanked, and with literals blanked too; same length, same line ends.
struct Cleaned {
  std::string code;      ///< Neither comments nor what literals hold.
  std::string literals;  ///< No comments; literals as they are.
};

// End of the literal that opens at `at` (its quote), past the closing quote.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == quote)
      return i + 1;
    else if (text[i] == '\n')
      return i;  // unterminated: the compiler will complain
  }
  return text.size();
}

std::size_t end_of_raw_literal(std::string_view text, std::size_t quote) {
  const std::size_t open = text.find('(', quote);
  if (open == std::string_view::npos || open - quote > 17) return quote + 1;
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

/// Whether the quote at `at` opens a raw literal: its prefix is a word of its own.
bool is_raw_literal(std::string_view text, std::size_t at) {
  std::size_t first = at;
  while (first > 0 && is_name_char(text[first - 1])) --first;
  const std::string_view prefix = text.substr(first, at - first);
  return prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R";
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

Cleaned clean(std::string_view text) {
  Cleaned out{std::string(text), std::string(text)};
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      std::size_t end = rest[1] == '/' ? text.find('\n', i) : text.find("*/", i + 2);
      end = end == std::string_view::npos ? text.size() : end + (rest[1] == '/' ? 0 : 2);
      blank(out.code, i, end);
      blank(out.literals, i, end);
      i = end;
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_name_char(text[i - 1])))) {
      const bool raw = text[i] == '"' && is_raw_literal(text, i);
      const std::size_t end = raw ? end_of_raw_literal(text, i) : end_of_literal(text, i);
      if (end > i + 1) blank(out.code, i + 1, end - 1);
      i = end;
    } else {
      ++i;
    }
  }
  return out;
}

/// Joins continued lines; offsets move, which only blurs the column of a hidden directive.
std::string spliced(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n')
      ++i;
    else if (text[i] == '\\' && text.substr(i + 1, 2) == "\r\n")
      i += 2;
    else
      out += text[i];
  }
  return out;
}

class TextScreen {
 public:
  TextScreen(std::string_view text, std::string_view name)
      : text_(spliced(text)),
        name_(name),
        clean_(clean(text_)),
        has_splices_(text_.size() != text.size()) {}

  Screening run(Target target) {
    screen_directives();
    if (target == Target::Cuda) {
      screen_statements(kPtxRules);
      screen_device_words();
    } else {
      screen_statements(kAssemblyRules);
      screen_words();
    }
    return std::move(result_);
  }

 private:
  struct Rule {
    std::string_view text;
    std::string_view what;
  };
  static constexpr std::array<Rule, 9> kAssemblyRules{{
      {".incbin", "assembly includes a file"},
      {".include", "assembly includes a file"},
      {"syscall", "assembly makes a system call"},
      {"sysenter", "assembly makes a system call"},
      {"$0x80", "assembly makes a system call"},
      {"rdtsc", "assembly reads the time-stamp counter"},
      {"rdpmc", "assembly reads a performance counter"},
      {"init_array", "assembly adds code that runs when the object is loaded"},
      {".section .init", "assembly adds code that runs when the object is loaded"},
  }};
  // PTX ISA 8.8, chapters "Special Registers" and "Directives".
  static constexpr std::array<Rule, 11> kPtxRules{{
      {"%clock", "inline PTX reads a clock; only the referee times a kernel"},
      {"%globaltimer", "inline PTX reads the global timer; only the referee times a kernel"},
      {"%pm0", "inline PTX reads a performance counter"},
      {"%envreg", "inline PTX reads what the driver keeps for itself"},
      {"pmevent", "inline PTX raises a performance event"},
      {".visible", "inline PTX declares a symbol of its own"},
      {".extern", "inline PTX declares a symbol of its own"},
      {".entry", "inline PTX declares a kernel of its own"},
      {".section", "inline PTX writes sections of its own"},
      {".file", "inline PTX writes sections of its own"},
      {"vprintf", "a kernel prints"},
  }};

  void reject(std::size_t offset, const std::string& what) {
    if (result_.verdict) return;
    const Position at = position_of(text_, offset);
    result_ = rejected(what, render_frame(text_, offset, what),
                       fmt::format("{}:{}:{}", name_, at.line, at.column));
  }

  void screen_directives() {
    std::size_t offset = 0;
    for (const std::string_view line : split_lines(clean_.literals)) {
      std::string_view rest = trim(line);
      // A line of a raw literal is no directive. Splices do not count in there, which clean() does
      // not follow, so that with any of them every line is looked at.
      const auto mark = static_cast<std::size_t>(rest.data() - clean_.literals.data());
      const bool is_quoted = !has_splices_ && !rest.empty() && clean_.code[mark] == ' ';
      const std::size_t at = offset;
      offset += line.size() + (clean_.literals.substr(offset + line.size(), 2) == "\r\n" ? 2 : 1);
      const bool is_digraph = rest.starts_with("%:");
      if (is_quoted || (!is_digraph && !rest.starts_with('#'))) continue;
      rest = trim(rest.substr(is_digraph ? 2 : 1));
      if (rest.starts_with("embed")) reject(at, "#embed reads a file at compile time");
      for (const std::string_view word : {"include_next", "include", "import", "if", "elif"})
        if (rest.starts_with(word)) {
          screen_path(at, rest.substr(word.size()), word.starts_with("i") && word != "if");
          break;
        }
    }
  }

  void screen_path(std::size_t offset, std::string_view rest, bool is_include) {
    const std::string_view lead = trim(rest);
    if (is_include && !lead.empty() && is_name_char(lead.front()))
      reject(offset, "an #include must name its file literally, not by a macro");
    const std::size_t open = rest.find_first_of("<\"");
    if (open == std::string_view::npos || open + 1 >= rest.size()) return;
    const bool condition = rest.find("__has_") != std::string_view::npos;
    // `#if a < b` has no path in it.
    if (!condition && !trim(rest.substr(0, open)).empty()) return;
    const std::string_view path = trim(rest.substr(open + 1));
    if (path.starts_with('/') || path.find("..") != std::string_view::npos || path.starts_with('~'))
      reject(offset, "an #include names a file by absolute or parent path");
  }

  // Every asm statement, up to the parenthesis that closes it.
  void screen_statements(std::span<const Rule> rules) {
    for (const std::string_view word : {"asm", "__asm", "__asm__"})
      for_each_word(word, [&](std::size_t at) {
        std::size_t i = clean_.code.find_first_of("({;", at);
        if (i == std::string::npos || clean_.code[i] != '(') return;
        int depth = 0;
        std::size_t end = i;
        for (; end < clean_.code.size(); ++end) {
          if (clean_.code[end] == '(') ++depth;
          if (clean_.code[end] == ')' && --depth == 0) break;
        }
        const auto statement = std::string_view(clean_.literals).substr(i, end - i);
        for (const Rule& rule : rules)
          if (statement.find(rule.text) != std::string_view::npos)
            reject(at, std::string(rule.what));
      });
  }

  // Clocks, host code and output, which device code has no use for.
  void screen_device_words() {
    for (const std::string_view word :
         {"clock", "clock64", "globaltimer", "__nv_clock", "__clock", "__clock64",
          "__nvvm_read_ptx_sreg_clock", "__nvvm_read_ptx_sreg_clock64",
          "__nvvm_read_ptx_sreg_globaltimer", "__builtin_readcyclecounter"})
      for_each_word(word, [&](std::size_t at) {
        if (is_call(at, word.size()))
          reject(at, "a kernel must not read clocks; only the referee times it");
      });
    for (const std::string_view word : {"printf", "vprintf"})
      for_each_word(word, [&](std::size_t at) {
        if (is_call(at, word.size())) reject(at, "a kernel must not print");
      });
    for (const std::string_view word : {"malloc", "free", "alloca"})
      for_each_word(word, [&](std::size_t at) {
        if (is_call(at, word.size()))
          reject(at, "memory beyond the tensors comes from // kw: workspace lines");
      });
    for (const std::string_view word :
         {"cudaMalloc", "cudaMallocAsync", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync",
          "cudaMemset", "cudaMemsetAsync", "cudaLaunchKernel", "cudaLaunchKernelEx",
          "cudaLaunchDevice", "cudaLaunchDeviceV2", "cudaGraphLaunch", "cudaDeviceSynchronize",
          "cudaDeviceSetLimit", "cudaStreamCreateWithFlags", "cudaEventRecord"})
      for_each_word(word, [&](std::size_t at) {
        reject(at, "calls of the CUDA runtime have no place in device code");
      });
    for (const std::string_view word : {"__host__", "main"})
      for_each_word(word, [&](std::size_t at) {
        if (word == "main" && !is_call(at, word.size())) return;
        if (word == "__host__" && is_beside_device(at, word.size())) return;
        reject(at, "host code: a device-only file is device code and // kw: lines");
      });
    for (std::size_t at = clean_.code.find("<<<"); at != std::string::npos;
         at = clean_.code.find("<<<", at + 3))
      reject(at, "kernels are launched by // kw: launch lines, not by <<< >>>");
  }

  // What follows is a parenthesis.
  bool is_call(std::size_t at, std::size_t size) const {
    const std::size_t next = clean_.code.find_first_not_of(" \t\r\n", at + size);
    return next != std::string::npos && clean_.code[next] == '(';
  }

  // `__host__ __device__` is device code as well.
  bool is_beside_device(std::size_t at, std::size_t size) const {
    const std::string_view code = clean_.code;
    return trim(code.substr(0, at)).ends_with("__device__") ||
           trim(code.substr(at + size)).starts_with("__device__");
  }

  void screen_words() {
    for (const std::string_view word :
         {"__rdtsc", "_rdtsc", "__rdtscp", "__builtin_ia32_rdtsc", "__builtin_ia32_rdtscp",
          "__rdpmc", "_rdpmc", "__builtin_ia32_rdpmc", "__builtin_readcyclecounter"})
      for_each_word(word, [&](std::size_t at) {
        reject(at, "a kernel must not read the time-stamp or performance counters");
      });
    for (const std::string_view word :
         {"constructor", "destructor", "__constructor__", "__destructor__"})
      for_each_word(word, [&](std::size_t at) {
        if (is_attribute(at))
          reject(at,
                 "code that runs when the object is loaded or unloaded (constructor attribute)");
      });
  }

  // Inside `__attribute__((…))` or after `gnu::`: an ordinary name may be "constructor".
  bool is_attribute(std::size_t at) const {
    const std::string_view before = std::string_view(clean_.code).substr(0, at);
    if (trim(before).ends_with("::")) return trim(before).ends_with("gnu::");
    const std::size_t open = before.rfind("((");
    const std::size_t close = before.rfind("))");
    if (open == std::string_view::npos || (close != std::string_view::npos && close > open))
      return false;
    const std::string_view lead = trim(before.substr(0, open));
    return lead.ends_with("__attribute__") || lead.ends_with("__attribute");
  }

  template <class Visit>
  void for_each_word(std::string_view word, Visit visit) {
    for (std::size_t at = clean_.code.find(word); at != std::string::npos;
         at = clean_.code.find(word, at + 1)) {
      const bool begins = at == 0 || !is_name_char(clean_.code[at - 1]);
      const std::size_t end = at + word.size();
      if (begins && (end == clean_.code.size() || !is_name_char(clean_.code[end]))) visit(at);
    }
  }

  std::string text_;
  std::string_view name_;
  Cleaned clean_;
  bool has_splices_;
  Screening result_;
};

bool is_own_library(std::string_view name, const std::vector<std::string>& libraries) {
  for (const std::string_view prefix :
       {"libc.so", "libm.so", "libmvec.so", "libgomp.so", "libomp.so", "libstdc++.so",
        "libgcc_s.so", "libpthread.so", "ld-linux"})
    if (name.starts_with(prefix)) return true;
  return std::any_of(libraries.begin(), libraries.end(), [&](const std::string& library) {
    return name.starts_with("lib" + library + ".so") || name.starts_with("lib" + library + "p.so");
  });
}

}  // namespace

Screening screen_claims(const Candidate& candidate, const Task& task) {
  const auto allows = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (candidate.trust_class == TrustClass::HostLauncher)
    return rejected(
        "a host launcher could forge what its process reports and outlive its call, so only a "
        "task's "
        "own baselines may be one; write device code with a launch plan");
  if (candidate.origin != Origin::Baseline)
    for (const std::string& library : candidate.libraries)
      if (!allows(task.restrictions.libraries, library))
        return rejected(fmt::format("the task does not allow the library '{}'", library));
  for (const std::string& option : candidate.options)
    // How many registers a thread gets changes no result.
    if (!option.starts_with("maxrregcount_") && !allows(task.restrictions.options, option))
      return rejected(fmt::format("the task does not allow the compiler option '{}'", option));
  return {};
}

Screening screen_text(std::string_view text, std::string_view name, Target target) {
  if (trim(text).empty()) return rejected("the source is empty");
  if (text.find('\0') != std::string_view::npos) return rejected("the source is not text");
  return TextScreen(text, name).run(target);
}

Screening screen_object(std::string_view bytes, const std::vector<std::string>& libraries) {
  const auto object = compile::read_elf(bytes);
  if (!object.has_value()) return rejected("the object cannot be read: " + object.error().what);
  for (const std::string& needed : object->needed)
    if (!is_own_library(needed, libraries))
      return rejected(
          fmt::format("the object needs the library '{}', which the task does not allow",
                      sanitise(needed, kShown)));
  for (const std::string& name : object->exported)
    if (is_system_name(name))
      return rejected(
          fmt::format("the object defines '{}' in place of the system's", sanitise(name, kShown)));
  std::vector<std::string> unknown;
  for (const std::string& name : object->imported) {
    if (const auto why = forbidden_import(name))
      return rejected(fmt::format("the object uses '{}': it {}", sanitise(name, kShown), *why));
    if (!is_ordinary_import(name)) unknown.push_back(sanitise(name, kShown));
  }
  Screening screening;
  if (!unknown.empty())
    screening.findings.push_back(
        {"note", 50,
         "The object imports functions that kernels seldom need: " + join(unknown, ", ") + ".", "",
         ""});
  return screening;
}

}  // namespace kw::referee

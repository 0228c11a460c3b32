// Reads the output of EDG's front end, which NVRTC and nvcc share, and of ptxas.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_log.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "compile/source_kernels.h"

namespace kw::compile {
namespace {

using Severity = Diagnostic::Severity;

constexpr std::size_t kMaxKernels = 4096;

/// Name of the file in which NVRTC reports errors in a job's name expressions.
constexpr std::string_view kNameMap = "__nv_name_map";

std::optional<std::size_t> leading_number(std::string_view text) {
  std::size_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || value > 1'000'000'000) return std::nullopt;
  return value;
}

struct Kind {
  Severity severity;
  std::string_view rest;  ///< The text after "error: ", "warning: " and so on.
};

// Reads "error: words", "warning #177-D: words", "catastrophic error: words" or "error #20-D:
// words".
std::optional<Kind> kind_of(std::string_view text) {
  constexpr std::pair<std::string_view, Severity> kKinds[] = {
      {"catastrophic error", Severity::Error},
      {"internal error", Severity::Error},
      {"fatal error", Severity::Error},
      {"error", Severity::Error},
      {"warning", Severity::Warning},
      {"note", Severity::Note},
      {"remark", Severity::Note}};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon > 40) return std::nullopt;
  std::string_view head = trim(text.substr(0, colon));
  if (const std::size_t number = head.find(" #"); number != std::string_view::npos)
    head = head.substr(0, number);
  std::string word(head);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [name, severity] : kKinds)
    if (word == name) return Kind{severity, trim(text.substr(colon + 1))};
  return std::nullopt;
}

// Reads "unit.cu(3): error: identifier "x" is undefined".
std::optional<Diagnostic> with_place(std::string_view line) {
  const std::size_t close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  const auto number = leading_number(line.substr(open + 1, close - open - 1));
  const auto kind = kind_of(line.substr(close + 3));
  if (!number || !kind) return std::nullopt;
  Diagnostic d;
  d.severity = kind->severity;
  d.file = std::string(line.substr(0, open));
  d.line = *number;
  d.message = sanitise(kind->rest, 2000);
  return d;
}

// Reads "ptxas error   : words", "ptxas application ptx input, line 38; error   : words", "nvrtc:
// error: words" or "Catastrophic error: words".
std::optional<Diagnostic> without_place(std::string_view line) {
  for (const std::string_view tool : {"ptxas", "nvrtc", "nvlink", "nvcc"}) {
    if (!line.starts_with(tool) || line.size() == tool.size()) continue;
    const char next = line[tool.size()];
    if (next != ' ' && next != ':') continue;
    std::string_view rest = line.substr(tool.size() + 1);
    if (const std::size_t semicolon = rest.find("; "); semicolon != std::string_view::npos)
      rest = rest.substr(semicolon + 2);
    rest = trim(rest);
    std::optional<Kind> kind = kind_of(rest);
    if (rest.starts_with("fatal "))
      kind = Kind{Severity::Error, trim(rest.substr(rest.find(':') + 1))};
    if (!kind || kind->severity == Severity::Note) return std::nullopt;
    Diagnostic d;
    d.about = std::string(tool);
    d.severity = kind->severity;
    d.message = std::string(tool) + ": " + sanitise(kind->rest, 2000);
    return d;
  }
  if (const auto kind = kind_of(line); kind && kind->severity == Severity::Error) {
    Diagnostic d;
    d.message = sanitise(kind->rest, 2000);
    return d;
  }
  return std::nullopt;
}

bool is_caret(std::string_view line) {
  const std::string_view mark = trim(line);
  return !mark.empty() && mark.find_first_not_of("^~") == std::string_view::npos;
}

// Reads "... instantiation of "X g(X) [with X=float]" at line 3 of candidate.cu". `file` is the
// file of the diagnostic itself, which NVRTC leaves out if the note is in the same file.
std::optional<Diagnostic> context_note(std::string_view line, const std::string& file) {
  const std::size_t at = line.rfind("at line ");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + 8);
  const auto number = leading_number(rest);
  if (!number) return std::nullopt;
  Diagnostic note;
  note.severity = Severity::Note;
  note.line = *number;
  const std::size_t of = rest.find(" of ");
  std::string_view name =
      of == std::string_view::npos ? std::string_view(file) : rest.substr(of + 4);
  while (name.starts_with('"')) name.remove_prefix(1);
  while (name.ends_with('"')) name.remove_suffix(1);
  note.file = std::string(name);
  note.message = sanitise(trim(line.substr(0, at)), 1000);
  return note;
}

/// Reads the lines that continue a diagnostic: the rest of its message, the source line with a
/// caret, and the chain of template instantiations.
void read_more(std::span<const std::string_view> lines, std::size_t& i, Diagnostic& d) {
  for (; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (trim(line).empty() || !line.starts_with(' ') || with_place(line)) return;
    if (is_caret(line)) {
      // NVRTC prints the whole source line after two blanks, so the caret's position gives the
      // column.
      const std::size_t column = line.find('^');
      if (d.column == 0 && column != std::string_view::npos && column >= 2) d.column = column - 1;
      continue;
    }
    if (auto note = context_note(line, d.file)) {
      if (d.notes.size() < kMaxNotes) d.notes.push_back(std::move(*note));
    } else if (line.starts_with("          ") && d.column == 0 && d.message.size() < 2000 &&
               (i + 1 >= lines.size() || !is_caret(lines[i + 1]))) {
      d.message += " " + sanitise(trim(line), 500);
    }
  }
}

// The name in "Error in parsing name expression for lowered name lookup. Input name expression was:
// " gemm<64, 2>"".
std::optional<std::string> name_looked_up(std::string_view message) {
  constexpr std::string_view kPhrase = "Input name expression was: ";
  const std::size_t at = message.find(kPhrase);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view name = trim(message.substr(at + kPhrase.size()));
  while (name.starts_with('"')) name.remove_prefix(1);
  while (name.ends_with('"')) name.remove_suffix(1);
  return std::string(trim(name));
}

/// The kernel whose address is taken in that line of kNamesFile to which the diagnostic points;
/// null for other lines.
const std::string* named_kernel(const Diagnostic& d, const BuildUnit& unit) {
  const bool is_one = d.file == kNamesFile && d.line >= 2 && d.line - 2 < unit.kernels.size();
  return is_one ? &unit.kernels[d.line - 2] : nullptr;
}

std::int64_t bytes_before(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return -1;
  std::size_t from = at;
  while (from > 0 && line[from - 1] == ' ') --from;
  std::size_t start = from;
  while (start > 0 && std::isdigit(static_cast<unsigned char>(line[start - 1])) != 0) --start;
  const auto value = leading_number(line.substr(start, from - start));
  return value ? static_cast<std::int64_t>(*value) : -1;
}

/// Reads one line of `ptxas -v`; false if the line is something else.
bool read_usage(std::string_view line, std::vector<PtxasUsage>& usage) {
  if (!line.starts_with("ptxas info") && !line.starts_with("ptxas         .")) return false;
  constexpr std::string_view kEntry = "Compiling entry function '";
  if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
    const std::string_view name = line.substr(at + kEntry.size());
    if (usage.size() < kMaxKernels)
      usage.push_back({.symbol = std::string(name.substr(0, name.find('\'')))});
    return true;
  }
  if (usage.empty()) return true;
  PtxasUsage& kernel = usage.back();
  if (const std::int64_t stack = bytes_before(line, "bytes stack frame"); stack >= 0) {
    kernel.stack_bytes = stack;
    kernel.spill_bytes = std::max<std::int64_t>(bytes_before(line, "bytes spill stores"), 0) +
                         std::max<std::int64_t>(bytes_before(line, "bytes spill loads"), 0);
  }
  if (const std::int64_t registers = bytes_before(line, "registers"); registers >= 0) {
    kernel.registers = static_cast<int>(registers);
    kernel.shared_bytes = std::max<std::int64_t>(bytes_before(line, "bytes smem"), 0);
  }
  return true;
}

}  // namespace

NvrtcLog parse_nvrtc_log(std::string_view log, const BuildUnit& unit) {
  NvrtcLog out;
  const std::vector<std::string_view> lines = split_lines(log);
  std::string about_name;
  const std::string* told = nullptr;
  for (std::size_t i = 0; i < lines.size() && out.diagnostics.size() < kMaxDiagnostics;) {
    const std::string_view line = lines[i++];
    if (read_usage(line, out.usage)) continue;
    auto found = with_place(line);
    if (!found) found = without_place(line);
    if (!found) continue;
    read_more(lines, i, *found);
    if (found->file == kNameMap) {
      // The diagnostic before this one is about the same name expression, but points into a file
      // that nobody wrote.
      const auto kernel = name_looked_up(found->message);
      if (!kernel) {
        about_name = found->message;
        continue;
      }
      found = missing_kernel(*kernel, unit, about_name);
      about_name.clear();
    } else if (const std::string* kernel = named_kernel(*found, unit)) {
      // nvcc's diagnostics about one kernel follow each other, and only its first error is
      // reported. Warnings are dropped, since they point into a file that nobody wrote.
      if (found->severity != Severity::Error || kernel == told) continue;
      told = kernel;
      found = missing_kernel(*kernel, unit, found->message);
    }
    const bool is_note = found->severity == Severity::Note;
    if (!is_note) {
      out.diagnostics.push_back(std::move(*found));
    } else if (!out.diagnostics.empty() && out.diagnostics.back().notes.size() < kMaxNotes) {
      out.diagnostics.back().notes.push_back(std::move(*found));
    }
  }
  return out;
}

}  // namespace kw::compile

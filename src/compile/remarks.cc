// Reads GCC's vectorisation report.
// SPDX-License-Identifier: Apache-2.0
#include "compile/remarks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"

namespace kw::compile {
namespace {

int number_at(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct Line {
  std::string_view file;
  int line = 0;
  int column = 0;
  bool is_missed = false;
  std::string_view text;
};

// Reads "file.cpp:12:21: missed: text".
std::optional<Line> parse_line(std::string_view raw) {
  for (const std::string_view kind :
       {std::string_view(": missed: "), std::string_view(": optimized: ")}) {
    const std::size_t at = raw.find(kind);
    if (at == std::string_view::npos) continue;
    const std::string_view place = raw.substr(0, at);
    const std::size_t second = place.rfind(':');
    if (second == std::string_view::npos || second == 0) return std::nullopt;
    const std::size_t first = place.rfind(':', second - 1);
    if (first == std::string_view::npos) return std::nullopt;
    return Line{place.substr(0, first), number_at(place.substr(first + 1, second - first - 1)),
                number_at(place.substr(second + 1)), kind.starts_with(": missed"),
                trim(raw.substr(at + kind.size()))};
  }
  return std::nullopt;
}

// The called function's name in "statement clobbers memory: _5 = __builtin_expf (_4);".
std::string callee(std::string_view text) {
  const std::size_t open = text.find(" (");
  if (open == std::string_view::npos) return {};
  std::string_view name = text.substr(0, open);
  name = name.substr(name.rfind(' ') + 1);
  if (name.starts_with("__builtin_")) name.remove_prefix(10);
  return std::string(name);
}

// Phrases of GCC 12 (tree-vect-*.cc), each with the text that we show for it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kReasons{{
    {"control flow in loop", "the loop's body branches, or the loop may end early"},
    {"number of iterations cannot be computed",
     "the number of the loop's iterations is not known when it starts"},
    {"complicated access pattern", "the loop's memory accesses follow no simple stride"},
    {"no vectype for stmt",
     "the compiler found no vector form; often one iteration needs the result of another, or "
     "stores scatter"},
    {"unsupported use in stmt",
     "a value is carried from one iteration to the next in an order that must be kept"},
    {"relevant stmt not supported", "one of the loop's operations has no vector instruction"},
    {"not suitable for gather",
     "the loop reads through an index for which the processor has no gather"},
    {"possible alias", "the pointers may overlap; __restrict would exclude that"},
    {"will not create alias checks", "the pointers may overlap; __restrict would exclude that"},
    {"bad data dependence", "one iteration of the loop may need what another writes"},
}};

/// Whether a word belongs to the compiler's intermediate language: _165, x_12, D.1234, .MASK_LOAD.
bool is_internal(std::string_view word) {
  if (word.starts_with('.') && word.size() > 1) return true;
  if (word.starts_with("D.") || word.starts_with("<bb")) return true;
  const std::size_t bar = word.rfind('_');
  return bar != std::string_view::npos && bar + 1 < word.size() &&
         word.substr(bar + 1).find_first_not_of("0123456789") == std::string_view::npos;
}

/// The beginning of a compiler's phrase, up to where it quotes its intermediate language.
std::string_view without_internals(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" ,;:()*&[]", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(" ,;:()*&[]", begin), text.size());
    if (!is_internal(text.substr(begin, at - begin))) continue;
    const std::size_t end = text.substr(0, begin).find_last_not_of(" ,;:()*&[]=");
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  }
  return text;
}

constexpr std::string_view kNoVectorForm =
    "one of the loop's operations has no vector form on this processor";

std::string in_words(std::string_view text) {
  if (text.find("clobbers memory") != std::string_view::npos) {
    if (text.find("asm") != std::string_view::npos) return "the loop holds inline assembly";
    const std::string name = callee(text.substr(text.find(':') + 1));
    // Names such as .MASK_LOAD are GCC's internal functions: they stand for operations, not for
    // calls in the source.
    if (name.starts_with('.')) return std::string(kNoVectorForm);
    if (!name.empty())
      return fmt::format("the loop calls {}, which has no vector form on this processor", name);
  }
  for (const auto& [phrase, words] : kReasons)
    if (text.find(phrase) != std::string_view::npos) return std::string(words);
  constexpr std::string_view kPrefix = "not vectorized: ";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  text = without_internals(text);
  if (text.ends_with('.')) text.remove_suffix(1);
  std::string raw = sanitise(text, 160);
  for (char& c : raw)
    if (c == '\n') c = ' ';
  return raw;
}

bool is_outer(std::string_view text) {
  return text.find("multiple nested loops") != std::string_view::npos ||
         text.find("loop nest containing") != std::string_view::npos ||
         text.find("outer-loop") != std::string_view::npos;
}

}  // namespace

std::vector<LoopRemark> parse_gcc_remarks(std::string_view text, std::string_view main_file) {
  struct Entry {
    LoopRemark remark;
    bool is_inner = true;
  };
  std::map<int, Entry> loops;
  Entry* open = nullptr;  // the loop to which the next reason belongs
  for (const std::string_view raw : split_lines(text)) {
    const auto line = parse_line(raw);
    if (!line) continue;
    const bool is_ours = line->file == main_file;
    if (line->is_missed && line->text == "couldn't vectorize loop") {
      open = nullptr;
      if (!is_ours) continue;
      open = &loops[line->line];
      if (open->remark.line == 0) open->remark = {line->line, line->column, 0, {}};
      continue;
    }
    if (line->is_missed) {
      if (line->text.starts_with("failed: ")) continue;  // a detail; the reason follows
      if (open != nullptr && open->remark.reason.empty()) {
        if (is_outer(line->text)) open->is_inner = false;
        open->remark.reason = in_words(line->text);
      }
      open = nullptr;
      continue;
    }
    constexpr std::string_view kDone = "loop vectorized using ";
    if (!is_ours || !line->text.starts_with(kDone)) continue;
    Entry& entry = loops[line->line];
    const int bytes = number_at(line->text.substr(kDone.size()));
    if (bytes >= entry.remark.vector_bytes) entry.remark = {line->line, line->column, bytes, {}};
    entry.is_inner = true;
  }
  std::vector<LoopRemark> out;
  for (auto& [line, entry] : loops)
    if (entry.is_inner || entry.remark.vector_bytes > 0) out.push_back(std::move(entry.remark));
  return out;
}

std::string format_remarks(const std::vector<LoopRemark>& remarks) {
  std::string out;
  for (const LoopRemark& r : remarks) {
    out += r.vector_bytes > 0
               ? fmt::format("loop {}:{} vectorized {}\n", r.line, r.column, r.vector_bytes)
               : fmt::format("loop {}:{} scalar {}\n", r.line, r.column, r.reason);
  }
  return out;
}

std::vector<LoopRemark> parse_remarks(std::string_view log) {
  std::vector<LoopRemark> out;
  for (const std::string_view raw : split_lines(log)) {
    if (!raw.starts_with("loop ")) continue;
    const std::string_view rest = raw.substr(5);
    const std::size_t colon = rest.find(':');
    const std::size_t space = rest.find(' ');
    if (colon == std::string_view::npos || space == std::string_view::npos || colon > space)
      continue;
    LoopRemark r{number_at(rest), number_at(rest.substr(colon + 1)), 0, {}};
    const std::string_view what = rest.substr(space + 1);
    if (what.starts_with("vectorized ")) {
      r.vector_bytes = number_at(what.substr(11));
    } else if (what.starts_with("scalar")) {
      r.reason = std::string(trim(what.substr(6)));
      // Remarks cached by older versions may still quote GCC's intermediate language.
      if (r.reason.starts_with("it calls .")) r.reason = kNoVectorForm;
      if (r.reason.find(" = ") != std::string::npos) r.reason = in_words(r.reason);
    } else {
      continue;
    }
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace kw::compile

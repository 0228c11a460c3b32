// Screening of the source's text: what it includes, and host code in a file for a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/characters.h"
#include "base/text.h"
#include "referee/active_directives.h"
#include "referee/screen.h"

namespace kw::referee {
namespace {

/// The source with comments blanked, and with literals blanked too; length and line ends stay the
/// same.
struct Cleaned {
  std::string code;      ///< Blank in place of comments and of what literals hold.
  std::string literals;  ///< Blank in place of comments; literals as they are.
};

// Position behind the literal whose opening quote is at `at`.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == quote)
      return i + 1;
    else if (text[i] == '\n')
      return i;  // an unterminated literal: the compiler will complain
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

/// Whether the quote at `at` opens a raw literal, whose prefix is a word of its own.
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

/// Joins literals that stand side by side, as the compiler does.
std::string joined(std::string_view statement) {
  std::string out;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const std::size_t next = statement.find_first_not_of(" \t\r\n", i + 1);
    if (statement[i] == '"' && next != std::string_view::npos && statement[next] == '"' && i > 0)
      i = next;
    else
      out += statement[i];
  }
  return out;
}

class TextScreen {
 public:
  TextScreen(std::string_view text, std::string_view name)
      : text_(spliced(without_byte_order_mark(text))),
        name_(name),
        clean_(clean(text_)),
        has_splices_(text.find("\\\n") != std::string_view::npos ||
                     text.find("\\\r\n") != std::string_view::npos) {}

  Screening run(Target target) {
    if (target == Target::Cuda) {
      const Cleaned whole = clean_;
      blank_inactive(Names::MayBeDefined);
      screen_statements(kPtxRules);
      clean_ = whole;
    }
    blank_inactive(Names::AsTheTextSays);
    screen_directives();
    if (target == Target::Cuda) {
      screen_host_code();
    } else {
      screen_statements(kAssemblyRules);
    }
    return std::move(result_);
  }

  /// Position of the first of these words that stands in code or in assembly.
  std::optional<std::size_t> find(const std::vector<std::string>& words) {
    blank_inactive(Names::AsTheTextSays);
    for (const std::string& word : words)
      for (const std::string* text : {&clean_.code, &clean_.literals})
        if (const std::size_t at = text->find(word); at != std::string::npos) return at;
    return std::nullopt;
  }

  const std::string& text() const { return text_; }

  ActiveDirectives directives() {
    blank_inactive(Names::AsTheTextSays);
    ActiveDirectives found;
    for_each_directive([&](std::size_t at, std::string_view words) {
      found.all.push_back({at, std::string(words)});
    });
    found.text = std::move(text_);
    return found;
  }

 private:
  struct Rule {
    std::string_view text;
    std::string_view what;
  };
  static constexpr std::array<Rule, 2> kAssemblyRules{{
      {".incbin", "assembly includes a file; put the bytes into the source, as an array"},
      {".include", "assembly includes a file; write the instructions into the source"},
  }};
  // Rules for directives of inline PTX; the directives are those of the PTX ISA 8.8, chapter
  // "Directives".
  static constexpr std::array<Rule, 5> kPtxRules{{
      {".visible", "inline PTX declares a symbol of its own; declare it in C++"},
      {".extern", "inline PTX declares a symbol of its own; declare it in C++"},
      {".entry", "inline PTX declares a kernel of its own; write it as a __global__ function"},
      {".section", "inline PTX writes sections of its own; leave them to the compiler"},
      {".file", "inline PTX writes sections of its own; leave them to the compiler"},
  }};

  void reject(std::size_t offset, const std::string& what) {
    if (result_.verdict) return;
    const Position at = position_of(text_, offset);
    result_ = refuse(what, render_frame(text_, offset, what),
                     fmt::format("{}:{}:{}", name_, at.line, at.column));
  }

  enum class Branch { Taken, Skipped, Unknown };
  /// Which macros count as defined. For rules that no check of the object repeats: any macro, since
  /// a header may define it; for others: those that the text, a knob or the compiler defines.
  enum class Names { MayBeDefined, AsTheTextSays };

  bool may_be_defined(std::string_view macro) {
    if (macro.empty() || macro.front() == '_' || macro.starts_with("KW_")) return true;
    bool is_defined = false;
    for_each_word(macro, [&](std::size_t at) {
      is_defined |= trim(std::string_view(clean_.code).substr(0, at)).ends_with("define");
    });
    for (const std::string_view line : split_lines(text_))
      is_defined |= trim(line).starts_with("// kw:") && line.find(macro) != std::string_view::npos;
    return is_defined;
  }

  Branch branch_of(std::string_view directive, std::string_view condition, Names names) {
    if (directive == "if") {
      if (condition == "0" || condition == "false") return Branch::Skipped;
      if (condition == "1" || condition == "true") return Branch::Taken;
      if (!condition.starts_with("defined")) return Branch::Unknown;
      condition = trim(condition.substr(7));
      if (condition.starts_with('(') && condition.ends_with(')'))
        condition = trim(condition.substr(1, condition.size() - 2));
    }
    if (directive == "ifndef") return Branch::Unknown;
    const bool is_name = std::all_of(condition.begin(), condition.end(), is_name_char);
    const bool is_skipped = is_name && names == Names::AsTheTextSays && !may_be_defined(condition);
    return is_skipped ? Branch::Skipped : Branch::Unknown;
  }

  /// Blanks code that the preprocessor certainly skips.
  void blank_inactive(Names names) {
    std::vector<Branch> open;
    std::vector<std::pair<std::size_t, std::size_t>> skipped;
    const auto is_skipped = [&] {
      return std::find(open.begin(), open.end(), Branch::Skipped) != open.end();
    };
    for (const std::string_view line : split_lines(clean_.code)) {
      const auto at = static_cast<std::size_t>(line.data() - clean_.code.data());
      if (is_skipped()) skipped.emplace_back(at, at + line.size());
      std::string_view rest = trim(line);
      if (!rest.starts_with('#') && !rest.starts_with("%:")) continue;
      rest = trim(rest.substr(rest.starts_with('#') ? 1 : 2));
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_char);
      const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
      if (word == "if" || word == "ifdef" || word == "ifndef")
        open.push_back(is_skipped() ? Branch::Unknown
                                    : branch_of(word, trim(rest.substr(word.size())), names));
      if (open.empty()) continue;
      Branch& last = open.back();
      if (word == "endif")
        open.pop_back();
      else if (word == "elif" || word == "else")
        last = last == Branch::Taken                       ? Branch::Skipped
               : last == Branch::Skipped && word == "else" ? Branch::Taken
                                                           : Branch::Unknown;
    }
    for (const auto& [from, to] : skipped) {
      blank(clean_.code, from, to);
      blank(clean_.literals, from, to);
    }
  }

  /// Calls `visit(offset, words)` for every line of the preprocessor outside of literals; `words`
  /// are the line without its # mark.
  template <class Visit>
  void for_each_directive(Visit visit) const {
    std::size_t offset = 0;
    for (const std::string_view line : split_lines(clean_.literals)) {
      std::string_view rest = trim(line);
      // A line within a raw literal is no directive. But clean() does not follow splices, which do
      // not count in raw literals, so in a text with splices every line is looked at.
      const auto mark = static_cast<std::size_t>(rest.data() - clean_.literals.data());
      const bool is_quoted = !has_splices_ && !rest.empty() && clean_.code[mark] == ' ';
      const std::size_t at = offset;
      offset += line.size() + (clean_.literals.substr(offset + line.size(), 2) == "\r\n" ? 2 : 1);
      const bool is_digraph = rest.starts_with("%:");
      if (is_quoted || (!is_digraph && !rest.starts_with('#'))) continue;
      visit(at, trim(rest.substr(is_digraph ? 2 : 1)));
    }
  }

  void screen_directives() {
    for_each_directive([this](std::size_t at, std::string_view rest) {
      if (rest.starts_with("embed"))
        reject(at,
               "#embed reads a file at compile time; put the bytes into the source, as an array");
      for (const std::string_view word : {"include_next", "include", "import", "if", "elif"})
        if (rest.starts_with(word)) {
          screen_path(at, rest.substr(word.size()), word.starts_with("i") && word != "if");
          break;
        }
    });
  }

  void screen_path(std::size_t offset, std::string_view rest, bool is_include) {
    const std::string_view lead = trim(rest);
    if (is_include && !lead.empty() && is_name_char(lead.front()))
      reject(
          offset,
          "an #include names its file by a macro; write the name itself, as in #include <cmath>");
    const std::size_t open = rest.find_first_of("<\"");
    if (open == std::string_view::npos || open + 1 >= rest.size()) return;
    const bool condition = rest.find("__has_") != std::string_view::npos;
    // The `<` of `#if a < b` opens no path.
    if (!condition && !trim(rest.substr(0, open)).empty()) return;
    const std::string_view path = trim(rest.substr(open + 1));
    if (path.starts_with('/') || path.find("..") != std::string_view::npos || path.starts_with('~'))
      reject(offset,
             "an #include names a file by absolute or parent path; include headers of the "
             "system by their names, and write everything else into the source");
  }

  // Screens every asm statement, up to the parenthesis that closes it.
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
        const std::string statement = joined(std::string_view(clean_.literals).substr(i, end - i));
        for (const Rule& rule : rules)
          if (statement.find(rule.text) != std::string_view::npos)
            reject(at, std::string(rule.what));
      });
  }

  // Rejects host code, which a file of device code does not need.
  void screen_host_code() {
    for (const std::string_view word :
         {"cudaMalloc", "cudaMallocAsync", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync",
          "cudaMemset", "cudaMemsetAsync", "cudaLaunchKernel", "cudaLaunchKernelEx",
          "cudaLaunchDevice", "cudaLaunchDeviceV2", "cudaGraphLaunch", "cudaDeviceSynchronize",
          "cudaDeviceSetLimit", "cudaStreamCreateWithFlags", "cudaEventRecord"})
      for_each_word(word, [&](std::size_t at) {
        if (is_call(at, word.size()))
          reject(at,
                 "calls of the CUDA runtime have no place in device code; // kw: lines launch "
                 "kernels, clear and copy, and take workspaces");
      });
    for (const std::string_view word : {"__host__", "main"})
      for_each_word(word, [&](std::size_t at) {
        if (word == "main" && (!is_call(at, word.size()) || !is_program(at))) return;
        if (word == "__host__" && is_beside_device(at, word.size())) return;
        reject(at,
               "this is host code; a file for target cuda holds only device code and // kw: lines, "
               "so leave host code out");
      });
    for (std::size_t at = clean_.code.find("<<<"); at != std::string::npos;
         at = clean_.code.find("<<<", at + 3))
      reject(at, "kernels are launched by // kw: launch lines, not by <<< >>>");
  }

  // Whether the word of `size` characters at `at` is followed by a parenthesis.
  bool is_call(std::size_t at, std::size_t size) const {
    const std::size_t next = clean_.code.find_first_not_of(" \t\r\n", at + size);
    return next != std::string::npos && clean_.code[next] == '(';
  }

  // Whether the word stands beside `__device__`: `__host__ __device__` code is device code as well.
  bool is_beside_device(std::size_t at, std::size_t size) const {
    const std::string_view code = clean_.code;
    return trim(code.substr(0, at)).ends_with("__device__") ||
           trim(code.substr(at + size)).starts_with("__device__");
  }

  // Whether the word is the `main` of "int main(" outside of all braces, and not a method of that
  // name.
  bool is_program(std::size_t at) const {
    const std::string_view before = std::string_view(clean_.code).substr(0, at);
    return trim(before).ends_with("int") &&
           std::ranges::count(before, '{') == std::ranges::count(before, '}');
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

/// Words of a source that a rejection of its object may speak of: the instruction or attribute, and
/// the names in quotes; of a qualified name its parts, last one first.
std::vector<std::string> words_in(std::string_view evidence) {
  std::vector<std::string> words;
  for (const std::string_view known : {"rdtscp", "rdtsc", "rdpmc", "syscall", "optimize",
                                       "%globaltimer", "%clock64", "%clock", "printf", "malloc"})
    if (evidence.find(known) != std::string_view::npos) words.emplace_back(known);
  for (std::size_t open = evidence.find('\''); open != std::string_view::npos;) {
    const std::size_t close = evidence.find('\'', open + 1);
    if (close == std::string_view::npos) break;
    const std::string name(evidence.substr(open + 1, close - open - 1));
    std::string part;
    std::vector<std::string> parts;
    for (const char c : name.substr(0, name.find('(')) + " ") {
      if (is_name_char(c)) {
        part += c;
        continue;
      }
      if (part.size() > 2) parts.push_back(part);
      part.clear();
    }
    words.insert(words.end(), parts.rbegin(), parts.rend());
    open = evidence.find('\'', close + 1);
  }
  return words;
}

}  // namespace

void point_out(Screening& screening, std::string_view text, std::string_view name) {
  if (!screening.verdict || screening.findings.empty()) return;
  TextScreen source(text, name);
  const auto words = words_in(screening.verdict->evidence);
  const auto at = source.find(words);
  if (!at) return;
  Finding& finding = screening.findings.front();
  const Position position = position_of(source.text(), *at);
  finding.frame = render_frame(source.text(), *at, "here");
  finding.place = fmt::format("{}:{}:{}", name, position.line, position.column);
}

ActiveDirectives active_directives(std::string_view text) {
  return TextScreen(text, "").directives();
}

Screening screen_text(std::string_view text, std::string_view name, Target target) {
  if (trim(text).empty()) return refuse("the source file is empty");
  if (text.find('\0') != std::string_view::npos)
    return refuse("the source file is not text: it holds a zero byte");
  return TextScreen(text, name).run(target);
}

}  // namespace kw::referee

// Screening of the source's text: what it includes, and host code in a file for a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/byte_order_mark.h"
#include "base/contains.h"
#include "base/text.h"
#include "lex/lexer.h"
#include "referee/active_code.h"
#include "referee/screen.h"

namespace kw::referee {
namespace {

constexpr auto kRuntimeCalls = std::to_array<std::string_view>(
    {"cudaMalloc", "cudaMallocAsync", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset",
     "cudaMemsetAsync", "cudaLaunchKernel", "cudaLaunchKernelEx", "cudaLaunchDevice",
     "cudaLaunchDeviceV2", "cudaGraphLaunch", "cudaDeviceSynchronize", "cudaDeviceSetLimit",
     "cudaStreamCreateWithFlags", "cudaEventRecord"});

/// A text under the rules of one family of compilers.
class TextScreen {
 public:
  TextScreen(std::string_view text, std::string_view name, lex::Rules rules)
      : text_(text), name_(name), all_(lex::lex(text, rules)) {}

  Screening run(const TextRules& rules) {
    if (const Unclear unclear = find_unclear(all_); unclear.why != EvidenceKind::None)
      reject(unclear.offset, unclear.why);
    if (rules.ptx) screen_statements(active_code(text_, all_, Names::MayBeDefined), kPtxRules);
    const ActiveCode code = active_code(text_, all_, Names::AsTheTextSays);
    for (const lex::Directive& directive : code.directives) screen_directive(directive);
    if (rules.host_code) screen_host_code(code.tokens);
    if (rules.assembly) screen_statements(code, kAssemblyRules);
    return std::move(result_);
  }

 private:
  struct Rule {
    std::string_view text;
    EvidenceKind kind;
  };
  static constexpr std::array<Rule, 2> kAssemblyRules{{
      {".incbin", EvidenceKind::AssemblyBytes},
      {".include", EvidenceKind::AssemblyInclude},
  }};
  // Rules for directives of inline PTX; the directives are those of the PTX ISA 8.8, chapter
  // "Directives".
  static constexpr std::array<Rule, 5> kPtxRules{{
      {".visible", EvidenceKind::PtxSymbol},
      {".extern", EvidenceKind::PtxSymbol},
      {".entry", EvidenceKind::PtxKernel},
      {".section", EvidenceKind::PtxSection},
      {".file", EvidenceKind::PtxSection},
  }};

  void reject(std::size_t offset, EvidenceKind kind) {
    if (result_.verdict) return;
    const Position at = position_of(text_, offset);
    const Evidence seen{.kind = kind, .place = fmt::format("{}:{}:{}", name_, at.line, at.column)};
    result_ = refuse(seen, render_frame(text_, offset, words_of(seen)));
  }

  void screen_directive(const lex::Directive& directive) {
    const std::size_t at = all_[directive.first].offset;
    const std::string_view name = directive.name();
    if (name == "embed") reject(at, EvidenceKind::EmbeddedFile);
    const bool is_include = name == "include" || name == "include_next" || name == "import";
    if (!is_include && !name.starts_with("if") && !name.starts_with("elif")) return;
    const auto& tokens = directive.tokens;
    if (is_include && tokens.size() > 1 &&
        (tokens[1].kind == lex::Token::Kind::Word || tokens[1].kind == lex::Token::Kind::Number))
      reject(at, EvidenceKind::IncludeByMacro);
    for (std::size_t i = 1; i < tokens.size(); ++i)
      if (names_foreign_file(tokens, i)) reject(at, EvidenceKind::IncludeByPath);
  }

  /// Whether a header's name begins at token `i` that is an absolute or parent path. A macro may
  /// stand for __has_include, so every string counts, and a < before what no expression begins
  /// with.
  static bool names_foreign_file(const std::vector<lex::Token>& tokens, std::size_t i) {
    using Kind = lex::Token::Kind;
    const lex::Token& token = tokens[i];
    const bool opens_path =
        token.is("<") && i + 1 < tokens.size() &&
        (tokens[i + 1].is("/") || tokens[i + 1].is(".") || tokens[i + 1].is("..."));
    if (opens_path) return true;
    const bool is_string = token.kind == Kind::Text && token.text.contains('"');
    if (token.kind != Kind::Header && !is_string) return false;
    const std::string_view path = trim(token.text.substr(token.text.find_first_of("<\"") + 1));
    return path.starts_with('/') || path.starts_with('~') || path.contains("..") ||
           (is_string && path.contains('\\'));
  }

  /// Screens every asm statement, up to the parenthesis that closes it.
  void screen_statements(const ActiveCode& code, std::span<const Rule> rules) {
    const auto& tokens = code.tokens;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (!tokens[at].is("asm") && !tokens[at].is("__asm") && !tokens[at].is("__asm__")) continue;
      std::size_t open = at;
      while (open < tokens.size() && !tokens[open].is("(") && !tokens[open].is("{") &&
             !tokens[open].is(";"))
        ++open;
      if (open == tokens.size() || !tokens[open].is("(")) continue;
      const std::string statement = statement_text(tokens, open);
      for (const Rule& rule : rules)
        if (statement.contains(rule.text)) reject(tokens[at].offset, rule.kind);
    }
  }

  /// The statement with the values of its literals; neighbouring strings are joined, as the
  /// compiler joins them.
  static std::string statement_text(const std::vector<lex::Token>& tokens, std::size_t open) {
    std::string text;
    bool is_after_literal = false;
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")") && --depth == 0) break;
      const bool is_literal = tokens[i].kind == lex::Token::Kind::Text;
      if (!is_literal || !is_after_literal) text += ' ';
      text += is_literal ? lex::value_of_literal(tokens[i]) : std::string(tokens[i].text);
      is_after_literal = is_literal;
    }
    return text;
  }

  /// Rejects host code, which a file of device code does not need.
  void screen_host_code(const std::vector<lex::Token>& tokens) {
    const auto is_at = [&](std::size_t i, std::string_view text) {
      return i < tokens.size() && tokens[i].is(text);
    };
    std::vector<std::size_t> calls, hosts, launches;
    int depth = 0;  // of braces
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].is("{")) ++depth;
      if (tokens[i].is("}")) --depth;
      const bool is_call = is_at(i + 1, "(");
      if (is_call && contains(kRuntimeCalls, tokens[i].text)) calls.push_back(i);
      // `int main(` outside of all braces, which no method of that name is.
      const bool is_program = tokens[i].is("main") && is_call && i > 0 && is_at(i - 1, "int");
      // `__host__ __device__` code is device code as well.
      const bool is_beside_device =
          is_at(i + 1, "__device__") || (i > 0 && is_at(i - 1, "__device__"));
      if ((is_program && depth == 0) || (tokens[i].is("__host__") && !is_beside_device))
        hosts.push_back(i);
      if (tokens[i].is("<<") && is_at(i + 1, "<")) launches.push_back(i);
    }
    for (const std::size_t i : calls) reject(tokens[i].offset, EvidenceKind::RuntimeCall);
    for (const std::size_t i : hosts) reject(tokens[i].offset, EvidenceKind::HostCode);
    for (const std::size_t i : launches) reject(tokens[i].offset, EvidenceKind::LaunchInSource);
  }

  std::string_view text_;
  std::string_view name_;
  lex::Tokens all_;
  Screening result_;
};

/// Offset of the first of these words that stands in code, or else in a literal.
std::optional<std::size_t> find_word(const std::vector<lex::Token>& tokens,
                                     const std::vector<std::string>& words) {
  for (const std::string& word : words)
    for (const bool in_literals : {false, true})
      for (const lex::Token& token : tokens) {
        if ((token.kind == lex::Token::Kind::Text) != in_literals) continue;
        if (const std::size_t at = token.text.find(word); at != std::string_view::npos)
          return std::min(token.offset + at, token.end);
      }
  return std::nullopt;
}

}  // namespace

void point_out(Screening& screening, std::string_view text, std::string_view name) {
  if (!screening.verdict || screening.findings.empty()) return;
  text = without_byte_order_mark(text);
  const lex::Tokens all = lex::lex(text);
  const ActiveCode code = active_code(text, all, Names::AsTheTextSays);
  const auto at = find_word(code.tokens, screening.shown_by);
  if (!at) return;
  Finding& finding = screening.findings.front();
  const Position position = position_of(text, *at);
  finding.frame = render_frame(text, *at, "here");
  finding.place = fmt::format("{}:{}:{}", name, position.line, position.column);
  set_place(*screening.verdict, finding.place);
}

Screening screen_text(std::string_view text, std::string_view name, Target target) {
  if (trim(text).empty()) return refuse({.kind = EvidenceKind::EmptySource});
  if (text.find('\0') != std::string_view::npos)
    return refuse({.kind = EvidenceKind::BinarySource});
  text = without_byte_order_mark(text);
  const TextRules& asked = screeners()[target].text;
  for (const lex::Rules rules : {lex::Rules::Gnu, lex::Rules::Edg})
    if (Screening screening = TextScreen(text, name, rules).run(asked); screening.verdict)
      return screening;
  return {};
}

}  // namespace kw::referee

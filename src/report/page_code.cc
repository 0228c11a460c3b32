// Colours source code for HTML, based on its tokens.
// SPDX-License-Identifier: Apache-2.0
#include "report/page_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/characters.h"
#include "base/line_diff.h"
#include "base/text.h"
#include "lex/lexer.h"
#include "report/svg.h"

namespace kw::report {
namespace {

constexpr std::size_t kCodeLineBytes = 400;  // longer lines are not written for people

// CSS classes of coloured text. Text from a source never becomes a class name.
constexpr const char* kPlain = nullptr;
constexpr const char* kComment = "tc";
constexpr const char* kDirective = "td";
constexpr const char* kKeyword = "tk";
constexpr const char* kType = "tt";
constexpr const char* kLiteral = "ts";
constexpr const char* kNumber = "tn";

constexpr std::string_view kKeywords =
    "__constant__ __device__ __forceinline__ __global__ __grid_constant__ __host__ __inline__ "
    "__launch_bounds__ __noinline__ __restrict __restrict__ __shared__ __syncthreads "
    "__syncwarp alignas alignof asm auto blockDim blockIdx break case catch class concept "
    "const const_cast consteval constexpr constinit continue decltype default delete do "
    "dynamic_cast else enum explicit extern false final for friend goto gridDim if inline "
    "mutable namespace new noexcept nullptr operator override private protected public "
    "register reinterpret_cast requires return sizeof static static_assert static_cast struct "
    "switch template this thread_local threadIdx throw true try typedef typename union using "
    "virtual volatile warpSize while";

constexpr std::string_view kTypes =
    "__half __half2 __nv_bfloat16 __nv_bfloat162 bool char double float half half2 int long "
    "short signed unsigned void";

std::set<std::string_view> words_of(std::string_view list) {
  const auto words = split(list, ' ');
  return {words.begin(), words.end()};
}

/// Whether the word is a vector type of CUDA, such as "float4", "uint2" or "uchar3".
bool is_vector_type(std::string_view word) {
  constexpr auto kScalars = std::to_array<std::string_view>(
      {"float", "double", "int", "uint", "char", "uchar", "short", "ushort", "longlong"});
  if (word.empty() || word.back() < '1' || word.back() > '4') return false;
  word.remove_suffix(1);
  return std::ranges::find(kScalars, word) != kScalars.end();
}

const char* class_of_word(std::string_view word) {
  static const std::set<std::string_view> keywords = words_of(kKeywords);
  static const std::set<std::string_view> types = words_of(kTypes);
  if (keywords.contains(word)) return kKeyword;
  const bool is_register_type = word.starts_with("__m") && word.size() > 3 && is_digit(word[3]);
  const bool is_type =
      types.contains(word) || is_vector_type(word) || is_register_type || word.ends_with("_t");
  return is_type ? kType : kPlain;
}

const char* class_of(const lex::Token& token) {
  using Kind = lex::Token::Kind;
  if (token.kind == Kind::Comment) return token.text.starts_with("// kw:") ? kDirective : kComment;
  if (token.in_directive) return kDirective;
  if (token.kind == Kind::Word) return class_of_word(token.text);
  if (token.kind == Kind::Number) return kNumber;
  return token.kind == Kind::Text ? kLiteral : kPlain;
}

/// Collects pieces of text as escaped lines of HTML.
class HtmlLines {
 public:
  explicit HtmlLines(std::size_t most_bytes) : most_(most_bytes) {}

  void add(std::string_view text, const char* css_class) {
    for (;;) {
      const std::size_t end = text.find('\n');
      add_in_line(text.substr(0, end), css_class);
      if (end == std::string_view::npos) return;
      end_line();
      text.remove_prefix(end + 1);
    }
  }

  std::vector<std::string> finish() && {
    if (!line_.empty()) end_line();
    return std::move(lines_);
  }

 private:
  void end_line() {
    lines_.push_back(std::move(line_));
    line_.clear();
    bytes_ = 0;
  }

  void add_in_line(std::string_view text, const char* css_class) {
    if (text.empty() || bytes_ == most_) return;
    const std::string shown = escape(sanitise(text, most_ - bytes_));
    bytes_ += std::min(text.size(), most_ - bytes_);
    line_ +=
        css_class == kPlain ? shown : fmt::format("<span class=\"{}\">{}</span>", css_class, shown);
  }

  std::size_t most_;
  std::size_t bytes_ = 0;  ///< Bytes of source text in the current line.
  std::string line_;
  std::vector<std::string> lines_;
};

/// Colours a source token by token. Neighbours of one class are written in one piece, so that no
/// multi-byte character is split.
std::vector<std::string> paint(std::string_view source, std::size_t most_bytes) {
  HtmlLines out(most_bytes);
  std::size_t begin = 0;  // of what is not yet written
  const char* css_class = kPlain;
  const lex::Tokens tokens = lex::lex(source);
  for (const lex::Token& token : tokens) {
    const char* next = class_of(token);
    const bool is_line_end = token.kind == lex::Token::Kind::LineEnd;
    if (is_line_end) next = kPlain;
    if (next == css_class && next != kComment && next != kLiteral) continue;
    out.add(source.substr(begin, token.offset - begin), css_class);
    begin = token.offset;
    css_class = next;
  }
  out.add(source.substr(begin), css_class);
  return std::move(out).finish();
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} line{} {}", count, count == 1 ? "" : "s", what);
}

/// The line with this index. A sanitised source has as many lines as its original; fewer would be a
/// bug in code_lines().
const std::string& line_at(const std::vector<std::string>& lines, std::size_t at) {
  KW_ASSERT(at < lines.size());
  return lines[at];
}

PageFields diff_item(const char* mark, std::string code) {
  return {{"mark", {std::string(mark)}}, {"code", {std::move(code)}}};
}

}  // namespace

std::vector<std::string> code_lines(std::string_view source, std::size_t most_bytes) {
  // The source is sanitised before it is coloured, because escape() sanitises each piece and must
  // not change its bytes then.
  constexpr std::size_t kLongestEscape = 4;  // for each byte of the text
  const std::string shown = sanitise(source, kLongestEscape * source.size() + 1);
  return paint(shown, most_bytes);
}

PageList source_items(std::string_view source) {
  PageList items;
  for (std::string& line : code_lines(source, kCodeLineBytes))
    items.push_back({{"code", {std::move(line)}}});
  return items;
}

SourceDiff source_diff(std::string_view before, std::string_view after, std::size_t most) {
  using Kind = DiffLine::Kind;
  SourceDiff diff;
  const TextDiff found = compare_texts(before, after);
  if (found.is_rewritten) {
    diff.words = "more than 1,500 lines differ";
    return diff;
  }
  const std::vector<std::string> old_lines = code_lines(before, kCodeLineBytes);
  const std::vector<std::string> new_lines = code_lines(after, kCodeLineBytes);
  std::size_t added = 0, removed = 0;
  for (const DiffLine& line : found.lines) {
    added += line.kind == Kind::Added ? 1 : 0;
    removed += line.kind == Kind::Removed ? 1 : 0;
    if (diff.lines.size() >= most) continue;
    switch (line.kind) {
      case Kind::Same:
        diff.lines.push_back(diff_item("same", "  " + line_at(new_lines, line.after)));
        break;
      case Kind::Added:
        diff.lines.push_back(diff_item("add", "+ " + line_at(new_lines, line.after)));
        break;
      case Kind::Removed:
        diff.lines.push_back(diff_item("del", "- " + line_at(old_lines, line.before)));
        break;
      case Kind::Gap:
        diff.lines.push_back(diff_item("skip", "…"));
        break;
    }
  }
  if (found.lines.size() > most)
    diff.lines.push_back(
        diff_item("skip", fmt::format("… ({} more lines)", found.lines.size() - most)));
  diff.words = found.lines.empty()
                   ? "no line differs"
                   : fmt::format("{}, {} removed", counted(added, "added"), removed);
  return diff;
}

}  // namespace kw::report

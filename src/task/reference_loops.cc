// Rewrites the heads of the reference's loops.
// SPDX-License-Identifier: Apache-2.0
#include "task/reference_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "lex/lexer.h"
#include "task/c/branches.h"
#include "task/c/function.h"
#include "task/c/loops.h"
#include "task/units.h"

namespace kw::task {
namespace {

constexpr std::size_t kMostLoops = 6;
constexpr int kDeepest = 2;  // number of loops around one that is cut

// All functions leave loops alone that count with anything but integers. `goes` ends loops and
// begins none, so that a reference with a cut ends whenever the reference does; a loop that runs
// backwards ends at its first pass at the latest.
constexpr std::string_view kPreamble = R"(#include <type_traits>
namespace kw_loops {
static int active = 0;
constexpr int cuts = 5;
inline bool is_backwards(int loop) { return active == cuts * loop + 5; }
inline long long passes(long long a, long long b, bool is_closed, long long s) {
  const long long step = s < 0 ? -s : s;
  const long long way = (b < a ? a - b : b - a) + is_closed;
  return step == 0 ? 0 : (way + step - 1) / step;
}
template <class A, class B, class S>
inline A first(int loop, A a, B b, bool is_closed, S step) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<S>) {
    if (active == cuts * loop + 4) return static_cast<A>(a + static_cast<A>(step));
    const long long from = a, to = b, by = step;
    const bool has_passes = by < 0 ? from > to - is_closed : from < to + is_closed;
    if (is_backwards(loop) && has_passes)
      return static_cast<A>(from + (passes(from, to, is_closed, by) - 1) * by);
  }
  return a;
}
template <class V, class A, class B, class S>
inline bool goes(int loop, V v, A a, B b, bool is_closed, S s) {
  if constexpr (std::is_integral_v<V> && std::is_integral_v<A> && std::is_integral_v<B> &&
                std::is_integral_v<S>) {
    const int cut = active - cuts * loop;
    const long long from = a, to = b, at = v, by = s;
    if (cut == 5) return by < 0 ? at <= from : at >= from;
    if (cut < 1 || cut > 3 || by == 0) return true;
    const long long done = (at < from ? from - at : at - from) / (by < 0 ? -by : by);
    const long long all = passes(from, to, is_closed, by);
    return cut == 1 ? 2 * done < all : cut == 2 ? done < 40 : done + 1 < all;
  }
  return true;
}
}  // namespace kw_loops
)";

/// A half-open range of tokens.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The head of a loop: `for (… variable = start; variable < limit …; variable += step)`.
struct Head {
  std::string variable;
  Span start;
  Span condition;  ///< Up to the first `&&` outside of parentheses.
  Span limit;
  bool is_closed = false;  ///< `<=` or `>=`.
  Span change;             ///< What counts the variable on.
  std::string step;        ///< By how much.
  std::string back;        ///< What counts it back.
  std::size_t token = 0;   ///< Of the word `for`.
  int depth = 0;
};

class Rewriter {
 public:
  explicit Rewriter(const std::string& source) : source_(source), tokens_(lex::tokenize(source_)) {}

  /// The source with a function `reference` that takes the number of a cut first; empty if it has
  /// no loop that can be cut.
  std::string run();

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  std::string text(const Span& span) const {
    return lex::source_text(tokens_, span.begin, span.end);
  }
  /// The first of the tokens outside of brackets that is one of `wanted`, or the end.
  std::size_t find(const Span& span, std::initializer_list<std::string_view> wanted) const;
  bool has_effects(const Span& span) const;
  std::optional<Head> read_head(std::size_t word, std::size_t close) const;
  bool read_step(Head& head) const;
  std::vector<Head> heads(const CFunction& function) const;
  int line_of(std::size_t token) const {
    const std::string_view before = std::string_view(source_).substr(0, tokens_[token].offset);
    return 1 + static_cast<int>(std::ranges::count(before, '\n'));
  }

  const std::string& source_;
  lex::Tokens tokens_;
};

std::size_t Rewriter::find(const Span& span, std::initializer_list<std::string_view> wanted) const {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (std::ranges::any_of(wanted, [&](std::string_view text) { return at(i, text); })) return i;
    if (at(i, "(") || at(i, "[") || at(i, "{")) i = lex::find_closing(tokens_, i);
  }
  return span.end;
}

bool Rewriter::has_effects(const Span& span) const {
  for (std::size_t i = span.begin; i < span.end; ++i)
    if (is_assignment(tokens_, i)) return true;
  return false;
}

/// Reads by how much the loop counts, and how it would count back; false where it cannot be told.
bool Rewriter::read_step(Head& head) const {
  const Span& span = head.change;
  if (span.end < span.begin + 2) return false;
  const bool is_prefix = at(span.begin + 1, head.variable);
  const std::size_t sign = is_prefix ? span.begin : span.begin + 1;
  if (!is_prefix && !at(span.begin, head.variable)) return false;
  if (span.end == span.begin + 2 && (at(sign, "++") || at(sign, "--"))) {
    head.step = at(sign, "++") ? "1" : "-1";
    head.back = (at(sign, "++") ? "--" : "++") + head.variable;
    return true;
  }
  const Span amount{span.begin + 2, span.end};
  if (is_prefix || amount.begin == amount.end || has_effects(amount) ||
      find(amount, {","}) != amount.end || !(at(sign, "+=") || at(sign, "-=")))
    return false;
  head.step = (at(sign, "+=") ? "(" : "-(") + text(amount) + ")";
  head.back = head.variable + (at(sign, "+=") ? " -= " : " += ") + text(amount);
  return true;
}

std::optional<Head> Rewriter::read_head(std::size_t word, std::size_t close) const {
  const std::size_t first = find({word + 2, close}, {";"});
  const std::size_t second = find({first + 1, close}, {";"});
  if (first >= close || second >= close) return std::nullopt;
  const std::size_t equals = find({word + 2, first}, {"="});
  if (equals == first || find({word + 2, first}, {","}) != first) return std::nullopt;
  Head head;
  head.token = word;
  head.variable = tokens_[equals - 1].text;
  head.start = {equals + 1, first};
  head.condition = {first + 1, find({first + 1, second}, {"&&"})};
  const std::size_t relation = first + 2;
  head.limit = {relation + 1, head.condition.end};
  head.is_closed = at(relation, "<=") || at(relation, ">=");
  const bool is_relation =
      head.is_closed || at(relation, "<") || at(relation, ">") || at(relation, "!=");
  if (!at(first + 1, head.variable) || !is_relation || head.limit.begin >= head.limit.end ||
      find({first + 1, second}, {"||", "?", ","}) != second || has_effects(head.start) ||
      has_effects(head.limit))
    return std::nullopt;
  head.change = {second + 1, close};
  if (!read_step(head)) return std::nullopt;
  return head;
}

std::vector<Head> Rewriter::heads(const CFunction& function) const {
  std::vector<Head> all;
  std::vector<std::size_t> ends;  // of the loops around the present token
  for (std::size_t i = function.open; i < function.close; ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    if (!at(i, "for") || !at(i + 1, "(")) continue;
    const std::size_t close = lex::find_closing(tokens_, i + 1);
    if (close >= function.close) break;
    auto head = read_head(i, close);
    if (head && ends.size() <= kDeepest) {
      head->depth = static_cast<int>(ends.size());
      all.push_back(std::move(*head));
    }
    ends.push_back(nest_end(tokens_, close + 1, function.close));
  }
  std::ranges::stable_sort(all, {}, &Head::depth);
  if (all.size() > kMostLoops) all.resize(kMostLoops);
  return all;
}

std::string Rewriter::run() {
  const auto functions = find_functions(tokens_);
  const auto found = std::ranges::find(functions, "reference", &CFunction::name);
  if (found == functions.end()) return {};
  const std::vector<Head> cut = heads(*found);
  if (cut.empty()) return {};
  struct Change {
    std::size_t begin, end;  // bytes
    std::string text;
  };
  std::vector<Change> changes;
  std::string markers;
  for (std::size_t n = 0; n < cut.size(); ++n) {
    const Head& head = cut[n];
    const std::string bounds = fmt::format("{}, {}, {}, {}", text(head.start), text(head.limit),
                                           head.is_closed, head.step);
    changes.push_back({tokens_[head.start.begin].offset, tokens_[head.start.end - 1].end,
                       fmt::format("kw_loops::first({}, {})", n, bounds)});
    const std::size_t end = tokens_[head.condition.end - 1].end;
    changes.push_back(
        {end, end, fmt::format(" && kw_loops::goes({}, {}, {})", n, head.variable, bounds)});
    changes.push_back({tokens_[head.change.begin].offset, tokens_[head.change.end - 1].end,
                       fmt::format("kw_loops::is_backwards({}) ? (void)({}) : (void)({})", n,
                                   head.back, text(head.change))});
    markers += mark_of({head.variable, line_of(head.token)});
  }
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    if (at(i, "reference") && (i == 0 || !(at(i - 1, "::") || at(i - 1, ".") || at(i - 1, "->"))))
      changes.push_back({tokens_[i].offset, tokens_[i].end, "kw_cut_reference"});
  std::ranges::sort(changes, {}, &Change::begin);
  std::string made(kPreamble);
  std::size_t done = 0;
  for (const Change& change : changes) {
    made += source_.substr(done, change.begin - done) + change.text;
    done = change.end;
  }
  made += source_.substr(done);
  return made +
         "\ntemplate <class Real, class... Rest>\nvoid reference(int cut, Rest... rest) {\n"
         "  kw_loops::active = cut;\n  kw_cut_reference<Real>(rest...);\n}\n" +
         markers;
}

/// The source without lines for OpenMP, which allows no condition beside a loop's bound.
std::string without_openmp(std::string_view source) {
  std::string kept;
  for (const std::string_view line : split_lines(source)) {
    if (!trim(line).starts_with("#pragma omp")) kept += line;
    kept += "\n";
  }
  return kept;
}

}  // namespace

std::optional<BuildUnit> loops_unit(const Definition& definition) {
  Definition changed = definition;
  const std::string source = without_openmp(definition.reference);
  changed.reference = Rewriter(source).run();
  if (changed.reference.empty()) return std::nullopt;
  changed.task.signature.insert(changed.task.signature.begin(),
                                {kLoopArgument, false, Dtype::I32, TensorRole::In});
  for (BuildUnit& unit : reference_units(changed))
    if (unit.role == "reference_f64") {
      unit.role = kLoopsRole;
      return std::move(unit);
    }
  return std::nullopt;
}

}  // namespace kw::task

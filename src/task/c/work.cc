// Adds up the operations of statements, each times the turns of its loops.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/contains.h"
#include "task/c/assignment.h"
#include "task/c/nest.h"
#include "task/c/polynomial.h"

namespace kw::task {
namespace {

constexpr int kDeepestCall = 8;      // of helper functions
constexpr int kMostCalls = 1 << 12;  // that are followed in all

class WorkCount {
 public:
  WorkCount(const StudiedBody& body, const BoundingElements& bounding)
      : body_(body),
        bounding_(bounding),
        counts_integers_(std::ranges::none_of(
            body.function.parameters,
            [](const CParameter& p) { return p.is_pointer && is_real(p.dtype); })),
        helpers_(find_functions(body.tokens)),
        heads_(heads_of(body)),
        total_{{}, 1} {}

  CountedWork run() {
    const std::vector<NestItem> nest = nest_of(body_.tokens, body_.function);
    add_items(nest);
    if (total_.total.empty()) {  // The code compares and moves data, and computes nothing.
      counts_conditions_ = counts_integers_ = true;
      add_items(nest);
    }
    std::string flops = to_expression(total_.total);
    if (!is_never_negative(total_.total)) flops = fmt::format("max(0, {})", flops);
    if (total_.divisor > 1) flops = fmt::format("({}) / {}", flops, total_.divisor);
    return {flops, total_.total, doubt_};
  }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < body_.tokens.size() && body_.tokens[i].is(text);
  }

  void add_items(const std::vector<NestItem>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const NestItem& item = items[i];
      if (item.kind == NestItem::Kind::Plain) {
        add_statement(item);
        continue;
      }
      if (item.kind == NestItem::Kind::Jump) {
        const bool computes = at(item.begin, "do") || at(item.begin, "switch");
        if (computes) doubt_ = "what stands in `do` and `switch` is not counted";
        continue;
      }
      if (counts_conditions_ && item.kind == NestItem::Kind::If)
        add_operations(item.head, operations(item.head, item.head_end, 0));
      const bool has_other = item.kind == NestItem::Kind::If && i + 1 < items.size() &&
                             items[i + 1].kind == NestItem::Kind::Else;
      if (!has_other) {
        add_condition(item);
        add_items(item.inside);
        continue;
      }
      add_choice(item, items[i + 1]);
      ++i;
    }
  }

  /// The condition of a loop that data may end, which computes in each turn.
  void add_condition(const NestItem& item) {
    const bool is_limited = contains_begin(body_.loops.limited(), item.begin);
    if (!is_limited) return;
    add_operations(item.head, operations(item.head, item.head_end, 0));
  }

  static bool contains_begin(const std::vector<CountingLoop>& loops, std::size_t begin) {
    return std::ranges::find(loops, begin, &CountingLoop::begin) != loops.end();
  }

  void add_choice(const NestItem& then, const NestItem& other) {
    const bool is_then_read = body_.bounds.is_understood(then.head_end + 1);
    const bool is_other_read = body_.bounds.is_understood(other.begin);
    const bool is_first = operations_in(then) >= operations_in(other);
    // Nobody knows how often a condition over data holds, so the costlier side counts.
    if (is_then_read || is_first) add_items(then.inside);
    if (is_other_read || (!is_then_read && !is_first)) add_items(other.inside);
    if (is_then_read && !is_other_read) add_remainder(then, other);
  }

  /// The other side of a condition that is read: it counts where the first side does not.
  void add_remainder(const NestItem& then, const NestItem& other) {
    const std::int64_t operations = operations_in(other);
    if (operations == 0) return;
    add(turns(other.begin), operations);
    add(turns(then.head_end + 1), -operations);
  }

  std::int64_t operations_in(const NestItem& item) const {
    if (item.kind == NestItem::Kind::Plain) return operations(item);
    std::int64_t sum = 0;
    for (const NestItem& inner : item.inside) sum += operations_in(inner);
    return sum;
  }

  void add_statement(const NestItem& item) {
    note_type(item);
    add_operations(item.begin, operations(item));
  }

  void add_operations(std::size_t token, std::int64_t count) {
    if (count > 0) add(turns(token), count);
  }

  void add(const std::optional<Sum>& turns, std::int64_t operations) {
    auto sum = turns ? kw::task::add(total_, *turns, operations) : std::nullopt;
    if (sum)
      total_ = std::move(*sum);
    else
      doubt_ = "a part of the work is too complex to count";
  }

  /// How often the token is passed.
  std::optional<Sum> turns(std::size_t token) {
    Sum count{{{{}, 1}}, 1};
    std::vector<const CountingLoop*> around;
    for (const auto* const loops : {&body_.loops.all(), &body_.loops.limited()})
      for (const CountingLoop& loop : *loops)
        if (loop.begin <= token && token < loop.end) around.push_back(&loop);
    std::ranges::sort(
        around, [](const CountingLoop* a, const CountingLoop* b) { return a->begin > b->begin; });
    const CountingLoop* counted = nullptr;
    for (std::size_t i = 0; i < around.size(); ++i) {
      const CountingLoop* const loop = around[i];
      if (loop == counted) continue;
      if (const std::string array = element_in(loop->bound); !array.empty()) {
        const std::span<const CountingLoop* const> outer = std::span(around).subspan(i + 1);
        const auto sum = over_elements(count, *loop, array, outer, counted);
        if (!sum) return std::nullopt;
        count = *sum;
        continue;
      }
      if (contains_begin(body_.loops.limited(), loop->begin)) {
        doubt_ = "a loop that data may end earlier counts with all turns that it may have";
        auto sum = sum_over(count, loop->variable, loop->first, loop->bound);
        if (!sum) return std::nullopt;
        count = std::move(*sum);
        continue;
      }
      if (loop->step == 0) {
        doubt_ = fmt::format("the loop over {} counts as one turn", loop->variable);
        continue;
      }
      const auto [first, bound] = body_.bounds.range(*loop, token);
      auto sum = sum_over(count, loop->variable, first, bound);
      if (!sum || __builtin_mul_overflow(sum->divisor, loop->step, &sum->divisor))
        return std::nullopt;
      count = std::move(*sum);
    }
    note_unread_loops(token, around.size());
    for (const auto& [monomial, factor] : count.total)
      for (const std::string& name : monomial) {
        const CParameter* parameter = body_.function.find(name);
        if (parameter == nullptr || parameter->is_pointer || is_real(parameter->dtype))
          return std::nullopt;
      }
    return count;
  }

  /// The array whose elements bound a loop; empty: none do.
  std::string element_in(const Polynomial& bound) const {
    for (const auto& [monomial, factor] : bound)
      for (const std::string& name : monomial)
        if (name.ends_with("[]")) return name.substr(0, name.size() - 2);
    return {};
  }

  /// The turns of a loop that elements bound. Rows between offsets are told by all their elements,
  /// and then the loop over the rows is `counted` with them.
  std::optional<Sum> over_elements(const Sum& count, const CountingLoop& loop,
                                   const std::string& array,
                                   std::span<const CountingLoop* const> outer,
                                   const CountingLoop*& counted) const {
    const auto element = bounding_.elements.find(array);
    if (element == bounding_.elements.end() || loop.step != 1 || uses(count, loop.variable))
      return std::nullopt;
    const auto total = multiply(count.total, element->second.size);
    if (!total) return std::nullopt;
    if (element->second.use == ElementUse::Turns) return Sum{*total, count.divisor * 2};
    const auto rows = std::ranges::find_if(outer, [&](const CountingLoop* row) {
      const auto turns = kw::task::add(row->bound, row->first, -1);
      const auto ends = turns ? kw::task::add(*turns, {{{}, 1}}, 1) : std::nullopt;
      const auto access = bounding_.accesses.find(array);
      return row->step == 1 && ends && access != bounding_.accesses.end() &&
             access->second.shape == std::vector<std::string>{to_expression(*ends)};
    });
    if (element->second.use != ElementUse::Offsets || rows == outer.end() ||
        uses(count, (*rows)->variable))
      return std::nullopt;
    counted = *rows;
    return Sum{*total, count.divisor};
  }

  static bool uses(const Sum& count, const std::string& name) {
    return std::ranges::any_of(count.total,
                               [&](const auto& term) { return contains(term.first, name); });
  }

  void note_unread_loops(std::size_t token, std::size_t read) {
    const auto loops = std::ranges::count_if(
        heads_, [&](const auto& loop) { return loop.first < token && token < loop.second; });
    if (std::cmp_greater(loops, read))
      doubt_ = "a loop whose bounds could not be read counts as one turn";
  }

  /// First and last token of all loops, whether they can be read or not.
  static std::vector<std::pair<std::size_t, std::size_t>> heads_of(const StudiedBody& body) {
    std::vector<std::pair<std::size_t, std::size_t>> heads;
    const auto& tokens = body.tokens;
    for (std::size_t i = body.function.open; i + 1 < body.function.close; ++i)
      if ((tokens[i].is("for") || tokens[i].is("while")) && tokens[i + 1].is("("))
        heads.emplace_back(i, nest_end(tokens, i, body.function.close));
    return heads;
  }

  // --- operations of one statement ---

  void note_type(const NestItem& item) {
    static constexpr auto kWhole = std::to_array<std::string_view>(
        {"int", "long", "unsigned", "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t", "char",
         "short", "bool", "ptrdiff_t", "uint8_t"});
    const auto assigned = read_assignment(body_.tokens, item.begin, item.end);
    if (!assigned || !assigned->is_declared) return;
    bool is_whole = assigned->is_pointer;
    for (std::size_t i = item.begin; i < assigned->name; ++i)
      is_whole = is_whole || contains(kWhole, body_.tokens[i].text);
    is_whole_[assigned->target] = is_whole;
  }

  /// Whether the statement computes an integer or a pointer.
  bool is_of_integers(const NestItem& item) const {
    const auto assigned = read_assignment(body_.tokens, item.begin, item.end);
    if (!assigned) return at(item.begin, "++") || at(item.begin, "--");
    const auto local = is_whole_.find(assigned->target);
    if (local != is_whole_.end()) return local->second;
    const CParameter* parameter = body_.function.find(assigned->target);
    return parameter != nullptr && !is_real(parameter->dtype);
  }

  std::int64_t operations(const NestItem& item) const {
    return !counts_integers_ && is_of_integers(item) ? 0 : operations(item.begin, item.end, 0);
  }

  std::int64_t operations(std::size_t begin, std::size_t end, int depth) const {
    static constexpr auto kUpdates = std::to_array<std::string_view>({"+=", "-=", "*=", "/="});
    static constexpr auto kBinary = std::to_array<std::string_view>({"+", "-", "*", "/"});
    // Of integers, bits and comparisons are work, too.
    static constexpr auto kOfIntegers = std::to_array<std::string_view>(
        {"%",  "&",  "|",  "^",  "<<", ">>", "<",   ">",   "<=", ">=",
         "==", "!=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"});
    std::int64_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const lex::Token& token = body_.tokens[i];
      if (token.is("[")) {
        i = std::min(lex::find_closing(body_.tokens, i), end);
      } else if (token.kind == lex::Token::Kind::Word) {
        if (at(i + 1, "(")) count += call(token.text, depth);
      } else if (contains(kUpdates, token.text)) {
        ++count;
      } else if (contains(kBinary, token.text) && i > begin) {
        count += ends_operand(i - 1);
      } else if (counts_integers_ && contains(kOfIntegers, token.text)) {
        ++count;
      }
    }
    return count;
  }

  /// Whether the operator behind this token has a left side.
  bool ends_operand(std::size_t i) const {
    const lex::Token& token = body_.tokens[i];
    if (token.kind == lex::Token::Kind::Number || token.is("]")) return true;
    if (token.is(")")) return !at(i - 1, "float") && !at(i - 1, "double") && !at(i - 1, "int");
    return token.kind == lex::Token::Kind::Word && !token.is("return");
  }

  std::int64_t call(std::string_view name, int depth) const {
    static constexpr auto kFree = std::to_array<std::string_view>(
        {"sizeof", "if", "for", "while", "return", "float", "double", "int", "static_cast"});
    if (contains(kFree, name)) return 0;
    if (name == "fma" || name == "fmaf") return 2;
    const auto helper = std::ranges::find(helpers_, name, &CFunction::name);
    if (helper == helpers_.end() || depth >= kDeepestCall || ++calls_ > kMostCalls) return 1;
    return operations(helper->open + 1, helper->close, depth + 1);
  }

  const StudiedBody& body_;
  const BoundingElements& bounding_;
  bool counts_integers_;
  bool counts_conditions_ = false;  ///< Whether conditions over data are work, too.
  const std::vector<CFunction> helpers_;
  const std::vector<std::pair<std::size_t, std::size_t>> heads_;
  Sum total_;
  mutable int calls_ = 0;
  std::string doubt_;
  std::map<std::string, bool> is_whole_;  ///< Locals: whether they hold integers or pointers.
};

}  // namespace

CountedWork count_work(const StudiedBody& body, const BoundingElements& bounding) {
  return WorkCount(body, bounding).run();
}

}  // namespace kw::task

// Follows values back from calls, comparisons and products to the parameters that they come from.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/cases.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/contains.h"
#include "task/c/assignment.h"
#include "task/c/index.h"
#include "task/c/loops.h"
#include "task/c/nest.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;
using ValueNames = std::set<std::string, std::less<>>;

constexpr auto kExponentials =
    std::to_array<std::string_view>({"exp", "expf", "expl", "exp2", "exp2f"});
constexpr auto kExtremes =
    std::to_array<std::string_view>({"fmax", "fmaxf", "fmin", "fminf", "max", "min", "MAX", "MIN"});
/// Below these, a number is small beside sums of noise, or only keeps a sum off 0.
constexpr double kSmall = 1;
constexpr double kTiny = 1e-3;
/// Beyond these, noise of deviation 1 and sums of it are too rare to count on; beyond the third, a
/// number means that there is no limit.
constexpr double kReachOfNoise = 2.5;
constexpr double kReachOfSums = 64;
constexpr double kLargestLimit = 1e6;

class CaseFinder {
 public:
  CaseFinder(const CFunction& function, const Tokens& tokens,
             const std::map<std::string, double, std::less<>>& macros)
      : function_(function),
        tokens_(tokens),
        macros_(macros),
        reader_(tokens),
        loops_(function, tokens, reader_),
        items_(nest_of(tokens, function)) {
    collect(items_);
    for (std::size_t i = function.open; i < function.close; ++i)
      divides_ = divides_ || at(i, {"/", "/="});
    for (std::size_t i = function.open; i < function.close; ++i)
      takes_roots_ = takes_roots_ || at(i, {"sqrt", "sqrtf"});
  }

  SpecialCases run() {
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      find_shift(i);
      find_threshold(i);
      find_limit(i);
      find_zero(i);
    }
    for (const CParameter& parameter : function_.parameters)
      if (is_real_scalar(parameter.name)) find_step(parameter.name);
    for (const Value& value : values_)
      if (value.is_sum && holds(value.begin, value.end, {"+", "+=", "-", "-="})) find_summed(value);
    if (takes_roots_)
      for (const Value& value : values_) find_projection(value);
    return std::move(found_);
  }

 private:
  struct Value {
    std::string target;
    std::size_t begin = 0;  ///< The operator that assigns.
    std::size_t end = 0;
    bool is_sum = false;  ///< The new value depends on the old one.
  };

  bool at(std::size_t i, std::initializer_list<std::string_view> texts) const {
    return i < tokens_.size() && std::ranges::find(texts, tokens_[i].text) != texts.end();
  }
  bool is_word(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == lex::Token::Kind::Word;
  }
  bool is_real_scalar(std::string_view name) const {
    const CParameter* parameter = function_.find(name);
    return parameter != nullptr && !parameter->is_pointer && is_real(parameter->dtype);
  }

  void collect(const std::vector<NestItem>& items) {
    for (const NestItem& item : items) {
      collect(item.inside);
      if (item.kind == NestItem::Kind::If) conditions_.push_back(&item);
      if (item.kind == NestItem::Kind::Plain) collect_values(item.begin, item.end);
    }
  }

  /// The values that a statement assigns, which may declare several names.
  void collect_values(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      std::size_t stop = i;
      while (stop < end && !at(stop, {","})) {
        if (at(stop, {"(", "[", "{"})) stop = std::min(lex::find_closing(tokens_, stop), end - 1);
        ++stop;
      }
      if (const auto assigned = read_assignment(tokens_, i, stop); assigned && assigned->op < stop)
        values_.push_back({assigned->target, assigned->op, stop, assigned->reads_target});
      i = stop + 1;
    }
  }

  /// The names between the tokens that are no calls and stand outside indices.
  ValueNames names_in(std::size_t begin, std::size_t end) const {
    ValueNames names;
    for (std::size_t i = begin; i < end; ++i) {
      if (at(i, {"["}))
        i = lex::find_closing(tokens_, i);
      else if (is_word(i) && !at(i + 1, {"("}))
        names.emplace(tokens_[i].text);
    }
    return names;
  }

  /// The names with all from whose values theirs are calculated.
  ValueNames sources(ValueNames names) const {
    for (bool is_more = true; is_more;) {
      const std::size_t before = names.size();
      for (const Value& value : values_)
        if (names.contains(value.target)) names.merge(names_in(value.begin + 1, value.end));
      is_more = names.size() > before;
    }
    return names;
  }

  void note(std::map<std::string, std::size_t>& to, const ValueNames& names,
            std::size_t token) const {
    for (const CParameter& parameter : function_.parameters)
      if (parameter.is_pointer && is_real(parameter.dtype) && names.contains(parameter.name))
        to.emplace(parameter.name, token);
  }

  // --- exp() of differences ---

  void find_shift(std::size_t i) {
    if (!is_word(i) || !contains(kExponentials, tokens_[i].text) || !at(i + 1, {"("})) return;
    const std::size_t close = lex::find_closing(tokens_, i + 1);
    ValueNames names = names_in(i + 2, close);
    // The difference may have been taken before.
    for (const Value& value : values_)
      if (names.contains(value.target) && !value.is_sum)
        names.merge(names_in(value.begin + 1, value.end));
    const auto extreme =
        std::ranges::find_if(names, [&](const std::string& name) { return is_extreme(name); });
    if (extreme == names.end()) return;
    names.erase(extreme);
    // Sums of products of large numbers would differ by more than gates allow.
    names = sources(std::move(names));
    const bool is_product = std::ranges::any_of(values_, [&](const Value& value) {
      return value.is_sum && names.contains(value.target) && value.begin < i &&
             !is_extreme(value.target) && holds(value.begin, value.end, {"*"});
    });
    if (!is_product) note(found_.shifted, names, i);
  }

  bool holds(std::size_t begin, std::size_t end,
             std::initializer_list<std::string_view> texts) const {
    for (std::size_t i = begin; i < end; ++i)
      if (at(i, texts)) return true;
    return false;
  }

  /// Whether the name is given the largest or smallest of numbers.
  bool is_extreme(std::string_view name) const {
    return std::ranges::any_of(values_, [&](const Value& value) {
      if (value.target != name) return false;
      // The last one may come by another name, as in `next = max(last, x); …; last = next`.
      const bool is_running =
          value.is_sum || sources(names_in(value.begin + 1, value.end)).contains(name);
      for (std::size_t i = value.begin + 1; i < value.end; ++i)
        if (is_running && is_word(i) && contains(kExtremes, tokens_[i].text)) return true;
      if (is_running && holds(value.begin, value.end, {"?"})) return true;
      return std::ranges::any_of(conditions_, [&](const NestItem* condition) {
        return condition->begin < value.begin && value.begin < condition->end &&
               holds(condition->head, condition->head_end, {"<", ">", "<=", ">="}) &&
               holds(condition->head, condition->head_end, {name});
      });
    });
  }

  // --- comparisons with small numbers ---

  std::optional<double> number_at(std::size_t i) const {
    if (i >= tokens_.size()) return std::nullopt;
    const std::string text(tokens_[i].text);
    if (tokens_[i].kind == lex::Token::Kind::Number) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return end == text.c_str() ? std::nullopt : std::optional(value);
    }
    if (!is_word(i)) return std::nullopt;
    if (const auto macro = macros_.find(text); macro != macros_.end()) return macro->second;
    // A conversion such as T(1e-5).
    if (at(i + 1, {"("}) && at(i + 3, {")"}) && tokens_[i + 2].kind == lex::Token::Kind::Number &&
        !contains(kExtremes, text))
      return number_at(i + 2);
    std::string lower = text;
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (lower.contains("eps") || lower.starts_with("tol")) return kTiny;
    const auto is_its = [&](const Value& value) { return value.target == text; };
    if (std::ranges::count_if(values_, is_its) != 1) return std::nullopt;
    const auto only = std::ranges::find_if(values_, is_its);
    const bool is_number = only->end == only->begin + 2 && !only->is_sum &&
                           tokens_[only->begin + 1].kind == lex::Token::Kind::Number;
    return is_number ? number_at(only->begin + 1) : std::nullopt;
  }

  /// The first token of the operand that ends before the token.
  std::size_t operand_before(std::size_t end) const {
    std::size_t i = end;
    while (i > function_.open + 1 && at(i - 1, {"]", ")"})) {
      int depth = 0;
      do {
        --i;
        depth += at(i, {"]", ")"}) ? 1 : at(i, {"[", "("}) ? -1 : 0;
      } while (depth > 0 && i > function_.open + 1);
    }
    return is_word(i - 1) ? i - 1 : i;
  }

  std::size_t operand_after(std::size_t i) const {
    if (is_word(i)) ++i;
    while (at(i, {"(", "["}) && lex::find_closing(tokens_, i) < function_.close)
      i = lex::find_closing(tokens_, i) + 1;
    return i;
  }

  void find_threshold(std::size_t i) {
    if (is_word(i) && contains(kExtremes, tokens_[i].text) && at(i + 1, {"("})) {
      const std::size_t close = lex::find_closing(tokens_, i + 1);
      for (const std::size_t k : {i + 2, close - 1})
        if (const auto number = number_at(k); number && *number > 0 && *number < kSmall)
          note_sums(names_in(i + 2, close), i);
      return;
    }
    const bool is_order = at(i, {"<", "<=", ">", ">="}), is_added = at(i, {"+", "+="});
    if (!is_order && !is_added && !at(i, {"==", "!="})) return;
    for (const bool is_right : {true, false}) {
      const auto number = number_at(is_right ? i + 1 : i - 1);
      if (!number || *number > (is_added ? kTiny : kSmall)) continue;
      if (*number < 0 || (*number == 0 && (is_added || !divides_))) continue;
      std::size_t begin = is_right ? operand_before(i) : i + 1;
      while (is_right && at(begin - 1, {"*", "/"})) begin = operand_before(begin - 1);
      note_sums(names_in(begin, is_right ? i : operand_after(i + 1)), i);
    }
  }

  /// Remembers the arrays of whose sums the names are made. Where there is no sum, noise is on both
  /// sides of any number.
  void note_sums(ValueNames names, std::size_t token) {
    names = sources(std::move(names));
    if (holds_sum(names)) note(found_.thresholds, names, token);
  }

  /// Whether one of the names is a sum.
  bool holds_sum(const ValueNames& names) const {
    return std::ranges::any_of(values_, [&](const Value& value) {
      return value.is_sum && names.contains(value.target) && !is_extreme(value.target);
    });
  }

  // --- comparisons with large numbers ---

  void find_limit(std::size_t i) {
    const bool is_call = is_word(i) && at(i + 1, {"("}) &&
                         (contains(kExtremes, tokens_[i].text) || at(i, {"clamp"}));
    if (is_call) {
      const std::size_t close = lex::find_closing(tokens_, i + 1);
      for (std::size_t k = i + 2; k < close; ++k)
        if (at(k - 1, {"(", ",", "-"}) && at(k + 1, {",", ")"}))
          note_limit(number_at(k), names_in(i + 2, close), i);
    } else if (at(i, {"<", "<=", ">", ">="})) {
      const std::size_t right = at(i + 1, {"-"}) ? i + 2 : i + 1;
      note_limit(number_at(right), names_in(operand_before(i), i), i);
      note_limit(number_at(i - 1), names_in(i + 1, operand_after(i + 1)), i);
    }
  }

  void note_limit(const std::optional<double>& number, ValueNames names, std::size_t token) {
    if (!number || *number <= kReachOfNoise || *number > kLargestLimit) return;
    names = sources(std::move(names));
    if (*number <= kReachOfSums && holds_sum(names)) return;
    for (const CParameter& parameter : function_.parameters) {
      if (!parameter.is_pointer || !names.contains(parameter.name)) continue;
      LimitNumber& limit = found_.limits[parameter.name];
      if (*number > limit.size) limit = {*number, token};
    }
  }

  // --- scalars of 0 ---

  bool is_zero(std::size_t i) const {
    const auto number = i < tokens_.size() && tokens_[i].kind == lex::Token::Kind::Number
                            ? number_at(i)
                            : std::nullopt;
    return number && *number == 0;
  }

  void find_zero(std::size_t i) {
    if (!is_word(i) || !is_real_scalar(tokens_[i].text)) return;
    const bool is_compared =
        (at(i + 1, {"==", "!="}) && is_zero(i + 2)) || (at(i - 1, {"==", "!="}) && is_zero(i - 2));
    const bool is_alone = at(i - 1, {"("}) && at(i - 2, {"if"}) && at(i + 1, {")"});
    if (is_compared || is_alone || at(i - 1, {"!"}) || (at(i + 1, {"?"}) && at(i - 1, {"=", "("})))
      found_.zeros.emplace(tokens_[i].text, i);
  }

  // --- sums ---

  /// Remembers the sizes over which the value is summed: those of loops around it that neither
  /// choose the element nor hold the place where the variable is set anew.
  void find_summed(const Value& value) {
    const std::size_t element = operand_before(value.begin);
    std::size_t start = 0;
    for (const Value& other : values_)
      if (other.target == value.target && !other.is_sum && other.begin < value.begin)
        start = other.begin;
    for (const CountingLoop& loop : loops_.all()) {
      const bool is_around = loop.begin < element && element < loop.end;
      const bool is_anew = loop.begin < start && start < loop.end;
      bool chooses = false;
      for (std::size_t i = element + 1; i < value.begin; ++i)
        chooses = chooses || at(i, {loop.variable});
      if (!is_around || is_anew || chooses) continue;
      for (const auto& [monomial, factor] : loop.bound)
        for (const std::string& name : monomial)
          if (function_.find(name) != nullptr) found_.summed.insert(name);
    }
  }

  // --- projections ---

  /// Reads `a[i][j] -= q[i][k] * r[k][j]`, where `j` runs over the columns behind column `k`.
  void find_projection(const Value& value) {
    const CParameter* array = function_.find(value.target);
    if (array == nullptr || !array->is_pointer || !value.is_sum) return;
    const bool is_difference = at(value.begin, {"-="}) || holds(value.begin, value.end, {"-"});
    if (!is_difference || !holds(value.begin, value.end, {"*"})) return;
    std::set<const CountingLoop*> around;
    for (std::size_t i = operand_before(value.begin); i < value.begin; ++i)
      if (is_word(i))
        if (const CountingLoop* loop = loops_.of(tokens_[i].text, i)) around.insert(loop);
    const auto size = [](const CountingLoop& loop) {
      return loop.bound.size() == 1 && loop.bound.begin()->first.size() == 1
                 ? loop.bound.begin()->first.front()
                 : std::string();
    };
    std::string length, number;
    for (const CountingLoop* loop : around) (loop->first.empty() ? length : number) = size(*loop);
    const bool are_sizes = function_.find(length) != nullptr && function_.find(number) != nullptr;
    if (around.size() != 2 || !are_sizes || length == number) return;
    found_.length_of_columns = length, found_.number_of_columns = number;
  }

  // --- steps ---

  /// A loop whose variable stands among the tokens outside indices; null where there is none.
  const CountingLoop* loop_in(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (at(i, {"["}))
        i = lex::find_closing(tokens_, i);
      else if (is_word(i))
        if (const CountingLoop* loop = loops_.of(tokens_[i].text, i)) return loop;
    }
    return nullptr;
  }

  void find_step(const std::string& name) {
    StepScalar step{name, {}, {}};
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!at(i, {name})) continue;
      std::size_t begin = i, end = i + 1;
      if (at(i - 1, {"*"}))
        begin = operand_before(i - 1);
      else if (at(i + 1, {"*"}))
        end = operand_after(i + 2);
      const CountingLoop* loop = loop_in(begin, end);
      if (loop == nullptr || loop->bound.empty()) return;
      if (at(begin - 1, {")"})) begin = operand_before(begin);  // A cast.
      if (step.turns.empty()) step.turns = loop->bound;
      if (at(begin - 1, {"+"}) && is_word(begin - 2) && is_real_scalar(tokens_[begin - 2].text))
        step.origin = tokens_[begin - 2].text;
      if (at(end, {"+"}) && is_word(end + 1) && is_real_scalar(tokens_[end + 1].text))
        step.origin = tokens_[end + 1].text;
    }
    if (!step.turns.empty()) found_.steps.push_back(std::move(step));
  }

  const CFunction& function_;
  const Tokens& tokens_;
  const std::map<std::string, double, std::less<>>& macros_;
  IndexReader reader_;
  const Loops loops_;
  const std::vector<NestItem> items_;
  std::vector<Value> values_;
  std::vector<const NestItem*> conditions_;
  bool divides_ = false, takes_roots_ = false;
  SpecialCases found_;
};

}  // namespace

SpecialCases special_cases(const CFunction& function, const Tokens& tokens,
                           const std::map<std::string, double, std::less<>>& macros) {
  return CaseFinder(function, tokens, macros).run();
}

}  // namespace kw::task

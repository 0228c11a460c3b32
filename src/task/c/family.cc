// Recognises what a loop nest is from how its statements use their indices.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/contains.h"
#include "task/c/assignment.h"
#include "task/c/nest.h"
#include "task/c/work.h"

namespace kw::task {
namespace {

using LoopNames = std::set<std::string>;

/// Families in the order in which one is preferred where two are equally deep.
constexpr auto kByWeight =
    std::to_array<std::string_view>({"elementwise", "transpose", "reduction", "normalization",
                                     "stencil", "scan", "histogram", "convolution", "matmul"});

/// More than a product in an index has factors.
constexpr std::size_t kMostOfOneIndex = 100;

/// One array element that a statement uses.
struct SubscriptedElement {
  std::string array;
  std::vector<Polynomial> indices;
  LoopNames variables;             ///< Of loops, in the indices.
  std::vector<std::string> order;  ///< The same by stride or dimension, where known.
};

/// An assignment with what it reads.
struct Step {
  Assignment assigned;
  LoopNames loops;        ///< Variables of the loops around.
  std::size_t depth = 0;  ///< How many these are.
  SubscriptedElement target;
  LoopNames chosen;  ///< Variables that choose the element or local.
  LoopNames over;    ///< Variables over which it accumulates.
  std::vector<SubscriptedElement> reads;
  LoopNames locals;  ///< Other names that it reads.
  bool multiplies = false;
  bool computes = false;
  bool scatters = false;  ///< The target's index is itself read from an array.
};

class FamilyFinder {
 public:
  explicit FamilyFinder(const StudiedBody& body) : body_(body) {}

  std::string run() {
    collect(nest_of(body_.tokens, body_.function));
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (const Step& step : steps_) {
      const auto family = std::ranges::find(kByWeight, classify(step));
      const auto rank = static_cast<std::size_t>(family - kByWeight.begin());
      best = std::max(best, {step.depth, rank});
    }
    return std::string(kByWeight[best.second]);
  }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < body_.tokens.size() && body_.tokens[i].is(text);
  }

  void collect(const std::vector<NestItem>& items) {
    for (const NestItem& item : items) {
      collect(item.inside);
      if (item.kind != NestItem::Kind::Plain) continue;
      if (auto step = read_step(item)) steps_.push_back(std::move(*step));
    }
  }

  std::optional<Step> read_step(const NestItem& item) {
    const auto assigned = read_assignment(body_.tokens, item.begin, item.end);
    if (!assigned) return std::nullopt;
    Step step;
    step.assigned = *assigned;
    for (const CountingLoop& loop : body_.loops.all())
      if (loop.begin <= item.begin && item.begin < loop.end) step.loops.insert(loop.variable);
    step.depth = step.loops.size();
    if (assigned->is_declared) note_declared(item, step.loops);
    if (assigned->op == item.end) return std::nullopt;
    step.target = element(assigned->name, assigned->op);
    for (std::size_t i = assigned->name + 1; i < assigned->op; ++i)
      step.scatters = step.scatters || is_array(i);
    const auto local = declared_.find(assigned->target);
    step.chosen = local == declared_.end() ? step.target.variables : local->second;
    read_value(assigned->op, item.end, step);
    const bool is_update = !at(assigned->op, "=");
    for (const SubscriptedElement& read : step.reads)
      if (read.array == assigned->target && read.indices == step.target.indices)
        step.over = step.loops;
    if (is_update || step.locals.contains(assigned->target)) step.over = step.loops;
    for (const std::string& name : step.chosen) step.over.erase(name);
    note_sum(step);
    return step;
  }

  /// All names of a declaration such as `float s = 0, t = 0`.
  void note_declared(const NestItem& item, const LoopNames& loops) {
    for (std::size_t i = item.begin + 1; i < item.end; ++i) {
      if (at(i, "(") || at(i, "[") || at(i, "{")) i = lex::find_closing(body_.tokens, i);
      const bool ends = i + 1 >= item.end || at(i + 1, "=") || at(i + 1, ",") || at(i + 1, "[");
      if (i < item.end && body_.tokens[i].kind == lex::Token::Kind::Word && ends &&
          (body_.tokens[i - 1].kind == lex::Token::Kind::Word || at(i - 1, ",") || at(i - 1, "*")))
        declared_[std::string(body_.tokens[i].text)] = loops;
    }
  }

  void read_value(std::size_t op, std::size_t end, Step& step) const {
    step.multiplies = false;
    for (std::size_t i = op; i < end; ++i) {
      const lex::Token& token = body_.tokens[i];
      if (i > op && token.is("*")) step.multiplies = true;
      const bool is_call = token.kind == lex::Token::Kind::Word && at(i + 1, "(");
      step.computes = step.computes || is_call || token.is("*") || token.is("+") || token.is("-") ||
                      token.is("/") || (i == op && !token.is("="));
      if (token.kind != lex::Token::Kind::Word) continue;
      if (!is_array(i)) {
        step.locals.insert(std::string(token.text));
        continue;
      }
      std::size_t last = i + 1;
      while (at(last, "[")) last = lex::find_closing(body_.tokens, last) + 1;
      step.reads.push_back(element(i, last));
      i = last - 1;
    }
  }

  bool is_array(std::size_t i) const {
    return body_.tokens[i].kind == lex::Token::Kind::Word && at(i + 1, "[");
  }

  SubscriptedElement element(std::size_t name, std::size_t end) const {
    SubscriptedElement found{std::string(body_.tokens[name].text), {}, {}, {}};
    std::vector<std::pair<std::size_t, std::string>> strides;
    for (std::size_t i = name + 1; i < end && at(i, "[");) {
      const std::size_t close = lex::find_closing(body_.tokens, i);
      for (std::size_t k = i + 1; k < close; ++k)
        note_variable(std::string(body_.tokens[k].text), name, found.variables);
      if (const auto index = body_.reader.whole(i + 1, close)) {
        for (const auto& [monomial, factor] : *index)
          for (const std::string& factor_name : monomial) {
            note_variable(factor_name, name, found.variables);
            if (body_.loops.of(factor_name, name) != nullptr)
              strides.emplace_back((found.indices.size() + 1) * kMostOfOneIndex - monomial.size(),
                                   factor_name);
          }
        found.indices.push_back(*index);
      }
      i = close + 1;
    }
    std::ranges::stable_sort(strides, {}, &std::pair<std::size_t, std::string>::first);
    for (auto& [key, variable] : strides) found.order.push_back(std::move(variable));
    return found;
  }

  void note_variable(const std::string& name, std::size_t token, LoopNames& variables) const {
    if (body_.loops.of(name, token) != nullptr) variables.insert(name);
  }

  /// Remembers names that hold sums, and locals that are made of such.
  void note_sum(const Step& step) {
    bool is_made_of_sums = false;
    for (const std::string& name : step.locals)
      is_made_of_sums = is_made_of_sums || sums_.contains(name);
    const bool is_local = declared_.contains(step.assigned.target);
    if (step.over.empty() && (!is_local || !is_made_of_sums)) return;
    SumOf& sum = sums_[step.assigned.target];
    sum.chosen = step.chosen;
    for (const std::string& name : step.over)
      if (const CountingLoop* loop = body_.loops.of(name, step.assigned.name))
        sum.loops.insert(loop->begin);
  }

  // --- classification ---

  std::string_view classify(const Step& step) const {
    if (step.scatters) return "histogram";
    if (!step.over.empty()) return is_stepped(step) ? "stencil" : classify_sum(step);
    if (is_scan(step)) return "scan";
    if (has_neighbours(step)) return "stencil";
    if (is_normalization(step)) return "normalization";
    if (!step.computes && step.reads.size() == 1 && is_permuted(step)) return "transpose";
    return "elementwise";
  }

  /// Whether neighbours replace an element again and again, in a loop that chooses none of them.
  bool is_stepped(const Step& step) const {
    const auto is_chosen = [&](const SubscriptedElement& read) {
      return std::ranges::any_of(
          step.over, [&](const std::string& name) { return read.variables.contains(name); });
    };
    return std::ranges::none_of(step.reads, is_chosen) && has_neighbours(step);
  }

  std::string_view classify_sum(const Step& step) const {
    std::vector<const SubscriptedElement*> factors;
    for (const SubscriptedElement& read : step.reads) {
      if (read.array == step.assigned.target) continue;
      const bool is_summed = std::ranges::any_of(
          step.over, [&](const std::string& name) { return read.variables.contains(name); });
      if (is_summed) factors.push_back(&read);
    }
    if (!step.multiplies || factors.size() < 2) return "reduction";
    for (const SubscriptedElement* factor : factors)
      for (const Polynomial& index : factor->indices)
        if (mixes(index, step)) return "convolution";
    const auto has_own = [&](const SubscriptedElement* a, const SubscriptedElement* b) {
      return std::ranges::any_of(step.chosen, [&](const std::string& name) {
        return a->variables.contains(name) && !b->variables.contains(name);
      });
    };
    for (const SubscriptedElement* a : factors)
      for (const SubscriptedElement* b : factors)
        if (has_own(a, b) && has_own(b, a)) return "matmul";
    return "reduction";
  }

  /// Whether an output's variable and a summed one move along the same dimension, as in `i + k`.
  static bool mixes(const Polynomial& index, const Step& step) {
    std::map<std::vector<std::string>, std::pair<bool, bool>> by_stride;
    for (const auto& [monomial, factor] : index)
      for (const std::string& name : monomial) {
        std::vector<std::string> stride = monomial;
        std::erase(stride, name);
        auto& [is_chosen, is_summed] = by_stride[stride];
        is_chosen = is_chosen || step.chosen.contains(name);
        is_summed = is_summed || step.over.contains(name);
      }
    return std::ranges::any_of(
        by_stride, [](const auto& entry) { return entry.second.first && entry.second.second; });
  }

  /// Whether each turn of a loop stores the sum so far, or adds to what the turn before stored.
  bool is_scan(const Step& step) const {
    if (step.target.variables.empty()) return false;
    for (const std::string& name : step.locals) {
      const auto sum = sums_.find(name);
      if (sum == sums_.end()) continue;
      for (const std::string& variable : step.target.variables)
        if (const CountingLoop* loop = body_.loops.of(variable, step.assigned.name);
            loop != nullptr && sum->second.loops.contains(loop->begin))
          return true;
    }
    if (is_carried(step)) return true;
    bool is_before = false, is_after = false;
    for (const SubscriptedElement& read : step.reads) {
      if (read.array != step.assigned.target) continue;
      const std::int64_t offset = offset_between(step.target, read);
      is_before = is_before || offset < 0;
      is_after = is_after || offset > 0;
    }
    return is_before && !is_after;
  }

  /// Whether a local takes the element that is stored to the loop's next turn.
  bool is_carried(const Step& step) const {
    return std::ranges::any_of(steps_, [&](const Step& next) {
      // A declaration without values, as `double a, b`, is not known; it stands before the loops.
      const auto declared = declared_.find(next.assigned.target);
      const bool is_outside = declared != declared_.end()
                                  ? declared->second != step.loops
                                  : body_.function.find(next.assigned.target) == nullptr;
      return is_outside && step.locals.contains(next.assigned.target) && next.loops == step.loops &&
             next.assigned.name > step.assigned.name &&
             std::ranges::any_of(next.reads, [&](const SubscriptedElement& read) {
               return read.array == step.target.array && read.indices == step.target.indices;
             });
    });
  }

  /// How far, in the first index that differs by a number, `read` lies from the target.
  std::int64_t offset_between(const SubscriptedElement& target,
                              const SubscriptedElement& read) const {
    for (std::size_t i = 0; i < std::min(target.indices.size(), read.indices.size()); ++i) {
      Polynomial difference = read.indices[i];
      for (const auto& [monomial, factor] : target.indices[i]) difference[monomial] -= factor;
      std::erase_if(difference, [](const auto& term) { return term.second == 0; });
      if (difference.size() == 1) return difference.begin()->second;
    }
    return 0;
  }

  /// Whether an array is read at two places that lie a fixed distance apart.
  bool has_neighbours(const Step& step) const {
    for (const SubscriptedElement& a : step.reads)
      for (const SubscriptedElement& b : step.reads)
        if (a.array == b.array && !a.variables.empty() && offset_between(a, b) != 0) return true;
    return false;
  }

  /// Whether the elements of a row are computed from a sum over the row.
  bool is_normalization(const Step& step) const {
    LoopNames names = step.locals;
    for (const SubscriptedElement& read : step.reads)
      if (read.array != step.assigned.target) names.insert(read.array);
    for (const std::string& name : names) {
      const auto sum = sums_.find(name);
      if (sum == sums_.end() || step.target.variables.size() <= sum->second.chosen.size()) continue;
      if (std::ranges::includes(step.target.variables, sum->second.chosen)) return true;
    }
    return false;
  }

  static bool is_permuted(const Step& step) {
    const auto& from = step.reads.front().order;
    const auto& to = step.target.order;
    return from.size() > 1 && from != to && std::ranges::is_permutation(from, to);
  }

  struct SumOf {
    LoopNames chosen;
    std::set<std::size_t> loops;  ///< First tokens of the loops over which it is summed.
  };

  const StudiedBody& body_;
  std::vector<Step> steps_;
  std::map<std::string, LoopNames> declared_;  ///< Locals, with the loops around their declaration.
  std::map<std::string, SumOf> sums_;
};

}  // namespace

std::string family_of(const StudiedBody& body) { return FamilyFinder(body).run(); }

}  // namespace kw::task

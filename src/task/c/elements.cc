// Looks at indices and heads of loops that hold elements of arrays.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/elements.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "base/expr.h"
#include "task/c/flags.h"
#include "task/c/loops.h"
#include "task/c/polynomial.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

constexpr std::int64_t kUsualRow = 8;  // elements, where nothing says how many there are
constexpr std::int64_t kValuesOfByte = 256;

bool is_at(const Tokens& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].is(text);
}

bool is_in_body(const CFunction& function, const Tokens& tokens, std::string_view name) {
  for (std::size_t i = function.open; i < function.close; ++i)
    if (is_at(tokens, i, name) && !is_at(tokens, i - 1, ".") && !is_at(tokens, i - 1, "->"))
      return true;
  return false;
}

bool is_integer_scalar(const CParameter& parameter) {
  return !parameter.is_pointer && !is_real(parameter.dtype);
}

std::optional<Polynomial> polynomial_of(const std::string& size) {
  const auto tokens = lex::tokenize(size);
  return IndexReader(tokens).whole(0, tokens.size());
}

/// Whether a size of an array depends on the parameter.
bool is_size(const BodyFacts& facts, const std::string& name) {
  const auto is_used = [&](const std::string& size) {
    const auto expr = Expr::parse(size);
    return expr && contains(expr->names(), name);
  };
  for (const auto& [array, access] : facts.accesses)
    if (std::ranges::any_of(access.shape, is_used) || is_used(access.row)) return true;
  return std::ranges::any_of(facts.elements, [&](const auto& element) {
    return is_used(to_expression(element.second.size));
  });
}

class ElementSearch {
 public:
  ElementSearch(const CFunction& function, const Tokens& tokens, const IndexReader& reader,
                const std::map<std::string, Access>& accesses)
      : function_(function), tokens_(tokens), reader_(reader), accesses_(accesses) {
    for (const CParameter& parameter : function.parameters)
      if (is_integer_scalar(parameter) && !is_in_body(function, tokens, parameter.name))
        unused_.push_back(parameter.name);
  }

  ElementBounds run() {
    find_loops();
    find_searches();
    for (const CParameter& parameter : function_.parameters)
      if (parameter.is_pointer) find_indices(parameter);
    return std::move(found_);
  }

 private:
  /// The array whose element the polynomial is, apart from a number; empty: it is something else.
  static std::string element_in(const Polynomial& polynomial) {
    std::string name;
    for (const auto& [monomial, factor] : polynomial) {
      if (monomial.empty()) continue;
      if (monomial.size() != 1 || !monomial.front().ends_with("[]") || !name.empty()) return {};
      name = monomial.front().substr(0, monomial.front().size() - 2);
    }
    return name;
  }

  void find_loops() {
    IndexReader reader = reader_;
    const Loops loops(function_, tokens_, reader);
    for (const CountingLoop& loop : loops.all()) {
      const std::string first = element_in(loop.first), bound = element_in(loop.bound);
      if (bound.empty() || found_.contains(bound)) continue;
      const bool is_offsets = first == bound;
      ElementBound element;
      element.use = is_offsets ? ElementUse::Offsets : ElementUse::Turns;
      element.token = loop.begin;
      const auto own = own_size(bound);
      const std::string row = is_offsets ? std::string() : row_of_turns(loop);
      if (!row.empty()) {
        element.size = {{{row}, 1}};
      } else if (const std::string name = take_unused(is_offsets); !name.empty()) {
        element.size = {{{name}, 1}};
      } else if (own) {
        element.is_guess = true;
        const auto rows = is_offsets ? add(*own, {{{}, 1}}, -1) : own;
        element.size =
            rows ? multiply(*rows, {{{}, is_offsets ? kUsualRow : 1}}).value_or(*own) : *own;
      } else {
        continue;
      }
      std::erase_if(element.size, [](const auto& term) { return term.second == 0; });
      found_[bound] = std::move(element);
    }
  }

  /// Finds the middles of binary searches: `mid = (lo + hi) / 2` or `lo + (hi - lo) / 2`.
  void find_searches() {
    for (std::size_t i = function_.open + 1; i + 2 < function_.close; ++i) {
      if (!is_at(tokens_, i + 1, "=") || tokens_[i].kind != lex::Token::Kind::Word) continue;
      std::size_t end = i + 2;
      while (end < function_.close && !is_at(tokens_, end, ";") && !is_at(tokens_, end, ",")) ++end;
      const bool is_halved = (is_at(tokens_, end - 1, "2") && is_at(tokens_, end - 2, "/")) ||
                             (is_at(tokens_, end - 1, "1") && is_at(tokens_, end - 2, ">>"));
      if (!is_halved) continue;
      const std::string middle(tokens_[i].text);
      for (std::size_t k = i + 2; k < end; ++k)
        if (const auto size = initial_size(tokens_[k].text); size && !size->empty())
          note_search(middle, *size);
    }
  }

  /// What a local variable of a search is first set to, as a number of elements: a last index
  /// counts as one less.
  std::optional<Polynomial> initial_size(std::string_view local) const {
    if (function_.find(local) != nullptr) return std::nullopt;
    for (std::size_t i = function_.open + 1; i + 2 < function_.close; ++i) {
      if (!is_at(tokens_, i, local) || !is_at(tokens_, i + 1, "=")) continue;
      std::size_t end = i + 2;
      while (end < function_.close && !is_at(tokens_, end, ";") && !is_at(tokens_, end, ",")) ++end;
      const auto value = reader_.whole(i + 2, end);
      if (!value) return std::nullopt;
      const auto last = value->find({});
      return last != value->end() && last->second == -1 ? add(*value, {{{}, 1}}, 1) : value;
    }
    return std::nullopt;
  }

  void note_search(const std::string& middle, Polynomial size) {
    std::erase_if(size, [](const auto& term) { return term.second == 0; });
    for (std::size_t i = function_.open + 3; i < function_.close; ++i) {
      if (!is_at(tokens_, i, middle) || !is_at(tokens_, i - 1, "[")) continue;
      const CParameter* parameter = function_.find(tokens_[i - 2].text);
      if (parameter == nullptr || !parameter->is_pointer) continue;
      found_[middle] = {ElementUse::Search, std::move(size), parameter->name, i, false, false};
      return;
    }
  }

  /// The length of the rows along which the loop's variable runs, as `m` in a[i * m + k]; empty:
  /// there are none.
  std::string row_of_turns(const CountingLoop& loop) const {
    for (std::size_t i = loop.begin; i < loop.end; ++i) {
      if (!is_at(tokens_, i, "[")) continue;
      const auto index = reader_.whole(i + 1, lex::find_closing(tokens_, i));
      if (!index || !index->contains({loop.variable})) continue;
      for (const auto& [monomial, factor] : *index)
        for (const std::string& name : monomial)
          if (const CParameter* parameter = function_.find(name);
              monomial.size() > 1 && parameter != nullptr && is_integer_scalar(*parameter))
            return name;
    }
    return {};
  }

  void find_indices(const CParameter& parameter) {
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!is_at(tokens_, i, parameter.name) || is_at(tokens_, i - 1, ".") ||
          is_at(tokens_, i - 1, "->"))
        continue;
      std::vector<std::optional<Polynomial>> indices;
      std::size_t end = i + 1;
      while (is_at(tokens_, end, "[") && lex::find_closing(tokens_, end) < function_.close) {
        const std::size_t close = lex::find_closing(tokens_, end);
        indices.push_back(reader_.whole(end + 1, close));
        end = close + 1;
      }
      for (std::size_t dimension = 0; dimension < indices.size(); ++dimension)
        if (indices[dimension])
          note_index(parameter, *indices[dimension], i, dimension, is_at(tokens_, end, "="));
    }
  }

  void note_index(const CParameter& parameter, const Polynomial& index, std::size_t token,
                  std::size_t dimension, bool is_set) {
    for (const auto& [monomial, factor] : index)
      for (const std::string& name : monomial) {
        if (!name.ends_with("[]")) continue;
        const std::string array = name.substr(0, name.size() - 2);
        const auto known = found_.find(array);
        if (known != found_.end() && known->second.use != ElementUse::Index) continue;
        if (known != found_.end()) {
          known->second.is_set = known->second.is_set || is_set;
          continue;
        }
        ElementBound element;
        element.token = token;
        element.of = parameter.name;
        element.is_set = is_set;
        if (size_of_index(parameter, monomial.size() > 1, array, dimension, element))
          found_[array] = std::move(element);
      }
  }

  bool size_of_index(const CParameter& parameter, bool has_stride, const std::string& array,
                     std::size_t dimension, ElementBound& element) {
    const auto access = accesses_.find(parameter.name);
    if (access != accesses_.end() && !access->second.shape.empty()) {
      const auto& shape = access->second.shape;
      const bool is_flat = parameter.bounds.size() < 2;
      const std::string& size = !is_flat && dimension < shape.size() ? shape[dimension]
                                : has_stride                         ? shape.front()
                                                                     : shape.back();
      if (const auto known = polynomial_of(size)) {
        element.size = *known;
        return true;
      }
    }
    std::string name = compared_with(array);
    if (const auto taken = taken_.find(parameter.name); name.empty() && taken != taken_.end())
      name = taken->second;
    if (name.empty()) name = take_unused(false);
    if (!name.empty()) {
      taken_[parameter.name] = name;
      element.size = {{{name}, 1}};
      return true;
    }
    element.is_guess = true;
    if (function_.find(array)->dtype == Dtype::U8)
      element.size = {{{}, kValuesOfByte}};
    else if (!taken_.empty())
      element.size = {{{taken_.begin()->second}, 1}};
    else if (const auto own = own_size(array))
      element.size = *own;
    else
      element.size = first_integer();
    return !element.size.empty();
  }

  /// The integer parameter with which the code compares elements of the array; empty: none.
  std::string compared_with(const std::string& array) const {
    for (std::size_t i = function_.open; i < function_.close; ++i) {
      if (!is_at(tokens_, i, array) || !is_at(tokens_, i + 1, "[")) continue;
      const std::size_t after = lex::find_closing(tokens_, i + 1) + 1;
      if (after + 1 >= tokens_.size()) continue;
      if (!is_at(tokens_, after, "<") && !is_at(tokens_, after, ">=")) continue;
      const CParameter* parameter = function_.find(tokens_[after + 1].text);
      if (parameter != nullptr && is_integer_scalar(*parameter)) return parameter->name;
    }
    return {};
  }

  Polynomial first_integer() const {
    const auto found = std::ranges::find_if(function_.parameters, is_integer_scalar);
    return found == function_.parameters.end() ? Polynomial{} : Polynomial{{{found->name}, 1}};
  }

  /// The first size of the array itself.
  std::optional<Polynomial> own_size(const std::string& array) const {
    const auto access = accesses_.find(array);
    if (access == accesses_.end() || access->second.shape.empty()) return std::nullopt;
    return polynomial_of(access->second.shape.front());
  }

  /// Takes a parameter that the body does not use, as those are sizes of what only elements reach;
  /// by their names those of stored elements are told from others.
  std::string take_unused(bool is_stored) {
    static constexpr auto kWords =
        std::to_array<std::string_view>({"nz", "nonzero", "edge", "entr", "stored", "total"});
    const auto is_like = [&](const std::string& name) {
      return std::ranges::any_of(kWords, [&](auto word) { return name.contains(word); });
    };
    const auto found = std::ranges::find_if(
        unused_, [&](const std::string& name) { return is_like(name) == is_stored; });
    const auto taken = found != unused_.end() ? found : unused_.begin();
    if (taken == unused_.end()) return {};
    std::string name = *taken;
    unused_.erase(taken);
    return name;
  }

  const CFunction& function_;
  const Tokens& tokens_;
  const IndexReader& reader_;
  const std::map<std::string, Access>& accesses_;
  std::vector<std::string> unused_;           ///< Integer parameters that the body does not use.
  std::map<std::string, std::string> taken_;  ///< The one that became an array's size.
  ElementBounds found_;
};

}  // namespace

ElementBounds element_bounds(const CFunction& function, const Tokens& tokens,
                             const IndexReader& reader,
                             const std::map<std::string, Access>& accesses) {
  return ElementSearch(function, tokens, reader, accesses).run();
}

std::set<std::string> integer_arrays(const CFunction& function) {
  std::set<std::string> names;
  for (const CParameter& parameter : function.parameters)
    if (parameter.is_pointer && is_integer(parameter.dtype)) names.insert(parameter.name);
  return names;
}

std::set<std::string> calculated_scalars(const CFunction& function, const Tokens& tokens,
                                         const BodyFacts& facts) {
  // Names that decide where or how often something happens: those in indices and in heads of loops,
  // those of conditions without elements, and those from which such names are assigned.
  std::set<std::string> structural;
  const auto note = [&](std::size_t begin, std::size_t end) {
    const std::size_t before = structural.size();
    for (std::size_t i = begin; i < end && i < function.close; ++i)
      if (tokens[i].kind == lex::Token::Kind::Word) structural.emplace(tokens[i].text);
    return structural.size() > before;
  };
  for (std::size_t i = function.open; i < function.close; ++i) {
    const bool is_head =
        is_at(tokens, i + 1, "(") && (is_at(tokens, i, "for") || is_at(tokens, i, "while"));
    const bool is_condition = is_at(tokens, i, "if") && is_at(tokens, i + 1, "(");
    if (is_at(tokens, i, "[")) note(i + 1, lex::find_closing(tokens, i));
    if (!is_head && !is_condition) continue;
    const std::size_t close = lex::find_closing(tokens, i + 1);
    bool has_elements = false;
    for (std::size_t k = i + 2; k < close && is_condition; ++k)
      has_elements = has_elements || is_at(tokens, k, "[");
    if (!has_elements) note(i + 2, close);
  }
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (std::size_t i = function.open + 1; i < function.close; ++i) {
      const bool is_assigned = is_assignment(tokens, i) && !is_at(tokens, i, "++") &&
                               !is_at(tokens, i, "--") &&
                               structural.contains(std::string(tokens[i - 1].text));
      if (!is_assigned) continue;
      std::size_t end = i + 1;
      while (end < function.close && !is_at(tokens, end, ";") && !is_at(tokens, end, ",")) ++end;
      is_more = note(i + 1, end) || is_more;
    }
  }
  std::set<std::string> names;
  bool is_any_size = false;
  const auto flags = flags_of(function, tokens);
  for (const CParameter& parameter : function.parameters) {
    if (!is_integer_scalar(parameter)) continue;
    const bool is_number =
        !flags.contains(parameter.name) && !structural.contains(parameter.name) &&
        is_in_body(function, tokens, parameter.name) && !is_size(facts, parameter.name);
    if (is_number) names.insert(parameter.name);
    is_any_size = is_any_size || !is_number;
  }
  return is_any_size ? names : std::set<std::string>();
}

}  // namespace kw::task

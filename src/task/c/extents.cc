// Turns flat and multiple indices into sizes that cover them.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/extents.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/foreign_text.h"
#include "base/text.h"
#include "task/c/polynomial.h"

namespace kw::task {
namespace {

const Polynomial kOne = {{{}, 1}};

std::optional<Polynomial> next(const Polynomial& last) { return add(last, kOne, 1); }

/// The number that the polynomial is; nothing where it holds names.
std::optional<std::int64_t> constant_of(const Polynomial& polynomial) {
  if (polynomial.empty()) return 0;
  if (polynomial.size() == 1 && polynomial.begin()->first.empty())
    return polynomial.begin()->second;
  return std::nullopt;
}

/// Adds a size of which the largest counts.
void grow(std::vector<Polynomial>& size, const Polynomial& other) {
  for (const Polynomial& known : size)
    if (is_at_most(other, known)) return;
  std::erase_if(size, [&](const Polynomial& known) { return is_at_most(known, other); });
  size.push_back(other);
}

std::string text_of(const std::vector<Polynomial>& size) {
  std::vector<std::string> texts;
  for (const Polynomial& one : size) texts.push_back(to_expression(one));
  return texts.size() == 1 ? texts.front() : fmt::format("max({})", join(texts, ", "));
}

}  // namespace

void Extents::add_use(const IndexedUse& use) {
  if (use.indices.empty()) {
    merge({{kOne}});
    if (use.is_set && use.is_sure) written_.push_back({kOne});
  } else if (use.indices.size() > 1) {
    add_dimensions(use);
  } else if (const auto index = reader_.whole(use.indices[0].first, use.indices[0].second)) {
    add_flat(*index, use);
  } else {
    is_unknown_ = true;
  }
}

/// The dimensions of a flat index such as `i * n * m + j * m + k`, outermost first: each variable
/// of a loop has a stride, and what stands beside them moves along the dimension whose stride
/// divides it. Empty where the index has another form.
std::vector<Extents::Axis> Extents::axes_of(const Polynomial& index, std::size_t token) const {
  std::vector<Axis> axes;
  Polynomial rest;
  for (const auto& [monomial, factor] : index) {
    std::string variable;
    Monomial stride;
    for (const std::string& name : monomial) {
      if (loops_.of(name, token) == nullptr)
        stride.push_back(name);
      else if (variable.empty())
        variable = name;
      else
        return {};
    }
    if (variable.empty()) {
      rest[monomial] = factor;
      continue;
    }
    if (factor != 1 && factor != -1) return {};
    auto axis = std::ranges::find(axes, stride, &Axis::stride);
    if (axis == axes.end()) axis = axes.insert(axes.end(), {stride, {}});
    axis->index[{variable}] = factor;
  }
  if (axes.empty()) axes.push_back({});
  std::ranges::sort(axes,
                    [](const Axis& a, const Axis& b) { return a.stride.size() > b.stride.size(); });
  if (!axes.back().stride.empty()) return {};
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    const auto size = divide(axes[i].stride, axes[i + 1].stride);
    if (!size || size->empty()) return {};
  }
  for (const auto& [monomial, factor] : rest)
    for (Axis& axis : axes)
      if (const auto quotient = divide(monomial, axis.stride)) {
        axis.index[*quotient] += factor;
        break;
      }
  keep_in_rows(axes, token);
  return axes;
}

/// Rows that run backwards, such as `i * n + n - 1 - j`, have their length among what moves along
/// the dimension outside of them, where it counts as a row more, and indices below 0: the length is
/// theirs where that puts all of their indices into one row.
void Extents::keep_in_rows(std::vector<Axis>& axes, std::size_t token) const {
  for (std::size_t i = axes.size(); i-- > 1;) {
    const auto length = divide(axes[i - 1].stride, axes[i].stride);
    const auto least = bounds_.least(axes[i].index, token);
    if (!length || !least || !is_at_most(least->value, {{{}, -1}})) continue;
    const auto inside = add(axes[i].index, {{*length, 1}}, 1);
    const auto outside = add(axes[i - 1].index, kOne, -1);
    const auto first = inside ? bounds_.least(*inside, token) : std::nullopt;
    const auto last = inside ? bounds_.most(*inside, token) : std::nullopt;
    const auto end = last ? next(last->value) : std::nullopt;
    if (!outside || !first || !end || !is_at_most({}, first->value) ||
        !is_at_most(*end, {{*length, 1}}))
      continue;
    axes[i].index = *inside;
    axes[i - 1].index = *outside;
    for (Axis* axis : {&axes[i], &axes[i - 1]})
      std::erase_if(axis->index, [](const auto& term) { return term.second == 0; });
  }
}

void Extents::add_flat(const Polynomial& index, const IndexedUse& use) {
  note_below(index, use, code(use));
  const auto last = bounds_.most(index, use.token);
  if (last && parameter_.bounds.size() == 1) check_declared(use, 0, *last);
  const auto axes = axes_of(index, use.token);
  if (!axes.empty() && add_shape(axes, use)) return;
  const auto end = last ? next(last->value) : std::nullopt;
  if (end)
    ends_.push_back(*end);
  else
    is_unknown_ = true;
}

/// Sizes are quotients of strides, and the outermost one is what its index reaches. False where an
/// index leaves its row in a way that no number of rows covers for certain.
bool Extents::add_shape(const std::vector<Axis>& axes, const IndexedUse& use) {
  std::vector<Polynomial> inner;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i)
    inner.push_back({{*divide(axes[i].stride, axes[i + 1].stride), 1}});
  const auto first = bounds_.most(axes[0].index, use.token);
  auto rows = first ? next(first->value) : std::nullopt;
  if (!rows) return false;
  std::optional<Polynomial> row;
  bool has_row = false;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const auto last = bounds_.most(axes[i + 1].index, use.token);
    const auto end = last ? next(last->value) : std::nullopt;
    if (!end) return false;
    if (i + 1 == inner.size()) row = *end;
    if (is_at_most(*end, inner[i])) continue;
    if (is_at_most(inner[i], *end)) {
      const auto excess = add(*end, inner[i], -1);
      const auto count = excess ? constant_of(*excess) : std::nullopt;
      if (!count) return false;
      // A row has at least one element, so that as many rows cover what lies beyond the last.
      rows = add(std::move(*rows), {{{}, *count}}, 1);
      if (!rows) return false;
      doubt_ =
          fmt::format("{} reaches past the end of a row, so rows were added at the end", code(use));
    } else if (i + 1 == inner.size()) {
      has_row = true;  // The distance between rows is no loop's bound, so it is not their length.
    } else {
      return false;
    }
  }
  for (const Axis& axis : axes) note_neighbours(axis.index, use.token);
  note_written(axes, inner, use);
  std::vector<Size> shape = {{*rows}};
  for (const Polynomial& size : inner) shape.push_back({size});
  const bool is_like_others =
      shape_.size() == shape.size() &&
      std::equal(shape.begin() + 1, shape.end(), shape_.begin() + 1, shape_.end());
  if (shape.size() > shape_.size()) row_.clear(), has_row_ = false;
  if (row && (shape.size() > shape_.size() || is_like_others)) {
    grow(row_, *row);
    has_row_ = has_row_ || has_row;
  }
  if (shape.size() > 1 && !is_like_others) {
    std::optional<Polynomial> total = *rows;
    for (const Polynomial& size : inner) total = total ? multiply(*total, size) : std::nullopt;
    if (!total) return false;
    ends_.push_back(std::move(*total));
  }
  if (shape.size() == 1) ends_.push_back(*rows);
  merge(std::move(shape));
  return true;
}

/// Remembers sizes that the statement writes whole: its loops take every value, whatever conditions
/// say, because the other branch writes too where the use is sure.
void Extents::note_written(const std::vector<Axis>& axes, const std::vector<Polynomial>& inner,
                           const IndexedUse& use) {
  if (!use.is_set) return;
  bool starts_at_zero = true;
  for (const Axis& axis : axes) {
    for (const auto& [monomial, factor] : axis.index)
      for (const std::string& name : monomial)
        if (const CountingLoop* loop = loops_.of(name, use.token);
            loop != nullptr && !loop->covers_from_zero())
          is_partial_ = true;
    const auto least = bounds_.least(axis.index, use.token, false);
    starts_at_zero = starts_at_zero && least && least->value.empty();
  }
  const auto last = bounds_.most(axes[0].index, use.token, false);
  const auto rows = last ? next(last->value) : std::nullopt;
  if (!use.is_sure || !starts_at_zero || !rows) return;
  written_.push_back({*rows});
  written_.back().insert(written_.back().end(), inner.begin(), inner.end());
}

void Extents::add_dimensions(const IndexedUse& use) {
  std::vector<Size> shape;
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < use.indices.size(); ++d) {
    const auto index = reader_.whole(use.indices[d].first, use.indices[d].second);
    const auto last = index ? bounds_.most(*index, use.token) : std::nullopt;
    const auto end = last ? next(last->value) : std::nullopt;
    if (!end) {
      is_unknown_ = true;
      return;
    }
    note_below(*index, use, code(use));
    note_neighbours(*index, use.token);
    check_declared(use, d, *last);
    shape.push_back({*end});
    axes.push_back({{}, *index});
  }
  std::vector<Polynomial> inner;
  for (std::size_t d = 1; d < shape.size(); ++d) inner.push_back(shape[d].front());
  note_written(axes, inner, use);
  merge(std::move(shape));
}

/// Refuses an index that passes a size which the parameter's type declares.
void Extents::check_declared(const IndexedUse& use, std::size_t dimension, const Limit& last) {
  if (dimension >= parameter_.bounds.size() || parameter_.bounds[dimension].empty()) return;
  const auto tokens = lex::tokenize(parameter_.bounds[dimension]);
  auto size = IndexReader(tokens).whole(0, tokens.size());
  for (const lex::Token& token : tokens)
    if (const Polynomial* value = reader_.value_of(token.text); value != nullptr && size)
      size = replace(*size, std::string(token.text), *value);
  if (!size || !is_at_most(*size, last.value)) return;
  const std::string words = fmt::format("{} reaches index {} of a dimension of {}", code(use),
                                        to_expression(last.value), to_expression(*size));
  if (last.is_reached)
    problems_.push_back(
        {use.token, words,
         fmt::format("index {} of {}", to_expression(last.value), to_expression(*size))});
  else
    doubt_ = words + " unless a condition keeps it off";
}

/// Refuses an index below 0.
void Extents::note_below(const Polynomial& index, const IndexedUse& use, const std::string& words) {
  const auto least = bounds_.least(index, use.token);
  if (!least || !is_at_most(least->value, {{{}, -1}})) return;
  const std::string text = fmt::format("{} reaches index {}, which lies before the first element",
                                       words, to_expression(least->value));
  if (least->is_reached)
    problems_.push_back({use.token, text, "index " + to_expression(least->value)});
  else
    doubt_ = text + " unless a condition keeps it off";
}

/// Neighbours differ from a loop's variable by a number, or by another loop's variable.
void Extents::note_neighbours(const Polynomial& index, std::size_t token) {
  int variables = 0;
  bool is_reversed = false;
  for (const auto& [monomial, factor] : index)
    if (monomial.size() == 1 && loops_.of(monomial.front(), token) != nullptr) {
      ++variables;
      is_reversed = is_reversed || factor < 0;
    }
  const auto offset = index.find({});
  has_offsets_ = has_offsets_ || variables > 1 ||
                 (variables == 1 && !is_reversed && offset != index.end() && offset->second != 0);
}

std::string Extents::code(const IndexedUse& use) const {
  std::string text = parameter_.name;
  for (const auto& [begin, end] : use.indices)
    text += "[" + lex::source_text(tokens_, begin, end) + "]";
  return sanitise_line(use.indices.empty() ? "*" + text : text, 80);
}

void Extents::merge(std::vector<Size> shape) {
  if (shape.size() > shape_.size()) {
    shape_ = std::move(shape);
    return;
  }
  const bool is_declared = parameter_.bounds.size() > 1;
  const bool is_like =
      shape.size() == shape_.size() &&
      (is_declared || std::equal(shape.begin() + 1, shape.end(), shape_.begin() + 1, shape_.end()));
  if (!is_like) return;
  for (std::size_t i = 0; i < shape.size(); ++i)
    for (const Polynomial& size : shape[i]) grow(shape_[i], size);
}

/// Makes the array one-dimensional where a use of another form may reach further than its rows.
void Extents::cover_rest() {
  if (parameter_.bounds.size() > 1) return;
  if (shape_.empty() && !ends_.empty()) shape_ = {{}};
  std::vector<Polynomial> totals = shape_.empty() ? Size{} : shape_.front();
  for (std::size_t i = 1; i < shape_.size(); ++i)
    for (Polynomial& total : totals) {
      auto product = multiply(total, shape_[i].front());
      if (!product) return;
      total = std::move(*product);
    }
  const std::size_t before = totals.size();
  bool is_covered = true;
  for (const Polynomial& end : ends_) {
    const bool is_inside = std::ranges::any_of(
        totals, [&](const Polynomial& total) { return is_at_most(end, total); });
    is_covered = is_covered && is_inside;
    if (!is_inside) grow(totals, end);
  }
  if (is_covered) return;
  if (shape_.size() > 1 && before > 0)
    doubt_ = "some of its uses are no rows of the others, so it is one row that holds them all";
  shape_ = {totals};
  has_row_ = false;
}

/// Loops up to n - 1 leave out a border of an array of n.
void Extents::add_border(Size& size) {
  for (Polynomial& one : size) {
    const auto constant = one.find(Monomial{});
    if (one.size() != 2 || constant == one.end() || constant->second >= 0) continue;
    const auto& [name, factor] = *one.rbegin();
    if (name.size() == 1 && factor == 1) one.erase(constant);
  }
}

/// Whether one row of elements is as long as all rows of an array together.
bool Extents::is_all(const std::vector<Polynomial>& row,
                     const std::vector<Polynomial>& whole) const {
  if (row.size() != 1 || parameter_.bounds.size() > 1) return false;
  std::optional<Polynomial> rest = kOne;
  for (const Polynomial& size : whole) rest = rest ? multiply(*rest, size) : std::nullopt;
  if (rest) rest = add(std::move(*rest), row.front(), -1);
  return rest && std::ranges::all_of(*rest, [](const auto& term) { return term.second == 0; });
}

void Extents::finish(Access& access) {
  cover_rest();
  if (!shape_.empty()) add_border(shape_.front());
  add_border(row_);
  std::vector<Polynomial> whole;
  for (const Size& size : shape_)
    if (size.size() == 1) whole.push_back(size.front());
  access.is_partial = is_partial_ || shape_.empty() || whole.size() != shape_.size() ||
                      std::ranges::none_of(written_, [&](const std::vector<Polynomial>& size) {
                        return size == whole || is_all(size, whole);
                      });
  access.has_offsets = has_offsets_;
  access.is_unclear = is_unknown_;
  for (const Size& size : shape_) access.shape.push_back(text_of(size));
  if (has_row_) access.row = text_of(row_);
  if (is_unknown_ && doubt_.empty() && !shape_.empty())
    doubt_ = "some of its indices could not be read, so it may have to be larger";
  access.doubt = doubt_;
  for (CodeProblem& problem : problems_) access.problems.push_back(std::move(problem));
}

}  // namespace kw::task

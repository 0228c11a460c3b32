// Chooses values by what a body computes with them.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "base/expr.h"
#include "base/text.h"
#include "task/c/index.h"
#include "task/c/polynomial.h"
#include "task/c/uses.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

/// Whether some token of the body is one of which `is_wanted` says so.
template <class Is>
bool has_token(const CFunction& function, const Tokens& tokens, const Is& is_wanted) {
  for (std::size_t i = function.open; i < function.close && i < tokens.size(); ++i)
    if (is_wanted(tokens[i].text)) return true;
  return false;
}

std::optional<Polynomial> product_of(const SizedElements& tensor) {
  std::optional<Polynomial> product = Polynomial{{{}, tensor.bytes}};
  for (const std::string& size : tensor.shape) {
    const auto tokens = lex::tokenize(size);
    const auto factor = IndexReader(tokens).whole(0, tokens.size());
    product = product && factor ? multiply(*product, *factor) : std::nullopt;
  }
  return product;
}

/// Values as YAML, with the reason, the token that is the reason, and what drafted_promise() says
/// of them.
struct Chosen {
  std::string values;
  std::string why;
  std::size_t token = 0;
  std::string promise;
  bool is_small = false;  ///< Integers that are small for the sake of sums and products alone.
};

std::string integers_text(std::int64_t lo, std::int64_t hi) {
  return fmt::format("kind: integers, lo: {}, hi: {}", lo, hi);
}

std::string whole_numbers(std::int64_t lo, std::int64_t hi) {
  return fmt::format("holds whole numbers from {} to {}", lo, hi);
}

/// The expression, with the largest number of a narrow type as its limit.
std::string bounded(const std::string& expression, Dtype dtype) {
  const std::uint64_t highest = row_of(dtype).highest;
  if (size_of(dtype) >= 4) return expression;
  const auto number = evaluate_text(expression, {});
  if (number && can_hold(dtype, *number)) return expression;
  return fmt::format("min({}, {})", expression, highest);
}

/// Values of integers that are places in other arrays, or numbers of turns.
Chosen of_places(const ElementBound& element, const ValuedTensor& tensor) {
  const std::string size = to_expression(element.size);
  const char* const check = element.is_guess ? "CHECK, the size is a guess: " : "";
  if (element.use == ElementUse::Offsets)
    return {fmt::format("kind: offsets, count: \"{}\"", size),
            fmt::format("{}Row i lies from element i to below element i + 1", check), element.token,
            fmt::format("never decreases, its first element is 0 and its last is `{}`; rows differ "
                        "in length, and some are empty",
                        size)};
  if (element.use == ElementUse::Turns) {
    const std::string last = bounded(size, tensor.parameter.dtype);
    return {fmt::format("kind: integers, lo: 0, hi: \"{}\"", last),
            fmt::format("{}Numbers of turns of a loop", check), element.token,
            fmt::format("holds numbers of turns from 0 to `{}`", last)};
  }
  if (element.is_set && tensor.shape == std::vector<std::string>{size})
    return {"kind: permutation",
            fmt::format("{}Indices of {}, each once, so that no two turns write the same element",
                        check, element.of),
            element.token, fmt::format("holds each index of `{}` once, in any order", element.of)};
  const auto below = add(element.size, {{{}, 1}}, -1);
  const std::string last = bounded(below ? to_expression(*below) : size, tensor.parameter.dtype);
  return {fmt::format("kind: integers, lo: 0, hi: \"{}\"", last),
          fmt::format("{}Indices of {}", check, element.of), element.token,
          fmt::format("holds indices of `{}` from 0 to `{}`, in any order, and some more than once",
                      element.of, last)};
}

/// The bounds of integers that are searched: few enough to be found.
constexpr std::int64_t kSearched = 100;
std::int64_t searched_from(Dtype dtype) {
  return row_of(dtype).numbers == Numbers::Unsigned ? 0 : -kSearched;
}

Chosen of_sorted(const ElementBound& element, Dtype dtype) {
  constexpr int kFar = 3;  // deviations, beyond which few of the numbers lie that are sought
  return {is_real(dtype)
              ? fmt::format("kind: sorted, lo: {}, hi: {}", -kFar, kFar)
              : fmt::format("kind: sorted, lo: {}, hi: {}", searched_from(dtype), kSearched),
          "A binary search needs sorted numbers", element.token,
          "never decreases along its last dimension, and some neighbours are equal"};
}

constexpr const char* kNoise = "kind: normal, mean: 0, std: 1";
// Small enough that the products which such code runs up stay near 1 for some thousand factors:
// where they are 1 - a² with a of this size, the sum of all a² is n * 2^-18.
constexpr const char* kSmallNoise = "kind: normal, mean: 0, std: 0.001953125";
constexpr const char* kPositive = "holds numbers from 0.5 to 2";

/// Values of what is only told apart from zero. They are more than two, so that a kernel which
/// tells odd numbers from even ones shows.
Chosen of_flags(const ArrayUses& uses, Dtype dtype) {
  const bool is_bool = dtype == Dtype::Bool;
  return {integers_text(0, is_bool ? 1 : 2), "The code tells these apart from 0, and nothing else",
          uses.flag, fmt::format("is {}, each about as often", is_bool ? "0 or 1" : "0, 1 or 2")};
}

/// Integers the squares of which float sums exactly, whatever their number: they are the smaller
/// the more there are. Sums of double stay exact in any case.
std::string summed_exactly(const ValuedTensor& tensor) {
  constexpr std::int64_t kLargest = 8;
  if (tensor.parameter.dtype != Dtype::F32) return integers_text(-kLargest, kLargest);
  std::vector<std::string> sizes;
  for (const std::string& size : tensor.shape)
    sizes.push_back(size.contains(' ') ? "(" + size + ")" : size);
  // Squares of integers up to h are (h + 1)² / 3 at most in the mean, and h * elements is at most
  // 2^21 or h is 1; the sum then stays below 2^24 up to 2^24 elements.
  const std::string largest =
      fmt::format("max(1, min({}, {} / ({})))", kLargest, 1 << 21, join(sizes, " * "));
  return fmt::format("kind: integers, lo: \"-{0}\", hi: \"{0}\"", largest);
}

Chosen of_reals(const ArrayUses& uses, const ValuedTensor& tensor, std::size_t running_divisor) {
  const bool is_square =
      tensor.shape.size() >= 2 && tensor.shape.back() == tensor.shape[tensor.shape.size() - 2];
  if (is_square && uses.diagonal_root > 0)
    return {"kind: spd",
            "A root of the diagonal is taken, so the matrix is symmetric and positive definite",
            uses.diagonal_root, "is symmetric and positive definite, so that no pivots are needed"};
  if (is_square && uses.diagonal_divisor > 0)
    return {"kind: dominant",
            "The code divides by the diagonal without pivots, so the diagonal dominates",
            uses.diagonal_divisor,
            "has a diagonal that is larger than the rest of its row, so that no pivots are needed"};
  for (const std::size_t token : {uses.root, uses.diagonal_root})
    if (token > 0)
      return {"kind: uniform, lo: 0.5, hi: 2", "Roots and logarithms need positive numbers", token,
              kPositive};
  for (const std::size_t token : {uses.divisor, uses.diagonal_divisor})
    if (token > 0)
      return {"kind: uniform, lo: 0.5, hi: 2", "The code divides by these, so they stay off 0",
              token, kPositive};
  if (running_divisor > 0)
    return {kSmallNoise,
            "The code divides by a product that it runs up, which stays near 1 for small numbers",
            running_divisor, "is small: its deviation from 0 is 1/512"};
  if (tensor.is_lone)
    return {summed_exactly(tensor),
            "A lone sum may cancel to nothing; of small integers it is exact in any order, and so "
            "is that of their squares",
            0, whole_numbers(-8, 8) + ", so that sums in any order are exact"};
  return {kNoise, "", 0, ""};
}

/// Values of integers that are numbers to calculate with.
Chosen of_integers(const ArrayUses& uses, const ValuedTensor& tensor) {
  const Dtype dtype = tensor.parameter.dtype;
  const DtypeRow row = row_of(dtype);
  constexpr std::int64_t kMostDrawn = std::int64_t{1} << 53;
  const std::int64_t lowest = std::max(row.lowest, -kMostDrawn);
  const auto highest =
      static_cast<std::int64_t>(std::min(row.highest, static_cast<std::uint64_t>(kMostDrawn)));
  const auto within = [&](std::int64_t lo, std::int64_t hi, std::string why, std::size_t token) {
    lo = std::max(lo, lowest), hi = std::min(hi, highest);
    const bool is_all = lo == row.lowest && std::cmp_equal(hi, row.highest);
    return Chosen{integers_text(lo, hi), std::move(why), token,
                  is_all ? "holds any numbers of its type" : whole_numbers(lo, hi)};
  };
  if (dtype == Dtype::Bool) return {integers_text(0, 1), "", 0, ""};
  if (uses.equal > 0) {
    const auto [least, most] = std::ranges::minmax(uses.equal_to);
    constexpr std::int64_t kSmall = 8;
    return within(least >= 0 && least <= kSmall ? 0 : least - 2, most + 2,
                  "Around the numbers with which the code compares these", uses.equal);
  }
  for (const std::size_t token : {uses.divisor, uses.diagonal_divisor})
    if (token > 0) return within(1, 100, "The code divides by these, so they stay off 0", token);
  if (uses.index > 0)
    return within(0, 1000, "CHECK: an index is calculated from these, so they are not negative",
                  uses.index);
  if (uses.shift > 0) return within(0, 7, "Numbers of bits to shift by", uses.shift);
  if (uses.bonus > 0)
    return within(0, 2, "Something small is added to these, which must matter beside them",
                  uses.bonus);
  if (uses.feedback > 0)
    return within(0, 100, "Sums of these replace them, so they are not negative and small",
                  uses.feedback);
  constexpr std::size_t kByte = 1;
  if (uses.order > 0 && size_of(dtype) > kByte) {
    std::vector<std::int64_t> numbers = uses.order_to;
    numbers.push_back(0);
    const auto ends = std::ranges::minmax(numbers);
    constexpr std::int64_t kBeyond = 30;
    return within(ends.min - kBeyond, ends.max + kBeyond,
                  "Around what the code compares these with, so that each way is taken",
                  uses.order);
  }
  const bool wraps = row.numbers == Numbers::Unsigned && size_of(dtype) >= 4;
  if (size_of(dtype) == kByte || wraps) return within(lowest, highest, "All values of the type", 0);
  if (uses.product > 0 || uses.sum > 0) {
    Chosen chosen =
        uses.product > 0
            ? within(-100, 100, "Small enough that sums of products do not overflow", uses.product)
            : within(-1000, 1000, "Small enough that sums do not overflow", uses.sum);
    chosen.is_small = true;
    return chosen;
  }
  return within(lowest, highest, "All values of the type, since nothing is calculated with them",
                0);
}

/// An integer to calculate with: small and prime, so that it divides few sizes.
int integer_value(std::size_t number, Dtype dtype) {
  static constexpr auto kPrimes = std::to_array({7, 13, 5, 11, 3, 17, 19, 23});
  if (dtype == Dtype::Bool) return 1;
  return kPrimes[number % kPrimes.size()] + 20 * static_cast<int>(number / kPrimes.size());
}

/// Real scalars that are the lower ends of ranges, with the upper ends.
std::map<std::string, std::string> ranges_of(const CFunction& function, const Tokens& tokens) {
  const auto is_scalar = [&](std::string_view name) {
    const CParameter* parameter = function.find(name);
    return parameter != nullptr && !parameter->is_pointer && is_real(parameter->dtype);
  };
  std::map<std::string, std::string> ranges;
  for (std::size_t i = function.open; i + 4 < function.close; ++i)
    if (tokens[i].is("(") && is_scalar(tokens[i + 1].text) && tokens[i + 2].is("-") &&
        is_scalar(tokens[i + 3].text) && tokens[i + 4].is(")"))
      ranges.emplace(tokens[i + 3].text, tokens[i + 1].text);
  static constexpr auto kEnds =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"lo", "hi"},
                                                                    {"low", "high"},
                                                                    {"min", "max"},
                                                                    {"lower", "upper"},
                                                                    {"left", "right"},
                                                                    {"bottom", "top"},
                                                                    {"start", "end"},
                                                                    {"start", "stop"},
                                                                    {"from", "to"}});
  for (const CParameter& parameter : function.parameters)
    for (const auto& [first, second] : kEnds) {
      const std::size_t found = parameter.name.find(first);
      if (found == std::string::npos || !is_scalar(parameter.name)) continue;
      std::string other = parameter.name;
      other.replace(found, first.size(), second);
      if (is_scalar(other) && !ranges.contains(other)) ranges.emplace(parameter.name, other);
    }
  std::erase_if(ranges, [](const auto& range) { return range.first == range.second; });
  return ranges;
}

/// Whether the name says that each row has a single 1. Nothing that code does with such rows tells
/// them from others.
bool is_one_hot(const ValuedTensor& tensor) {
  std::string name;
  for (const char c : tensor.parameter.name)
    if (c != '_') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return tensor.shape.size() >= 2 && name.contains("onehot");
}

/// Whether the code takes `1 - name`, the share that is left beside `name`.
bool is_share(const CFunction& function, const Tokens& tokens, std::string_view name) {
  static constexpr auto kOnes =
      std::to_array<std::string_view>({"1", "1.", "1.0", "1.f", "1.0f", "1.F", "1.0F"});
  for (std::size_t i = function.open + 2; i < function.close; ++i)
    if (tokens[i].text == name && tokens[i - 1].is("-") && contains(kOnes, tokens[i - 2].text))
      return true;
  return false;
}

/// What drafted_values() writes and drafted_promise() tells.
Chosen chosen_values(const ValuedTensor& tensor, const CFunction& function,
                     const ElementBounds& elements, std::string_view source, const Tokens& tokens) {
  const CParameter& parameter = tensor.parameter;
  const ArrayUses uses = uses_of(function, source, tokens, parameter.name);
  const auto element = elements.find(parameter.name);
  const auto search = std::ranges::find_if(
      elements, [](const auto& other) { return other.second.use == ElementUse::Search; });
  const bool is_searched = search != elements.end() && search->second.of == parameter.name;
  const bool is_wanted = search != elements.end() && uses.peers > 0 && !is_real(parameter.dtype);
  if (is_searched) return of_sorted(search->second, parameter.dtype);
  if (is_wanted) {
    const std::int64_t lo = searched_from(parameter.dtype);
    return {integers_text(lo, kSearched), "Within what is searched", uses.peers,
            whole_numbers(lo, kSearched)};
  }
  if (is_one_hot(tensor))
    return {"kind: one_hot", "CHECK: the name says that each row has a single 1", 0,
            "has rows with a single 1, at any place, among zeros"};
  if (element != elements.end()) return of_places(element->second, tensor);
  if (uses.flag > 0) return of_flags(uses, parameter.dtype);
  return is_real(parameter.dtype) ? of_reals(uses, tensor, running_divisor(function, tokens))
                                  : of_integers(uses, tensor);
}

}  // namespace

bool is_safe_for_zeros(const CFunction& function, const std::vector<lex::Token>& tokens) {
  static constexpr auto kDivisions = std::to_array<std::string_view>({"/", "/=", "%", "%="});
  const auto divides = [](std::string_view text) { return contains(kDivisions, text); };
  return !has_token(function, tokens, divides) && takes_negative_numbers(function, tokens);
}

bool takes_negative_numbers(const CFunction& function, const std::vector<lex::Token>& tokens) {
  return !has_token(function, tokens, is_root);
}

std::map<std::string, std::string> scalar_values(const CFunction& function, const Tokens& tokens,
                                                 const std::set<std::string>& calculated) {
  const bool takes_negative = takes_negative_numbers(function, tokens);
  const auto ranges = ranges_of(function, tokens);
  std::map<std::string, std::string> values;
  std::size_t number = 0, integers = 0, pairs = 0, shares = 0;
  for (const auto& [low, high] : ranges) {
    if (values.contains(low) || values.contains(high)) continue;
    // Eighths, which no other scalar has.
    const double step = 0.25 * static_cast<double>(pairs++);
    values[low] = fmt::format("{:g}", takes_negative ? -1.625 - step : 0.125 + step);
    values[high] = fmt::format("{:g}", 1.375 + step + (takes_negative ? 0 : 4));
  }
  for (const CParameter& parameter : function.parameters) {
    if (parameter.is_pointer || values.contains(parameter.name)) continue;
    if (!is_real(parameter.dtype)) {
      if (calculated.contains(parameter.name))
        values[parameter.name] = fmt::format("\"{}\"", integer_value(integers++, parameter.dtype));
      continue;
    }
    if (is_share(function, tokens, parameter.name)) {
      // Sixteenths between 0 and 1, which no other scalar has.
      static constexpr auto kShares = std::to_array({14, 11, 6, 9, 3, 13, 5, 7});
      values[parameter.name] = fmt::format("{:g}", kShares[shares++ % kShares.size()] / 16.0);
      continue;
    }
    const bool is_negative = takes_negative && number % 2 == 1;
    const double magnitude = number == 0 ? 0.75 : 1 + 0.25 * static_cast<double>(number);
    ++number;
    values[parameter.name] = fmt::format("{}{:g}", is_negative ? "-" : "", magnitude);
  }
  return values;
}

std::string drafted_values(const ValuedTensor& tensor, const CFunction& function,
                           const ElementBounds& elements, std::string_view source,
                           const Tokens& tokens) {
  const Chosen chosen = chosen_values(tensor, function, elements, source, tokens);
  std::string text;
  if (!chosen.why.empty()) {
    const std::string line =
        chosen.token == 0
            ? std::string()
            : fmt::format(" (line {})", position_of(source, tokens[chosen.token].offset).line);
    text = fmt::format("    # {}{}.\n", chosen.why, line);
  }
  return text + fmt::format("    values: {{ {} }}\n", chosen.values);
}

bool is_noise(const ValuedTensor& tensor, const CFunction& function, const ElementBounds& elements,
              std::string_view source, const Tokens& tokens) {
  const Chosen chosen = chosen_values(tensor, function, elements, source, tokens);
  return chosen.is_small || (is_real(tensor.parameter.dtype) && chosen.values == kNoise);
}

std::string drafted_promise(const ValuedTensor& tensor, const CFunction& function,
                            const ElementBounds& elements, std::string_view source,
                            const Tokens& tokens) {
  return chosen_values(tensor, function, elements, source, tokens).promise;
}

std::string values_words(std::span<const ToldValues> inputs) {
  std::vector<std::string> promises, planted, paragraphs;
  for (const ToldValues& input : inputs) {
    if (!input.promise.empty())
      promises.push_back(fmt::format("`{}` {}", input.name, input.promise));
    if (input.is_planted) planted.push_back("`" + input.name + "`");
  }
  if (!promises.empty())
    paragraphs.push_back(fmt::format(
        "**Inputs**: {}. A kernel may rely on no more than that, and on finite numbers.",
        join(promises, "; ")));
  if (!planted.empty())
    paragraphs.push_back(fmt::format(
        "**Timed inputs**: along the summed dimension{} of {}, a few lines are 0 except for two "
        "elements; a kernel that skips one of these gets a visibly wrong sum.",
        planted.size() > 1 ? "s" : "", join(planted, " and ")));
  return join(paragraphs, "\n\n");
}

std::string total_bytes(std::span<const SizedElements> tensors) {
  Polynomial sum;
  std::vector<std::string> parts;
  for (const SizedElements& tensor : tensors) {
    const auto product = product_of(tensor);
    const auto more = product ? add(sum, *product, 1) : std::nullopt;
    if (more) {
      sum = *more;
      continue;
    }
    std::vector<std::string> factors = {std::to_string(tensor.bytes)};
    for (const std::string& size : tensor.shape) factors.push_back("(" + size + ")");
    parts.push_back(join(factors, " * "));
  }
  if (!sum.empty() || parts.empty()) parts.insert(parts.begin(), to_expression(sum));
  return join(parts, " + ");
}

}  // namespace kw::task

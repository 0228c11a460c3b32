// Patterns of values (zero, unwritten, NaN, factor, shifted, transposed) and of places (tail,
// period, border, isolated points).
// SPDX-License-Identifier: Apache-2.0
#include "referee/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace kw::referee {
namespace {

using Words = std::optional<Wording>;

// Relative difference up to which two values count as equal: patterns name wrong places, not lost
// precision.
constexpr double kClose = 1e-3;
constexpr double kMost = 0.9;  // share of elements that counts as all of them
constexpr std::int64_t kWidestHalo = 8;
// Failed elements count as isolated points if they are fewer than one element in this number.
constexpr std::int64_t kIsolatedShare = 100;

struct Shape {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;

  explicit Shape(std::vector<std::int64_t> from)
      : sizes(std::move(from)), strides(sizes.size(), 1) {
    for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  }
  std::int64_t at(std::int64_t flat, std::size_t d) const { return flat / strides[d] % sizes[d]; }
};

bool is_near(double a, double b, double scale) {
  return std::abs(a - b) <= kClose * std::max({std::abs(a), std::abs(b), 1e-3 * scale});
}

double scale_of(std::span<const double> values) {
  double sum = 0;
  for (double v : values) sum += v * v;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

std::vector<std::int64_t> failed_indices(const FailureMap& map) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < map.count(); ++i)
    if (map.failed[static_cast<std::size_t>(i)]) all.push_back(i);
  return all;
}

template <class Test>
double share(const std::vector<std::int64_t>& failed, Test test) {
  const auto hits = std::count_if(failed.begin(), failed.end(), test);
  return static_cast<double>(hits) / static_cast<double>(failed.size());
}

double got_at(const FailureMap& map, std::int64_t i) {
  return map.got[static_cast<std::size_t>(i)];
}
double want_at(const FailureMap& map, std::int64_t i) {
  return map.want[static_cast<std::size_t>(i)];
}

Words find_zero(const FailureMap& map, const std::vector<std::int64_t>& failed) {
  if (share(failed, [&](auto i) { return got_at(map, i) == 0; }) < 1) return {};
  const bool everything =
      std::all_of(map.got.begin(), map.got.end(), [](double g) { return g == 0; });
  return Wording{
      everything ? "Every element of the output is zero." : "Every wrong element is exactly zero.",
      {}};
}

Words find_unwritten(const FailureMap& map, const std::vector<std::int64_t>& failed) {
  if (map.before.empty()) return {};
  const double untouched = share(
      failed, [&](auto i) { return got_at(map, i) == map.before[static_cast<std::size_t>(i)]; });
  if (untouched < kMost) return {};
  if (static_cast<std::int64_t>(failed.size()) == map.count())
    return worded("Nothing was written: the output still holds what was there before the call.");
  return worded(
      "The wrong elements were never written: they still hold what was there before the call.");
}

Words find_nan(const FailureMap& map, const std::vector<std::int64_t>& failed) {
  const auto is_bad = [&](std::int64_t i) { return !std::isfinite(got_at(map, i)); };
  if (share(failed, is_bad) < 1) return {};
  const std::int64_t first = failed.front();
  if (static_cast<std::int64_t>(failed.size()) == map.count() - first && first > 0)
    return worded(
        "Every element from flat index {} of the compared region on is NaN or infinite: look at "
        "the step that "
        "produces it (division by zero, an uninitialised value, overflow).",
        first);
  return worded(
      "The wrong elements are NaN or infinite: division by zero, an uninitialised value or "
      "overflow.");
}

Words find_factor(const FailureMap& map, const std::vector<std::int64_t>& failed) {
  if (failed.size() < 4) return {};
  std::vector<double> ratios;
  for (auto i : failed)
    if (want_at(map, i) != 0) ratios.push_back(got_at(map, i) / want_at(map, i));
  if (static_cast<double>(ratios.size()) < kMost * static_cast<double>(failed.size())) return {};
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  const double factor = ratios[ratios.size() / 2];
  if (factor == 0 || !std::isfinite(factor) || std::abs(factor - 1) < kClose) return {};
  const auto same = std::count_if(ratios.begin(), ratios.end(), [&](double r) {
    return std::abs(r - factor) <= kClose * std::abs(factor);
  });
  if (static_cast<double>(same) < kMost * static_cast<double>(failed.size())) return {};
  return worded("Every wrong element is {:.6g} times the right value: a constant factor{}.", factor,
                factor < 0 ? " (the sign)" : "");
}

Words find_shift(const FailureMap& map, const Shape& shape, const std::vector<std::int64_t>& failed,
                 double scale) {
  if (failed.size() < 4) return {};
  for (std::size_t d = shape.sizes.size(); d-- > 0;)
    for (const std::int64_t by : {-1, 1}) {
      if (shape.sizes[d] < 3) continue;
      std::size_t inside = 0;
      std::size_t hits = 0;
      for (auto i : failed) {
        const std::int64_t c = shape.at(i, d) + by;
        if (c < 0 || c >= shape.sizes[d]) continue;
        ++inside;
        hits += is_near(got_at(map, i), want_at(map, i + by * shape.strides[d]), scale);
      }
      if (inside * 2 >= failed.size() &&
          static_cast<double>(hits) >= kMost * static_cast<double>(inside))
        return worded(
            "Results are shifted by one along dimension {}: index i holds what "
            "belongs at i {} 1.",
            d, by < 0 ? '-' : '+');
    }
  return {};
}

Words find_transposed(const FailureMap& map, const Shape& shape,
                      const std::vector<std::int64_t>& failed, double scale) {
  if (failed.size() < 4) return {};
  for (std::size_t a = 0; a + 1 < shape.sizes.size(); ++a) {
    const std::size_t b = a + 1;
    const std::int64_t rows = shape.sizes[a];
    const std::int64_t cols = shape.sizes[b];
    if (rows < 2 || cols < 2) continue;
    // The block may hold the transpose written densely: element (i, j) is then the element of
    // `want` whose indices, swapped, give the same rank.
    const auto source = [&](std::int64_t i) {
      const std::int64_t r = shape.at(i, a);
      const std::int64_t c = shape.at(i, b);
      const std::int64_t rank = r * cols + c;
      const std::int64_t from = rank % rows * cols + rank / rows;
      return i - r * shape.strides[a] - c * shape.strides[b] + from / cols * shape.strides[a] +
             from % cols * shape.strides[b];
    };
    if (share(failed, [&](auto i) {
          return source(i) != i && is_near(got_at(map, i), want_at(map, source(i)), scale);
        }) >= kMost)
      return worded(
          "The result is transposed in dimensions {} and {}: rows and columns are "
          "exchanged.",
          a, b);
  }
  return {};
}

// Whether the failures lie in one end of dimension d only, and fill it.
Words find_tail(const Shape& shape, const std::vector<std::int64_t>& failed) {
  for (std::size_t d = 0; d < shape.sizes.size(); ++d) {
    const std::int64_t size = shape.sizes[d];
    if (size < 2) continue;
    std::int64_t first = size;
    for (auto i : failed) first = std::min(first, shape.at(i, d));
    const std::int64_t width = size - first;
    const std::int64_t box = width * shape.strides[d];
    std::int64_t outer = 1;
    for (std::size_t e = 0; e < d; ++e) outer *= shape.sizes[e];
    if (first == 0 || width * 2 > size ||
        static_cast<double>(failed.size()) < 0.5 * static_cast<double>(box * outer))
      continue;
    if (width == 1)
      return worded(
          "Only the last index of dimension {} ({}) is wrong: the last {} is missing "
          "or off by one.",
          d, size - 1,
          d + 1 == shape.sizes.size() ? "column"
          : d == 0                    ? "plane or row"
                                      : "row");
    Wording tiles;
    for (std::int64_t tile = 2; tile <= 1024; tile *= 2)
      if (size % tile == width)
        tiles +=
            worded("{}{}",
                   tiles.numbers.empty() ? " of the last tile, as if tiles had size " : ", ", tile);
    return worded("Only the last {} of {} indices of dimension {} are wrong: the tail{}.", width,
                  size, d, tiles);
  }
  return {};
}

// Whether the failing indices of dimension d repeat with a period.
Words find_period(const Shape& shape, const std::vector<std::int64_t>& failed) {
  for (std::size_t d = 0; d < shape.sizes.size(); ++d) {
    const std::int64_t size = shape.sizes[d];
    std::vector<bool> hit(static_cast<std::size_t>(size), false);
    for (auto i : failed) hit[static_cast<std::size_t>(shape.at(i, d))] = true;
    std::vector<std::int64_t> rows;
    for (std::int64_t r = 0; r < size; ++r)
      if (hit[static_cast<std::size_t>(r)]) rows.push_back(r);
    if (rows.size() < 3) continue;
    std::int64_t period = 0;
    for (std::size_t k = 1; k < rows.size(); ++k) period = std::gcd(period, rows[k] - rows[k - 1]);
    if (period < 2) continue;
    const std::int64_t expected = (size - rows.front() + period - 1) / period;
    if (static_cast<double>(rows.size()) < kMost * static_cast<double>(expected)) continue;
    return worded(
        "One index in {} of dimension {} is wrong ({}, {}, {}, …): look at what "
        "happens every {} steps (lanes, unrolling, tiles).",
        period, d, rows[0], rows[1], rows[2], period);
  }
  return {};
}

Words find_border(const Shape& shape, const std::vector<std::int64_t>& failed) {
  std::int64_t width = 0;
  for (auto i : failed) {
    std::int64_t nearest = kWidestHalo + 1;
    for (std::size_t d = 0; d < shape.sizes.size(); ++d) {
      if (shape.sizes[d] <= 2 * kWidestHalo) continue;
      const std::int64_t c = shape.at(i, d);
      nearest = std::min({nearest, c + 1, shape.sizes[d] - c});
    }
    width = std::max(width, nearest);
  }
  // A border that covers most of the tensor is no pattern.
  double inside = 1;
  for (const std::int64_t size : shape.sizes)
    if (size > 2 * kWidestHalo)
      inside *= static_cast<double>(size - 2 * width) / static_cast<double>(size);
  if (width > kWidestHalo || inside < 0.5) return {};
  return worded(
      "Only the border is wrong, up to {} element{} deep: the halo or the boundary "
      "handling.",
      width, width == 1 ? "" : "s");
}

Words find_isolated(const FailureMap& map, const std::vector<std::int64_t>& failed) {
  if (static_cast<std::int64_t>(failed.size()) * kIsolatedShare > map.count()) return {};
  return worded(
      "{} isolated element{} wrong: point updates (sources, scatter, the step or "
      "buffer they go to) rather than the bulk.",
      failed.size(), failed.size() == 1 ? " is" : "s are");
}

}  // namespace

PatternReading read_pattern(const FailureMap& map) {
  using P = MismatchPattern;
  PatternReading reading;
  const auto failed = failed_indices(map);
  if (failed.empty()) return reading;
  const Shape shape(map.sizes);
  const double scale = scale_of(map.want);
  const auto add_first = [&](std::initializer_list<std::pair<Words, P>> found) {
    for (const auto& [words, pattern] : found)
      if (words) {
        reading.sentences.push_back(*words);
        reading.pattern = pattern;
        return;
      }
  };
  add_first({{find_unwritten(map, failed), P::Unwritten},
             {find_zero(map, failed), P::Zero},
             {find_nan(map, failed), P::NotFinite},
             {find_transposed(map, shape, failed, scale), P::Transposed},
             {find_shift(map, shape, failed, scale), P::Shifted},
             {find_factor(map, failed), P::Factor}});
  if (static_cast<std::int64_t>(failed.size()) == map.count()) {
    if (reading.sentences.empty())
      reading.sentences.push_back(worded("Every element of the output is wrong."));
    return reading;
  }
  add_first({{find_tail(shape, failed), P::Tail},
             {find_period(shape, failed), P::Period},
             {find_border(shape, failed), P::Border},
             {find_isolated(map, failed), P::Isolated}});
  return reading;
}

std::string number_frame(const FailureMap& map, std::size_t limit) {
  std::string frame =
      fmt::format("{:<20} {:>15} {:>15} {:>12}\n", "at", "got", "want", "difference");
  const Shape shape(map.sizes);
  std::size_t shown = 0;
  for (std::int64_t i = 0; i < map.count() && shown < limit; ++i) {
    if (!map.failed[static_cast<std::size_t>(i)]) continue;
    std::string at = "[";
    for (std::size_t d = 0; d < map.sizes.size(); ++d)
      at += fmt::format("{}{}", d ? ", " : "", map.origin[d] + shape.at(i, d));
    frame += fmt::format("{:<20} {:>15.8g} {:>15.8g} {:>12.3g}\n", at + "]", got_at(map, i),
                         want_at(map, i), got_at(map, i) - want_at(map, i));
    ++shown;
  }
  return frame;
}

}  // namespace kw::referee

// A Gaussian process with kernel tables, growing Cholesky factors, and a coordinate search for
// hyperparameters.
// SPDX-License-Identifier: Apache-2.0
#include "search/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include <Eigen/Core>

#include "base/result.h"
#include "search/knob_groups.h"
#include "search/subtract_rows.h"

namespace kw::search {
namespace {

// Choices for a knob's correlation length, in units of the knob's range; with the longest the knob
// hardly matters.
constexpr std::array kLengths{0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
// Choices for the weight of the additive kernel (the mean over knobs) against the product.
constexpr std::array kAdditive{0.0, 0.25, 0.5, 0.75, 0.95};
// Choices for the variance of the noise divided by the variance of the signal.
constexpr std::array kNoise{1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3};

double matern(double distance, double length) {
  const double r = std::sqrt(5.0) * distance / length;
  return (1 + r + r * r / 3) * std::exp(-r);
}

// Doubles in a vector register; rows are padded to whole registers, which are faster to subtract.
constexpr std::size_t kRegister = 4;

// Values of all hyperparameters, each as an index into its list of choices.
struct Shape {
  std::vector<std::size_t> length;       // by knob
  std::vector<std::size_t> categorical;  // by knob: 0 or 1
  std::size_t additive = 2;
  std::size_t noise = 3;
};

}  // namespace

struct GaussianProcess::Model {
  using Row = std::vector<double>;

  Model(const KnobGrid& space, double least) : grid(space), least_spread(least), groups(space) {
    shape.length.assign(grid.knobs(), 3);
    shape.categorical.assign(grid.knobs(), 0);
    for (std::size_t k = 0; k < grid.knobs(); ++k) {
      tables.emplace_back();
      fill_table(k);
    }
  }

  // Fills in the correlations between one knob's values.
  void fill_table(std::size_t k) {
    const std::size_t count = grid.values(k);
    const double length = kLengths[shape.length[k]];
    tables[k].resize(count * count);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) {
        const double apart = std::abs(grid.position(k, a) - grid.position(k, b));
        const bool is_category = shape.categorical[k] == 1;
        tables[k][a * count + b] = matern(is_category ? (a == b ? 0.0 : 1.0) : apart, length);
      }
  }

  double mixed(double product, double sum) const {
    const double weight = kAdditive[shape.additive];
    return weight * sum / static_cast<double>(grid.knobs()) + (1 - weight) * product;
  }

  double correlation(const Places& a, const Places& b) const {
    double product = 1;
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double own = tables[k][a[k] * grid.values(k) + b[k]];
      product *= own;
      sum += own;
    }
    return mixed(product, sum);
  }

  double noise() const { return kNoise[shape.noise]; }

  // Computes products and sums over knobs for every pair i < j of the data, row by row, so that a
  // step recomputes only the knob that it changes.
  void fill_pairs() {
    const std::size_t n = points.size();
    pairs.clear();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        Correlated pair;
        for (std::size_t k = 0; k < grid.knobs(); ++k) {
          const double own = tables[k][points[i][k] * grid.values(k) + points[j][k]];
          pair.product *= own;
          pair.sum += own;
        }
        pairs.push_back(pair);
      }
  }

  // Effect of a new table of correlations for one knob on a pair of points: a factor on the product
  // and an addition to the sum, for each pair of the knob's values.
  struct Change {
    std::size_t knob = 0;
    std::vector<Correlated> by;
  };

  // Replaces a knob's table by the one for the current hyperparameters.
  Change change_table(std::size_t k) {
    const std::vector<double> before = tables[k];
    fill_table(k);
    Change change{k, {}};
    for (std::size_t v = 0; v < before.size(); ++v)
      change.by.push_back({tables[k][v] / before[v], tables[k][v] - before[v]});
    return change;
  }

  // Calls `take` with each pair's place in the covariance and its value after the change.
  template <class Take>
  void for_each_pair(const Change* change, Take&& take) {
    const std::size_t n = points.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Correlated* const row =
          change ? &change->by[points[i][change->knob] * grid.values(change->knob)] : nullptr;
      for (std::size_t j = i + 1; j < n; ++j, ++at) {
        Correlated pair = pairs[at];
        if (row != nullptr) {
          const Correlated& by = row[points[j][change->knob]];
          pair = {pair.product * by.product, pair.sum + by.sum};
        }
        take(i, j, at, pair);
      }
    }
  }

  // Log posterior of the hyperparameters: log marginal likelihood with the signal's variance
  // maximised out, plus priors. `change` is applied to the pairs; null: they stay as they are.
  double log_posterior(const Change* change = nullptr) {
    const std::size_t n = points.size();
    factor.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      // Rows consist of whole registers; entries before the diagonal are never read.
      factor[i].assign((n + kRegister) / kRegister * kRegister, 0);
      factor[i][i] = 1 + noise();
      factor[i][n] = standardised[static_cast<Eigen::Index>(i)];
    }
    for_each_pair(change, [&](std::size_t i, std::size_t j, std::size_t, const Correlated& pair) {
      factor[i][j] = mixed(pair.product, pair.sum);
    });
    // Cholesky factorisation by rows of the upper factor; its last column holds the transformed
    // values.
    double log_determinant = 0;
    double square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Row& row = factor[i];
      above.resize(i);
      for (std::size_t m = 0; m < i; ++m) above[m] = factor[m][i];
      subtract_rows(row, above, factor, i / kRegister * kRegister);
      KW_ASSERT(row[i] > 0);
      log_determinant += std::log(row[i]);
      const double scale = 1 / std::sqrt(row[i]);
      for (std::size_t j = i; j <= n; ++j) row[j] *= scale;
      square += row[n] * row[n];
    }
    const double signal = signal_variance(square, n);
    return -0.5 * static_cast<double>(n + 2) * std::log(signal) - 0.5 * log_determinant +
           log_prior();
  }

  // Variance of the signal, as if two further observations had shown unit variance, so that a few
  // equal values do not look certain.
  static double signal_variance(double squares, std::size_t data) {
    return (squares + 2) / static_cast<double>(data + 2);
  }

  double log_prior() const {
    // The prior prefers lengths that grow with the number of knobs (Hvarfner et al. 2024);
    // otherwise no point would be near another one.
    const double usual = std::log(0.5 * std::sqrt(static_cast<double>(grid.knobs())));
    const auto square = [](double x) { return x * x; };
    double result = -0.5 * square((std::log(noise()) - std::log(1e-2)) / 2);
    for (std::size_t k = 0; k < grid.knobs(); ++k) {
      result -= 0.5 * square(std::log(kLengths[shape.length[k]]) - usual);
      result -= 1.5 * static_cast<double>(shape.categorical[k]);
    }
    return result;
  }

  // A hyperparameter, its number of choices, and the knob whose table depends on it.
  struct Coordinate {
    std::size_t* index;
    std::size_t choices;
    std::optional<std::size_t> knob;
  };

  Coordinate coordinate(std::size_t number) {
    const std::size_t knobs = grid.knobs();
    if (number == 0) return {&shape.additive, kAdditive.size(), std::nullopt};
    if (number == 1) return {&shape.noise, kNoise.size(), std::nullopt};
    if (number < 2 + knobs) return {&shape.length[number - 2], kLengths.size(), number - 2};
    const std::size_t knob = number - 2 - knobs;
    // Two values have only one distance, so it does not matter whether such a knob is ordered or
    // categorical.
    return {&shape.categorical[knob], grid.values(knob) > 2 ? 2U : 1U, knob};
  }

  // The next hyperparameter that has more than one choice.
  Coordinate next_coordinate() {
    for (;;) {
      const Coordinate c = coordinate(cursor);
      cursor = (cursor + 1) % (2 + 2 * grid.knobs());
      if (c.choices > 1) return c;
    }
  }

  // Moves the next hyperparameter one choice up or down if this is more probable.
  void step(double& best_so_far) {
    const Coordinate c = next_coordinate();
    const std::size_t before = *c.index;
    std::size_t best = before;
    Change best_change;
    const std::vector<double> table_before = c.knob ? tables[*c.knob] : std::vector<double>();
    std::vector<double> best_table = table_before;
    for (const int by : {-1, 1}) {
      if ((by < 0 && before == 0) || (by > 0 && before + 1 >= c.choices)) continue;
      *c.index = by < 0 ? before - 1 : before + 1;
      Change change;
      if (c.knob) {
        tables[*c.knob] = table_before;
        change = change_table(*c.knob);
      }
      const double there = log_posterior(c.knob ? &change : nullptr);
      constexpr double kLeastGain = 1e-6;  // gains of rounding size must not decide
      if (there <= best_so_far + kLeastGain) continue;
      best_so_far = there;
      best = *c.index;
      if (!c.knob) continue;
      best_table = tables[*c.knob];
      best_change = std::move(change);
    }
    *c.index = best;
    if (!c.knob) return;
    tables[*c.knob] = std::move(best_table);
    if (best != before)
      for_each_pair(&best_change, [&](std::size_t, std::size_t, std::size_t at,
                                      const Correlated& pair) { pairs[at] = pair; });
  }

  static double dot(const Row& a, const Row& b, std::size_t count) {
    const auto n = static_cast<Eigen::Index>(count);
    return Eigen::Map<const Eigen::VectorXd>(a.data(), n)
        .dot(Eigen::Map<const Eigen::VectorXd>(b.data(), n));
  }

  // Solves L x = k(data, point) for the first `count` data.
  Row whitened(const Places& point, std::size_t count) const {
    Row x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = correlation(points[i], point);
    for (std::size_t i = 0; i < count; ++i) x[i] = (x[i] - dot(lower[i], x, i)) / lower[i][i];
    return x;
  }

  // Appends row `i` of the factor, of the data, and of the followed points. `value` is
  // standardised; nothing: the value is what was predicted.
  void condition_on(std::size_t i, std::optional<double> value) {
    Row row = whitened(points[i], i);
    const double square = dot(row, row, i);
    constexpr double kLeast = 1e-9;  // what rounding may leave for a point that occurs twice
    const double own = std::sqrt(std::max(kLeast, 1 + noise() - square));
    white.push_back(value ? (*value - dot(row, white, i)) / own : 0);
    squares += white.back() * white.back();
    row.push_back(own);
    lower.push_back(std::move(row));
    kept.emplace_back();
    beside.push_back(groups.tabulate(points[i], tables));
    extend_followed(i, 0);
  }

  // Extends row `i` to the followed points with indices of at least `from`.
  void extend_followed(std::size_t i, std::size_t from) {
    Row& row = kept[i];
    const std::size_t count = means.size();
    row.resize(count);
    for (std::size_t j = from; j < count; ++j) {
      const Correlated here = groups.at(beside[i], followed.data() + j * groups.count());
      row[j] = mixed(here.product, here.sum);
    }
    subtract_rows(row, std::span(lower[i]).first(i), kept, from);
    const double scale = 1 / lower[i][i];
    for (std::size_t j = from; j < count; ++j) {
      row[j] *= scale;
      means[j] += row[j] * white[i];
      left[j] -= row[j] * row[j];
    }
  }

  // Recomputes all rows with the current hyperparameters.
  void condition() {
    lower.clear();
    white.clear();
    kept.clear();
    beside.clear();
    squares = 0;
    std::ranges::fill(means, 0);
    std::ranges::fill(left, 1);
    for (std::size_t i = 0; i < points.size(); ++i)
      condition_on(i, standardised[static_cast<Eigen::Index>(i)]);
    data = points.size();
  }

  Prediction prediction(double mean_of, double left_of) const {
    return {mean + spread * mean_of, spread * std::sqrt(variance() * std::max(1e-12, left_of))};
  }

  double variance() const { return signal_variance(squares, data); }

  const KnobGrid& grid;
  const double least_spread;
  Shape shape;
  std::size_t cursor = 0;
  std::vector<std::vector<double>> tables;

  std::vector<Places> points;  // the data, then the supposed points
  std::size_t data = 0;
  Eigen::VectorXd standardised;  // values of the latest fit
  double mean = 0;
  double spread = 1;
  std::vector<Correlated> pairs;
  std::vector<Row> factor;  // Cholesky factor of the covariance, transposed
  Row above;                // a column of factor

  std::vector<Row> lower;  // the Cholesky factor; row i has i + 1 entries
  Row white;               // the factor's inverse times the values
  double squares = 0;      // sum of the squares of white

  KnobGroups groups;
  std::vector<std::vector<Correlated>> beside;  // by datum: its correlations with all places
  // The codes of each followed point, one point after the other.
  std::vector<std::uint16_t> followed;
  std::vector<Row> kept;  // by datum: the factor's inverse times the correlations
  Row means;              // means of the followed points, standardised
  Row left;               // share of the followed points' variance that is left
};

GaussianProcess::GaussianProcess(const KnobGrid& grid, double least_spread)
    : model_(std::make_unique<Model>(grid, least_spread)) {}

GaussianProcess::~GaussianProcess() = default;

void GaussianProcess::fit(std::vector<Places> points, std::vector<double> values, int steps) {
  KW_ASSERT(!points.empty() && points.size() == values.size());
  Model& m = *model_;
  m.points = std::move(points);
  const Eigen::Map<const Eigen::VectorXd> raw(values.data(),
                                              static_cast<Eigen::Index>(values.size()));
  m.mean = raw.mean();
  const Eigen::VectorXd centred = raw.array() - m.mean;
  m.spread = std::max(m.least_spread,
                      std::sqrt(centred.squaredNorm() / static_cast<double>(values.size())));
  m.standardised = centred / m.spread;
  if (steps > 0) {
    m.fill_pairs();
    double log_posterior = m.log_posterior();
    for (int i = 0; i < steps; ++i) m.step(log_posterior);
  }
  m.condition();
}

void GaussianProcess::add(const Places& point, double value) {
  Model& m = *model_;
  KW_ASSERT(m.data > 0 && m.data == m.points.size());
  m.points.push_back(point);
  m.condition_on(m.data, (value - m.mean) / m.spread);
  ++m.data;
}

void GaussianProcess::suppose(const Places& point) {
  Model& m = *model_;
  KW_ASSERT(m.data > 0);
  m.points.push_back(point);
  m.condition_on(m.points.size() - 1, std::nullopt);
}

void GaussianProcess::forget_supposed() {
  Model& m = *model_;
  while (m.points.size() > m.data) {
    const Model::Row& row = m.kept.back();
    for (std::size_t j = 0; j < row.size(); ++j) m.left[j] += row[j] * row[j];
    m.points.pop_back();
    m.lower.pop_back();
    m.white.pop_back();
    m.kept.pop_back();
    m.beside.pop_back();
  }
}

std::vector<Prediction> GaussianProcess::predict(std::span<const Places> points) const {
  const Model& m = *model_;
  KW_ASSERT(m.data > 0);
  std::vector<Prediction> predictions;
  predictions.reserve(points.size());
  for (const Places& point : points) {
    const Model::Row x = m.whitened(point, m.points.size());
    predictions.push_back(
        m.prediction(Model::dot(x, m.white, x.size()), 1 - Model::dot(x, x, x.size())));
  }
  return predictions;
}

void GaussianProcess::follow(std::span<const Places> points) {
  Model& m = *model_;
  const std::size_t from = m.means.size();
  for (const Places& point : points) m.groups.append_codes(point, m.followed);
  m.means.resize(from + points.size(), 0);
  m.left.resize(from + points.size(), 1);
  for (std::size_t i = 0; i < m.points.size(); ++i) m.extend_followed(i, from);
}

void GaussianProcess::leave(std::size_t i) {
  Model& m = *model_;
  const auto take_last = [i](auto& list) {
    list[i] = list.back();
    list.pop_back();
  };
  KW_ASSERT(i < m.means.size());
  const std::size_t codes = m.groups.count();
  const std::size_t last = m.means.size() - 1;
  for (std::size_t k = 0; k < codes; ++k) m.followed[i * codes + k] = m.followed[last * codes + k];
  m.followed.resize(last * codes);
  for (Model::Row& row : m.kept) take_last(row);
  take_last(m.means);
  take_last(m.left);
}

void GaussianProcess::leave_all() {
  Model& m = *model_;
  m.followed.clear();
  for (Model::Row& row : m.kept) row.clear();
  m.means.clear();
  m.left.clear();
}

Prediction GaussianProcess::followed(std::size_t i) const {
  const Model& m = *model_;
  return m.prediction(m.means[i], m.left[i]);
}

std::vector<double> GaussianProcess::at_data() const {
  const Model& m = *model_;
  // With K the covariance of the data, noise included, the prediction at the data is y - noise *
  // K^-1 y.
  Model::Row weights(m.white.begin(), m.white.begin() + static_cast<std::ptrdiff_t>(m.data));
  Model::Row values(m.data, 0);
  for (std::size_t i = 0; i < m.data; ++i) {
    for (std::size_t k = 0; k <= i; ++k) values[i] += m.lower[i][k] * m.white[k];
  }
  for (std::size_t i = m.data; i-- > 0;) {
    weights[i] /= m.lower[i][i];
    for (std::size_t k = 0; k < i; ++k) weights[k] -= m.lower[i][k] * weights[i];
  }
  for (std::size_t i = 0; i < m.data; ++i)
    values[i] = m.mean + m.spread * (values[i] - m.noise() * weights[i]);
  return values;
}

double GaussianProcess::residual() const {
  const Model& m = *model_;
  return m.spread * std::sqrt(m.variance() * m.noise());
}

}  // namespace kw::search

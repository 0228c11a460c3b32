// Kernel tables, Cholesky factors, and a coordinate search for hyperparameters.
// SPDX-License-Identifier: Apache-2.0
#include "search/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "base/result.h"

namespace kw::search {
namespace {

// In units of a knob's range; at the longest a knob hardly matters.
constexpr std::array kLengths{0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
constexpr std::array kAdditive{0.0, 0.25, 0.5, 0.75, 0.95};           // weight of the mean
constexpr std::array kNoise{1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3};  // variance over the signal's

double matern(double distance, double length) {
  const double r = std::sqrt(5.0) * distance / length;
  return (1 + r + r * r / 3) * std::exp(-r);
}

// Every hyperparameter as an index into its list of choices.
struct Shape {
  std::vector<std::size_t> length;       // by knob
  std::vector<std::size_t> categorical;  // by knob: 0 or 1
  std::size_t additive = 2;
  std::size_t noise = 3;
};

}  // namespace

struct GaussianProcess::Model {
  Model(const KnobGrid& space, double least) : grid(space), least_spread(least) {
    shape.length.assign(grid.knobs(), 3);
    shape.categorical.assign(grid.knobs(), 0);
    for (std::size_t k = 0; k < grid.knobs(); ++k) {
      tables.emplace_back();
      fill_table(k);
    }
  }

  // Correlations of one knob's values with one another.
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

  double correlation(const Places& a, const Places& b) const {
    double product = 1;
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double own = tables[k][a[k] * grid.values(k) + b[k]];
      product *= own;
      sum += own;
    }
    const double weight = kAdditive[shape.additive];
    return weight * sum / static_cast<double>(a.size()) + (1 - weight) * product;
  }

  // Factorises the data's covariance. Returns how probable the hyperparameters are after the data:
  // log marginal likelihood with the signal's variance maximised out, and priors.
  double condition() {
    const auto n = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd covariance(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = j; i < n; ++i)
        covariance(i, j) =
            correlation(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
      covariance(j, j) += kNoise[shape.noise];
    }
    factor.compute(covariance);
    KW_ASSERT(factor.info() == Eigen::Success);
    weights = factor.solve(standardised);
    // As if two observations had shown unit variance: few equal values must not look certain.
    variance = (standardised.dot(weights) + 2) / static_cast<double>(n + 2);
    const double log_determinant = 2 * factor.matrixLLT().diagonal().array().log().sum();
    return -0.5 * static_cast<double>(n + 2) * std::log(variance) - 0.5 * log_determinant +
           log_prior();
  }

  double log_prior() const {
    // Lengths grow with the number of knobs (Hvarfner et al. 2024), else nothing is near anything.
    const double usual = std::log(0.5 * std::sqrt(static_cast<double>(grid.knobs())));
    const auto square = [](double x) { return x * x; };
    double result = -0.5 * square((std::log(kNoise[shape.noise]) - std::log(1e-2)) / 2);
    for (std::size_t k = 0; k < grid.knobs(); ++k) {
      result -= 0.5 * square(std::log(kLengths[shape.length[k]]) - usual);
      result -= 1.5 * static_cast<double>(shape.categorical[k]);
    }
    return result;
  }

  // One hyperparameter, its number of choices, and the knob whose table it changes.
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
    // Two values have only one distance.
    return {&shape.categorical[knob], grid.values(knob) > 2 ? 2U : 1U, knob};
  }

  // Moves the next hyperparameter one choice up or down where that is more probable.
  void step(double& log_posterior) {
    const Coordinate c = coordinate(cursor);
    cursor = (cursor + 1) % (2 + 2 * grid.knobs());
    const std::size_t before = *c.index;
    std::size_t best = before;
    const auto move_to = [&](std::size_t index) {
      *c.index = index;
      if (c.knob) fill_table(*c.knob);
    };
    for (const int by : {-1, 1}) {
      if ((by < 0 && before == 0) || (by > 0 && before + 1 >= c.choices)) continue;
      move_to(by < 0 ? before - 1 : before + 1);
      const double there = condition();
      constexpr double kLeastGain = 1e-6;  // rounding must not decide
      if (there <= log_posterior + kLeastGain) continue;
      log_posterior = there;
      best = *c.index;
    }
    move_to(best);
  }

  const KnobGrid& grid;
  const double least_spread;
  Shape shape;
  std::size_t cursor = 0;
  std::vector<std::vector<double>> tables;

  std::vector<Places> points;
  Eigen::VectorXd standardised;
  double mean = 0;
  double spread = 1;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd weights;
  double variance = 1;
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
  double log_posterior = m.condition();
  for (int i = 0; i < steps; ++i) m.step(log_posterior);
  m.condition();
}

std::vector<Prediction> GaussianProcess::predict(std::span<const Places> points) const {
  const Model& m = *model_;
  KW_ASSERT(!m.points.empty());
  const auto rows = static_cast<Eigen::Index>(m.points.size());
  const auto columns = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd cross(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i)
      cross(i, j) =
          m.correlation(m.points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  const Eigen::VectorXd means = cross.transpose() * m.weights;
  m.factor.matrixL().solveInPlace(cross);
  std::vector<Prediction> predictions;
  predictions.reserve(points.size());
  for (Eigen::Index j = 0; j < columns; ++j) {
    const double left = std::max(1e-12, 1 - cross.col(j).squaredNorm());
    predictions.push_back({m.mean + m.spread * means[j], m.spread * std::sqrt(m.variance * left)});
  }
  return predictions;
}

double GaussianProcess::residual() const {
  const Model& m = *model_;
  return m.spread * std::sqrt(m.variance * kNoise[m.shape.noise]);
}

}  // namespace kw::search

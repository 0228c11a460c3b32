// A Gaussian process over the points of a tuning space, with a kernel that is fitted to the data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "search/knob_grid.h"

namespace kw::search {

struct Prediction {
  double mean = 0;
  double deviation = 0;  ///< Deviation of the function itself, without the noise of measurement.
};

/// The correlation of two points mixes a mean and a product over knobs of Matérn-5/2 curves
/// (Duvenaud et al. 2011, the two ends of their additive kernels): the mean learns fast where knobs
/// act separately, the product catches how they act together. Each knob has its own length, and may
/// turn from ordered to categorical if the data say so. Hyperparameters lie on a coarse grid, so
/// that machines whose libm differs in the last bit make equal decisions. Deterministic: a function
/// of all calls so far.
///
/// Fitting is expensive, adding is cheap: one more datum extends the Cholesky factor by a row, and
/// with it the predictions for points that are followed.
class GaussianProcess {
 public:
  /// `grid` must outlive the process. Values that spread less than `least_spread` are modelled as
  /// if they spread that much.
  GaussianProcess(const KnobGrid& grid, double least_spread);
  ~GaussianProcess();

  /// Replaces the data and moves the hyperparameters `steps` steps towards the most probable ones
  /// given the data. Precondition: at least one point. Cost of a step: two Cholesky factorisations.
  /// Followed points remain followed.
  void fit(std::vector<Places> points, std::vector<double> values, int steps);

  /// Adds one datum; hyperparameters and scale stay. Preconditions: fitted, nothing supposed. Cost:
  /// the square of the number of data, plus data times followed points.
  void add(const Places& point, double value);
  /// Until forget_supposed(), predicts as if this point had been measured with its predicted value:
  /// nearby points are then less uncertain.
  void suppose(const Places& point);
  void forget_supposed();

  /// Predictions at these points. Precondition: fitted. Cost: a triangular solve for each point.
  std::vector<Prediction> predict(std::span<const Places> points) const;

  /// Keeps the predictions of these points up to date; each is named by its index in order of
  /// following. Cost: a triangular solve for each new point.
  void follow(std::span<const Places> points);
  /// Stops following point `i`; the last followed point gets the index `i`.
  void leave(std::size_t i);
  void leave_all();
  Prediction followed(std::size_t i) const;

  /// Predictions at the points of fit() and add(), in this order.
  std::vector<double> at_data() const;

  /// Standard deviation of the values that the fitted function does not explain: noise and
  /// roughness together.
  double residual() const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace kw::search

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
  double deviation = 0;  ///< Of the function itself, noise of measurement left out.
};

/// The correlation of two points mixes a mean and a product over knobs of Matérn-5/2 curves
/// (Duvenaud et al. 2011, the two ends of their additive kernels): the mean learns fast where knobs
/// act apart, the product catches how they act together. Each knob has its length, and may turn
/// from ordered to categorical where the data say so. Hyperparameters lie on a coarse grid, which
/// keeps decisions equal on machines whose libm differs in the last bit. Deterministic: a function
/// of all calls so far.
///
/// Fitting is dear, adding is cheap: one more datum extends the Cholesky factor by a row, and with
/// it the predictions for points that are followed.
class GaussianProcess {
 public:
  /// `grid` outlives this. Values that spread less than `least_spread` are modelled as if they did.
  GaussianProcess(const KnobGrid& grid, double least_spread);
  ~GaussianProcess();

  /// Replaces the data and moves the hyperparameters `steps` steps towards those most probable
  /// after it. At least one point. Cost of a step: two Cholesky factorisations. Points that were
  /// followed stay so.
  void fit(std::vector<Places> points, std::vector<double> values, int steps);

  /// One more datum; hyperparameters and scale stay. Precondition: fitted, nothing supposed. Cost:
  /// the square of the data, and data times points that are followed.
  void add(const Places& point, double value);
  /// As if this had come out as expected, until forget_supposed(): what is near is less unknown.
  void suppose(const Places& point);
  void forget_supposed();

  /// Precondition: fitted. Cost: a triangular solve for each point.
  std::vector<Prediction> predict(std::span<const Places> points) const;

  /// Points whose predictions are kept up with the data, by their places in this order. Cost of
  /// following: a triangular solve for each new one.
  void follow(std::span<const Places> points);
  /// The last one takes the place of `i`.
  void leave(std::size_t i);
  void leave_all();
  Prediction followed(std::size_t i) const;

  /// What is predicted at each datum, in the order of fit() and add().
  std::vector<double> at_data() const;

  /// What the fitted function does not explain of the values: an sd, noise and roughness together.
  double residual() const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace kw::search

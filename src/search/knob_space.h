// The tuning space of one idea: knobs, their values, and which combinations exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record/candidate.h"

namespace kw::search {

struct KnobAxis {
  std::string name;
  /// The knob's values, at least one; neighbours in the list are similar settings.
  std::vector<std::int64_t> values;
};

/// Tells whether a combination exists. Pure; called often.
using Validity = std::function<bool(const KnobPoint&)>;

/// An immutable list of points, numbered 0 … size() − 1 with the last knob fastest; number 0 is
/// every knob's first value. An idea without knobs has one point, the empty one.
class KnobSpace {
 public:
  KnobSpace() = default;
  explicit KnobSpace(std::vector<KnobAxis> knobs, Validity is_valid = {});

  const std::vector<KnobAxis>& knobs() const { return knobs_; }
  /// Number of combinations, valid or not; saturates at 2^62.
  std::uint64_t size() const { return size_; }
  KnobPoint at(std::uint64_t number) const;
  /// The number of a point. Precondition: every knob of the space has one of its values.
  std::uint64_t number_of(const KnobPoint& point) const;
  bool is_valid(const KnobPoint& point) const { return !is_valid_ || is_valid_(point); }
  /// Whether a `require` line may exclude some combinations.
  bool has_requirements() const { return static_cast<bool>(is_valid_); }

  /// The first valid point; at(0) if none of the first 2^16 points is valid.
  KnobPoint first() const;
  /// Valid points in order, at most `limit`; looks at no more than 2^20 combinations.
  std::vector<KnobPoint> valid_points(std::size_t limit) const;
  /// Valid points that differ by one step up or down in one knob.
  std::vector<KnobPoint> neighbours(const KnobPoint& point) const;

 private:
  std::vector<KnobAxis> knobs_;
  Validity is_valid_;
  std::uint64_t size_ = 1;
};

/// Text of a point for explanations: "BM=64 STAGES=2".
std::string to_text(const KnobPoint& point);

}  // namespace kw::search

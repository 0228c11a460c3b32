// The workloads of a drafted task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kw::task {

/// Size: of a tensor. Pitch: the distance between rows. Count: neither, as the number of steps.
/// Entries: of all rows together, where rows have different lengths. Window: of something that
/// slides over tensors, smaller than their sizes. Stride: the step by which it slides. Place: an
/// index. Flag: no number of anything, but what chooses between ways through the code.
enum class DimUse { Size, Pitch, Count, Entries, Window, Stride, Place, Flag };

struct DraftedDim {
  std::string name;
  DimUse use = DimUse::Size;
  std::vector<std::int64_t> values = {};  ///< Of a flag, which workloads take in turn.
};

/// A check workload besides those for sizes, whose inputs hold what plain noise does not.
struct DraftedCase {
  std::string name;
  std::string why;                                  ///< A comment before it; empty: there is none.
  std::map<std::string, std::string> values;        ///< Values as YAML by input.
  std::map<std::string, std::string> scalars = {};  ///< Values of real scalars.
};

/// A real scalar that is the distance between two points of a loop.
struct DraftedStep {
  std::string name;
  std::string turns;   ///< The number of points, as an expression over the dims.
  double span = 1;     ///< Distance between the first point and the last.
  std::string origin;  ///< The scalar that is the first point; empty: there is none.
};

struct DraftedSizes {
  std::vector<DraftedDim> dims;
  std::ptrdiff_t work_rank = 0;    ///< Most sizes that multiply in the number of operations.
  std::ptrdiff_t tensor_rank = 0;  ///< Most dimensions of a tensor that vary.
  /// Operations of a call, and bytes of all tensors, as expressions over the dims.
  std::string operations = "0";
  std::string bytes = "0";
  std::vector<DraftedCase> cases = {};
  std::vector<DraftedStep> steps = {};
  /// The first of these is to be larger than the second by a quarter; empty: any may be.
  std::string longer = {};
  std::string shorter = {};
};

/// Factors of the sizes in the timed rows of the tables.
struct TimedScales {
  double processor = 1;
  double gpu = 1;
  /// For a second workload on a processor, whose arrays its caches hold; 0: there is none.
  double in_cache = 0;

  bool operator==(const TimedScales&) const = default;
};

/// What a call on a processor is to take, in nanoseconds: long enough to be timed well, short
/// enough that some hundred pairs end within a minute.
inline constexpr double kLeastCallNs = 5e6;
inline constexpr double kWantedCallNs = 20e6;
inline constexpr double kMostCallNs = 50e6;

/// Scales at which calls take about kWantedCallNs if one operation takes a nanosecond and memory
/// gives 8 GB/s, which plain code has on one core; on a GPU about a quarter of that, at 500
/// operations and 1,000 bytes a nanosecond. Arrays take 1 GiB at most.
TimedScales counted_scales(const DraftedSizes& sizes);

/// The scales for a processor on which calls at scales.processor took `call_ns`: they are to take
/// kWantedCallNs. Changes the scale eightfold at most, since times do not grow evenly.
TimedScales rescaled(const DraftedSizes& sizes, const TimedScales& scales, double call_ns);

/// shapes.yaml: check shapes of primes and neighbours of powers of two, and timed workloads of
/// primes for each target. No two sizes of a workload are equal.
std::string draft_shapes(const DraftedSizes& sizes, const TimedScales& scales);

}  // namespace kw::task

// Attempts: the stored attempts of runs, walked one at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "record/attempt.h"
#include "store/artifacts.h"
#include "store/database.h"

namespace kw::store {

/// Whether a walk over attempts loads their source texts, which lie in separate files.
enum class Sources { Load, LeaveOut };
/// Whether a walk loads the samples of timed workloads, which are two thirds of the cost of
/// reading.
enum class Samples { Load, LeaveOut };

class Attempts {
 public:
  /// `db` and `artifacts` must outlive the object.
  Attempts(const Database& db, const Artifacts& artifacts) : db_(db), artifacts_(artifacts) {}

  /// Visits attempts in order. A second thread unpacks them, a few dozen at a time, while `visit`
  /// runs on the caller's thread; an error of `visit` ends the walk.
  Result<> for_each(std::int64_t run, Sources sources,
                    const std::function<Result<>(Attempt&)>& visit,
                    Samples samples = Samples::Load) const;
  /// Visits the AttemptLine of each attempt behind attempt `after`, on one thread: about a tenth of
  /// the cost of for_each().
  Result<> for_each_line(std::int64_t run, const std::function<void(const AttemptLine&)>& visit,
                         int after = 0) const;
  Result<Attempt> get(std::int64_t run, int number) const;

 private:
  const Database& db_;
  const Artifacts& artifacts_;
};

}  // namespace kw::store

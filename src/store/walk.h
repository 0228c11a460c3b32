// AttemptWalk: the stored attempts of a run, unpacked by another thread before they are visited.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "store/attempts.h"

namespace kw::store {

/// A row of the table of attempts, with the body still compressed.
struct PackedAttempt {
  std::string source;  ///< Name of the source's artifact, in hex.
  std::string body;    ///< Compressed JSON.
};

/// Unpacks an attempt without its source text. Uses only its arguments, so any thread may call it.
Result<Attempt> unpack(const PackedAttempt& packed, Samples samples = Samples::Load);

/// A cache of source texts by name: neighbouring attempts often share one, and each lies in a file.
class SourceTexts {
 public:
  /// `artifacts` must outlive the object.
  explicit SourceTexts(const Artifacts& artifacts) : artifacts_(artifacts) {}
  Result<std::string> get(const std::string& hex);

 private:
  const Artifacts& artifacts_;
  std::map<std::string, std::string> texts_;
  std::size_t bytes_ = 0;
};

/// Visits attempts in the order in which their rows are added, on the thread that adds them.
class AttemptWalk {
 public:
  using Visit = std::function<Result<>(Attempt&)>;

  /// `artifacts` and `visit` must outlive the walk.
  AttemptWalk(const Artifacts& artifacts, Sources sources, Samples samples, const Visit& visit)
      : texts_(artifacts), sources_(sources), samples_(samples), visit_(visit) {}

  /// Adds a row, and may visit attempts added before; an error ends the walk.
  Result<> add(PackedAttempt packed);
  /// Visits the attempts that are left.
  Result<> finish();

 private:
  using Batch = std::vector<PackedAttempt>;
  using Unpacked = std::vector<Result<Attempt>>;

  static Unpacked unpack_all(const Batch& batch, Samples samples);
  Result<> visit_ahead();
  Result<> visit_all(Unpacked attempts, const std::vector<std::string>& names);

  SourceTexts texts_;
  const Sources sources_;
  const Samples samples_;
  const Visit& visit_;
  Batch batch_;
  std::future<Unpacked> ahead_;
  /// Names of the sources of the batch that is being unpacked.
  std::vector<std::string> ahead_names_;
};

}  // namespace kw::store

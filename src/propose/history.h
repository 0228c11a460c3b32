// History: the attempts of a run as lines of a prompt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "propose/veil.h"
#include "record/attempt.h"

namespace kw::propose {

/// Bytes of history that the largest prompt can show: 24,000 tokens at 3.5 bytes each.
inline constexpr std::size_t kHistoryBytes = 84'000;

struct HistoryLine {
  std::string text;
  bool is_gain = false;     ///< Whether an attempt was a new best when measured.
  int first = 0, last = 0;  ///< Numbers of the first and last attempt of the line.
};

/// Bytes of a line in a prompt, including "- " before it and the newline after it.
inline std::size_t shown_bytes(const HistoryLine& line) { return line.text.size() + 3; }

/// Successive attempts of the same name, which a tuner makes, become one line about the best of
/// them. Old lines are dropped and only counted once later lines of the same kind (with or without
/// a gain) fill a prompt, because a prompt would leave the oldest out first and never show them. So
/// the size of a history does not grow with the run.
class History {
 public:
  explicit History(std::size_t most_bytes = kHistoryBytes) : most_bytes_(most_bytes) {}

  /// Adds an attempt; attempts must be added in order. O(lines).
  void add(const AttemptLine& line, const Veil& veil);

  /// The lines that are kept, oldest first; dropped lines are in counted().
  const std::vector<HistoryLine>& lines() const { return lines_; }
  struct Counted {
    std::size_t lines = 0;
    std::size_t bytes = 0;
  };
  /// Number and bytes of the dropped lines, which were older than lines().
  const Counted& counted(bool is_gain) const { return counted_[is_gain]; }
  std::size_t most_bytes() const { return most_bytes_; }

 private:
  /// The successive attempts of one name that the last line describes.
  struct Row {
    AttemptLine best;
    std::size_t size = 0;
    std::size_t failed = 0;
  };
  void count_oldest(bool is_gain);

  std::size_t most_bytes_;
  std::vector<HistoryLine> lines_;
  Row row_;
  std::array<Counted, 2> counted_;
};

}  // namespace kw::propose

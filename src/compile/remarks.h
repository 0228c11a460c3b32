// What the compiler vectorised and what not, per loop of the main file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kw::compile {

struct LoopRemark {
  int line = 0;
  int column = 0;
  int vector_bytes = 0;  ///< Widest vectors used; 0: the loop stayed scalar.
  std::string reason;    ///< Why it stayed scalar, in words; empty where the compiler gives none.

  bool operator==(const LoopRemark&) const = default;
};

/// Reads GCC's -fopt-info-vec-optimized-missed for the loops of `main_file`, by line. One entry per
/// line: vectorised if any loop on it was. Outer loops of a nest are left out, as only innermost
/// loops are vectorised.
std::vector<LoopRemark> parse_gcc_remarks(std::string_view text, std::string_view main_file);

/// The form kept in BuiltObject::log: "loop 12:21 vectorized 64", "loop 7:3 scalar <reason>".
std::string format_remarks(const std::vector<LoopRemark>& remarks);
std::vector<LoopRemark> parse_remarks(std::string_view log);

}  // namespace kw::compile

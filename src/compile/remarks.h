// Which loops of the main file the compiler vectorised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kw::compile {

struct LoopRemark {
  int line = 0;
  int column = 0;
  int vector_bytes = 0;  ///< Bytes of the widest vectors used; 0: the loop stayed scalar.
  /// Why the loop was not vectorised, in plain words; empty where the compiler gives no reason.
  std::string reason;

  bool operator==(const LoopRemark&) const = default;
};

/// Reads GCC's output of -fopt-info-vec-optimized-missed for the loops of `main_file`, by line.
/// Each line has one entry, vectorised if any loop on the line was. Outer loops of a nest are left
/// out, since only innermost loops are vectorised.
std::vector<LoopRemark> parse_gcc_remarks(std::string_view text, std::string_view main_file);

/// The text form of remarks stored in BuiltObject::log: "loop 12:21 vectorized 64", "loop 7:3
/// scalar <reason>".
std::string format_remarks(const std::vector<LoopRemark>& remarks);
std::vector<LoopRemark> parse_remarks(std::string_view log);

}  // namespace kw::compile

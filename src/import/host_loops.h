// Interprets the loops of a host function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "import/host_paths.h"
#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Variables, by their scopes and names.
using Places = std::set<std::pair<std::size_t, std::string>>;

/// Interprets loops: turn by turn while their tests are decided, else once for all turns, as a loop
/// of the plan.
class LoopReader {
 public:
  explicit LoopReader(HostParts& all) : all_(all) {}

  /// Interprets a loop other than `do` whose parts begin at these tokens.
  Flow loop(std::size_t keyword, std::size_t header, std::size_t body, std::size_t body_end);
  /// Interprets `do BODY while (TEST)` as BODY, then `while (TEST) BODY`.
  Flow do_statement(std::size_t& i, std::size_t end);

 private:
  struct Counted;
  struct Symbolic;
  std::optional<Counted> counted_loop(std::size_t open, std::size_t close);
  bool turns_of_list(std::size_t open, std::size_t close, std::size_t body, std::size_t end,
                     Flow& flow);
  bool turns_by_number(std::size_t open, std::size_t close, std::size_t body, std::size_t end,
                       Flow& flow);
  void start_loop(std::size_t open, std::size_t close);
  void symbolic_loop(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
                     std::size_t end);
  void start_round(Symbolic& loop);
  Places run_round(Symbolic& loop);
  void note_returns(const Symbolic& loop);
  void write_loop(const Symbolic& loop);

  HostParts& all_;
};

}  // namespace kw::import

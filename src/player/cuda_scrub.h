// Scrubber: overwrites what a GPU's multiprocessors keep from one call to the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "player/cuda_holdings.h"

namespace kw::player::cuda {

/// Finds the kernels that overwrite, in the trusted module.
Outcome find_scrubs(Holdings& held);
/// Remembers the size of a kernel's frame in local memory; refuses one that is too large.
Outcome note_frame(Holdings& held, Function function, std::string_view kernel);

class Scrubber {
 public:
  /// `held` must outlive the object.
  explicit Scrubber(const Holdings& held) : held_(held) {}

  /// Overwrites local memory, registers and shared memory, and waits for the end.
  Outcome scrub();
  /// Overwrites registers and shared memory only; the driver would have to allocate local memory
  /// first.
  Outcome scrub_cores();

 private:
  /// Launches `blocks_each` blocks on every multiprocessor, all running at the same time; begun_
  /// counts them.
  Status launch_everywhere(Function function, unsigned blocks_each, unsigned threads,
                           int shared_bytes, std::span<void*> arguments);
  Status scrub_local_memory();
  Status scrub_registers();
  Status scrub_shared_memory();

  const Holdings& held_;
  unsigned begun_ = 0;  ///< Blocks counted as in kw_scrubs_begun.
};

}  // namespace kw::player::cuda

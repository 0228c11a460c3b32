// BufferMap: maps the referee's buffers and its clock page into a player.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "player/cuda_holdings.h"

namespace kw::player::cuda {

class BufferMap {
 public:
  /// `held` gets the buffers and must outlive the object.
  explicit BufferMap(Holdings& held) : held_(held) {}

  /// Maps one buffer, or the clock page. The caller keeps the descriptor.
  Outcome map(const MapEntry& entry, int descriptor);
  /// Prepares everything that depends on the complete list of buffers; call after the last map().
  Outcome finish();
  /// Unmaps every buffer whose entry is false.
  Outcome keep_only(const std::vector<bool>& is_kept);
  /// Queues the kernel kw_touch, which reads from every buffer.
  Status launch_touch() const;

 private:
  Outcome map_clock(const MapEntry& entry, int descriptor);
  /// Copies the list of buffers to the device, for the kernel kw_touch.
  Outcome send_touch_list();

  Holdings& held_;
  Address touch_list_ = 0;  ///< Null until finish().
};

}  // namespace kw::player::cuda

// Default answers of players that run no launch plans to requests about plans.
// SPDX-License-Identifier: Apache-2.0
#include "device/player.h"

namespace kw::device {

LoadResult Player::bind(const Binding&) {
  return {.fate = Fate::LoadRefused, .detail = "a cpu runs no launch plans of CUDA kernels"};
}

CallResult Player::forget(int) {
  return {.fate = Fate::BadProtocol, .detail = "a cpu runs no launch plans of CUDA kernels"};
}

}  // namespace kw::device

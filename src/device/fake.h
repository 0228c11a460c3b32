// A device in ordinary memory whose players run a function of the test's choice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace kw::device {

/// One argument as a kernel sees it: `address` of a buffer's byte, or the scalar's image.
struct FakeArgument {
  std::byte* address = nullptr;
  std::uint64_t scalar = 0;

  template <class T>
  T* tensor() const {
    return reinterpret_cast<T*>(address);
  }
  template <class T>
  T value() const {
    T out;
    __builtin_memcpy(&out, &scalar, sizeof out);
    return out;
  }
};

/// What a call does: changes buffers, and returns how it ended and how long it took.
using FakeKernel = std::function<CallResult(const std::vector<std::vector<FakeArgument>>& sets)>;

/// A call that returned after `ns`.
inline CallResult returned_after(double ns) { return {.fate = Fate::Returned, .elapsed_ns = ns}; }

/// A call of a bound plan that was stamped at `ns`, as events say too.
inline CallResult stamped_at(double ns) {
  return {.fate = Fate::Returned, .elapsed_ns = ns + 20e3, .stamped_ns = ns, .event_ns = ns};
}

struct FakeObject {
  /// For a bound plan the one set holds what its steps pass, in their order: scalars' images, and
  /// addresses in tensors and workspaces.
  FakeKernel kernel;
  LoadResult load;         ///< `object` is filled in.
  LoadResult bind;         ///< Likewise.
  CallResult forget = {};  ///< How these end, where the player lives.
  CallResult keep_only = {};
  CallResult empty = {};       ///< Of a player that has loaded it, if not Returned.
  AfterReturn after;           ///< What watching finds after each call.
  std::function<void()> late;  ///< Runs while the player is watched after a call.
};

/// Shared by a fake device and its players. With target Cuda its players run plans, else functions;
/// the test keeps it and changes it between calls.
struct FakeWorld {
  DeviceFacts facts;                          ///< A plausible 2-core machine unless changed.
  std::map<std::string, FakeObject> objects;  ///< By BuiltObject::sha256.
  double empty_call_ns = 20'000;
  double empty_stamped_ns = 2000;  ///< cuda: of an empty call, whose events say 2000.
  std::int64_t free_bytes = std::int64_t{8} << 30;
  /// The largest allocation that works, whatever is said to be free.
  std::int64_t most_bytes = std::int64_t{8} << 30;
  bool is_sane = true;  ///< What probe() answers.
  bool has_failed = false;
  std::string lost;     ///< What probe() fails with instead; empty: it answers.
  int fail_starts = 0;  ///< The next so many start_player() calls fail.
  int flushes = 0;
  int players_started = 0;
  int last_players = 0;  ///< Of these: that no other was to follow.
  /// What run_trusted() answers; a device without trusted kernels while empty.
  std::function<Result<double>(const TrustedRun&)> trusted;
  std::vector<std::string> log;  ///< "start candidate", "load", "call candidate", "flush", …

  FakeWorld();
};

/// `world` must outlive the device and its players.
std::unique_ptr<Device> make_fake_device(FakeWorld& world);

}  // namespace kw::device

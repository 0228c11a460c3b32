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

/// One argument as a kernel sees it: the address of a buffer's byte, or the image of a scalar.
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

/// Effect of a call: changes buffers, and returns how the call ended and how long it took.
using FakeKernel = std::function<CallResult(const std::vector<std::vector<FakeArgument>>& sets)>;

/// The result of a call that returned after `ns`.
inline CallResult returned_after(double ns) { return {.fate = Fate::Returned, .elapsed_ns = ns}; }

/// The result of a bound plan's call that took `ns` by the stamps and by the events alike.
inline CallResult stamped_at(double ns) {
  return {.fate = Fate::Returned, .elapsed_ns = ns + 20e3, .stamped_ns = ns, .event_ns = ns};
}

struct FakeObject {
  /// The function that a call runs. For a bound plan it gets one set: the arguments of the plan's
  /// steps in order, as scalars' images and addresses in tensors and workspaces.
  FakeKernel kernel;
  LoadResult load;         ///< Result of load(); `object` is filled in.
  LoadResult bind;         ///< Result of bind(); `object` is filled in.
  CallResult forget = {};  ///< Result of forget(), unless the player has ended.
  CallResult keep_only = {};
  CallResult empty = {};       ///< Result of empty calls of a player that has loaded this object.
  AfterReturn after;           ///< What watch_after_return() reports after each call.
  std::function<void()> late;  ///< Runs while the player is watched after a call.
};

/// State shared by a fake device and its players. With target Cuda its players run plans, else
/// functions. The test owns it and changes it between calls.
struct FakeWorld {
  DeviceFacts facts;                          ///< A plausible 2-core machine unless changed.
  std::map<std::string, FakeObject> objects;  ///< Keyed by BuiltObject::sha256.
  double empty_call_ns = 20'000;
  /// cuda: stamped time of an empty call; the time by events is 2000.
  double empty_stamped_ns = 2000;
  std::int64_t free_bytes = std::int64_t{8} << 30;
  /// Largest allocation that succeeds, however many bytes are reported as free.
  std::int64_t most_bytes = std::int64_t{8} << 30;
  bool is_sane = true;  ///< Answer of probe().
  bool has_failed = false;
  std::string lost;     ///< Error of probe(); empty: probe() answers.
  int fail_starts = 0;  ///< So many of the next start_player() calls fail.
  int flushes = 0;
  int players_started = 0;
  /// Number of players among `players_started` for which PlayerSpec::is_followed was false.
  int last_players = 0;
  /// Answer of run_trusted(); while empty, the device has no trusted kernels.
  std::function<Result<double>(const TrustedRun&)> trusted;
  /// What happened on the device, in order: "start candidate", "load", "call candidate", "flush", …
  std::vector<std::string> log;

  FakeWorld();
};

/// Creates a fake device; `world` must outlive it and its players.
std::unique_ptr<Device> make_fake_device(FakeWorld& world);

}  // namespace kw::device

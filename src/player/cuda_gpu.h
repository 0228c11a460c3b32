// Gpu: a context on one GPU with a stream and two events, and the functions of the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "player/cuda_api.h"
#include "player/protocol.h"

namespace kw::player::cuda {

/// Why a request did not succeed.
struct Failure {
  Trouble trouble = Trouble::BadRequest;
  Status status = 0;
  std::string words;
};
using Outcome = std::optional<Failure>;  ///< Nothing: success.

/// A failure that no call of the driver reported.
inline Failure fail(Trouble trouble, std::string words) { return {trouble, 0, std::move(words)}; }

class Gpu {
 public:
  /// Creates a context on the device with this UUID, which takes 0.15 s and more. `is_primary`: the
  /// primary context, in which CUDA's runtime and its libraries work.
  Outcome open(const Uuid& uuid, const std::string& library, bool is_primary);
  /// Uses the caller's current context instead of creating one.
  Outcome adopt(const Api& api, DeviceOrdinal device);

  /// Returns nothing on success, else the failure of `what` with this status; its trouble is
  /// `otherwise` unless the context is lost.
  Outcome check(Status status, std::string_view what, Trouble otherwise) const;
  /// Enters the context that open() created again, after foreign host code may have entered
  /// another.
  Outcome enter_again() const;
  /// Copies to the device and waits for the end: the driver may return while the last bytes are
  /// still on their way, and our stream does not wait for other streams.
  Outcome send(Address to, const void* from, std::size_t bytes, std::string_view what) const;
  Status launch(Function function, unsigned blocks, unsigned threads, unsigned shared_bytes,
                Stream stream, std::span<void*> arguments) const;
  /// The time between begin() and end(), when the stream has passed both.
  Outcome read_events(std::uint64_t& event_ns) const;

  const Api& api() const { return api_; }
  DeviceOrdinal device() const { return device_; }
  Stream stream() const { return stream_; }
  Event begin() const { return begin_; }
  Event end() const { return end_; }
  int multiprocessors() const { return multiprocessors_; }
  int shared_per_block() const { return shared_per_block_; }
  int threads_per_multiprocessor() const { return threads_per_multiprocessor_; }

 private:
  Outcome create_context(bool is_primary);
  /// Creates the stream and the events, and reads the sizes of the GPU.
  Outcome complete();

  Api api_;
  Context context_ = nullptr;  ///< Null for a context that was adopted.
  DeviceOrdinal device_ = 0;
  Stream stream_ = nullptr;
  Event begin_ = nullptr;
  Event end_ = nullptr;
  int multiprocessors_ = 1;
  int shared_per_block_ = 0;
  int threads_per_multiprocessor_ = 1024;
};

}  // namespace kw::player::cuda

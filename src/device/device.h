// Device: the only interface by which the referee touches tensor bytes and starts players.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/player.h"
#include "record/device.h"
#include "record/task.h"

namespace kw::device {

/// Memory that the referee owns and players can map. The payload ends as close to an unmapped page
/// as its alignment allows; the slack around it is filled with canaries that check_guards() reads.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::int64_t bytes() const = 0;  ///< Size of the payload.
  /// Copies between payload and host memory; the range must lie inside the payload.
  virtual Result<> read(std::int64_t offset, std::span<std::byte> to) const = 0;
  virtual Result<> write(std::int64_t offset, std::span<const std::byte> from) = 0;
  /// Replaces the memory by other memory of the same size that no player has ever mapped; its
  /// content is undefined. Players that map the buffer keep the old memory and must not be called
  /// again. Does nothing where a player's traces in memory cannot outlive it, as on a GPU.
  virtual Result<> renew() { return {}; }
};

struct BufferSpec {
  std::string name = {};  ///< Name in messages.
  std::int64_t bytes = 0;
  std::int64_t alignment = 64;
  /// Whether players may map the buffer. False for inputs and reference values that the referee
  /// keeps to itself.
  bool shared = true;
};

/// Allowed deviation d of an element from `truth`, the float64 reference value: |d| <= absolute +
/// relative |truth| + magnitude S, and where S <= exact_below (S is 0 without magnitudes) also |d|
/// <= exact_within.
struct Allowance {
  /// Outputs must be bit-equal to the reference value converted to the output's type; the other
  /// fields are ignored.
  bool exact = false;
  double absolute = 0;
  double relative = 0;
  double magnitude = 0;
  double exact_below = -1;
  double exact_within = 0;

  double of(double abs_truth, double s) const {
    const double base = absolute + relative * abs_truth + magnitude * s;
    return s <= exact_below && exact_within < base ? exact_within : base;
  }
};

/// Rows of a region that a partial check looks at: the first, the last, and blocks of rows drawn by
/// `seed`. share >= 1: all rows.
struct Selection {
  std::uint64_t seed = 0;
  double share = 1;
};

struct Mismatch {
  std::vector<std::int64_t> at;  ///< Coordinates of the element.
  double got = 0;
  double want = 0;
};

/// Result of comparing one region with its reference values. Sums run over compared elements only.
struct Comparison {
  std::int64_t compared = 0;
  /// Number of elements beyond the allowance, or not finite where the reference value is finite.
  std::int64_t failed = 0;
  std::int64_t nonfinite_failed = 0;
  double worst_fraction = 0;  ///< Largest deviation ÷ its allowance.
  double max_abs_diff = 0;
  double max_abs_truth = 0;
  double sum_sq_diff = 0;
  double sum_sq_truth = 0;
  double sum_got = 0;
  double sum_want = 0;
  std::vector<Mismatch> first;  ///< The first mismatches in memory order, at most 64.
};

/// Operations on buffers. Each is deterministic given its seed, and gives the same result on all
/// devices.
class BufferOps {
 public:
  virtual ~BufferOps() = default;
  /// Draws the tensor's values; row padding gets poison bytes.
  virtual Result<> fill(Buffer& to, const Tensor& tensor, std::uint64_t seed) = 0;
  /// Fills the payload with random bytes that read as finite, large floats, different for every
  /// seed.
  virtual Result<> poison(Buffer& to, std::uint64_t seed) = 0;
  virtual Result<> copy(Buffer& to, const Buffer& from) = 0;
  /// Converts a tensor of reals to float64, into a buffer of 8 bytes per element with the same
  /// layout and pitch.
  virtual Result<> widen(Buffer& to, const Buffer& from, const Tensor& tensor) = 0;
  /// Converts float64 to the tensor's type, to the nearest, ties to even. Row padding is left
  /// unchanged.
  virtual Result<> narrow(Buffer& to, const Buffer& from, const Tensor& tensor) = 0;
  /// Compares one region of `got` (tensor's dtype) with `truth` (float64; for integers the tensor's
  /// dtype) of the same layout; `magnitude` may be null.
  virtual Result<Comparison> compare(const Buffer& got, const Buffer& truth,
                                     const Buffer* magnitude, const Tensor& tensor,
                                     const Region& region, const Allowance& allowance,
                                     const Selection& selection) = 0;
  /// Number of bytes that differ between two buffers, row padding included; `padding_only` looks at
  /// the padding alone.
  virtual Result<std::int64_t> count_differences(const Buffer& a, const Buffer& b,
                                                 const Tensor& tensor, bool padding_only) = 0;
  /// Empty if every canary of a shared buffer is intact, else words that tell side and byte.
  virtual Result<std::string> check_guards(Buffer& buffer) = 0;
};

struct PlayerSpec {
  std::string name = {};  ///< Name in messages: "candidate", "opponent", "reference".
  JailLevel jail = JailLevel::Namespace;
  /// Bound on memory beyond the mapped buffers; 0 means the default limit.
  std::int64_t memory_bytes = 0;
  /// Value of OMP_NUM_THREADS; 0 means all cores of the device.
  int threads = 0;
  /// Buffers to map, in this order; Call refers to them by index.
  std::vector<Buffer*> buffers = {};
  /// For each buffer whether it is writable; a write to a read-only input faults.
  std::vector<bool> writable = {};
  /// cuda: whether the player will load a host launcher and so sees CUDA's libraries. For trusted
  /// code alone.
  bool runs_host_code = false;
  /// Whether another player will be needed soon, so that one is started meanwhile. On cuda that
  /// takes a tenth of a second in which nothing can be timed.
  bool is_followed = true;
};

/// A timed run of trusted kernels, by which the ceilings of a device are measured.
struct TrustedRun {
  std::string unit = {};       ///< Value of BuildUnit::role of a unit that equip() got.
  const Plan* plan = nullptr;  ///< Launches only; the plan's tensors are `buffers`, by index.
  std::vector<Buffer*> buffers = {};
  int repeats = 1;  ///< How often to run the plan, one run after another.
};

/// One device with its facts, buffers and players. Not thread-safe; the caller holds the lease.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual Result<std::unique_ptr<Buffer>> allocate(const BufferSpec& spec) = 0;
  virtual BufferOps& ops() = 0;
  /// Evicts these buffers, which must be this device's, from every cache, without a player's help.
  virtual Result<> flush(std::span<Buffer* const> buffers) = 0;
  /// Starts a disposable process in a jail with the buffers mapped; takes milliseconds.
  virtual Result<std::unique_ptr<Player>> start_player(const PlayerSpec& spec) = 0;
  /// Whether the device answers and computes correctly; call after a fault, before the next player.
  /// If it cannot be tried, for lack of memory for example, the error is one to retry; so is a lost
  /// GPU, which no work of this process can bring back.
  virtual Result<bool> probe() = 0;
  /// Whether the device has counted a failure of its own (uncorrected memory errors) since it was
  /// opened, as its maker's management library reports to this process. False where there is no
  /// such report. Players have no influence on it.
  virtual bool has_failed() { return false; }
  /// Hands over trusted kernels that the device's own operations need (cuda: the units that
  /// trusted_units() lists, built for its architecture). Call before anything else; a device that
  /// needs none ignores them.
  virtual Result<> equip(std::span<const BuildUnit> units);
  /// Runs trusted kernels in the referee's own context and waits for their end. Returns the
  /// nanoseconds between two events on the same stream, one recorded before the first launch and
  /// one after the last. Error: a kernel faults or does not exist, or the device has no trusted
  /// kernels.
  virtual Result<double> run_trusted(const TrustedRun& run);
  /// Bytes that may still be allocated without disturbing other programs.
  virtual std::int64_t free_bytes() const = 0;
};

}  // namespace kw::device

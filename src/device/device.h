// The device seam: the only way in which the referee touches tensor bytes and starts players.
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

/// Memory that the referee owns and players map at will. The payload ends as close to an unmapped
/// page as its alignment allows; the slack around it is filled with canaries that check_guards()
/// reads.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::int64_t bytes() const = 0;  ///< Payload.
  /// Copies between payload and host memory; the range must lie inside the payload.
  virtual Result<> read(std::int64_t offset, std::span<std::byte> to) const = 0;
  virtual Result<> write(std::int64_t offset, std::span<const std::byte> from) = 0;
  /// Other memory of the same size in its place, which no player has ever mapped; its content is
  /// anybody's. Players that map the buffer keep the old memory and must not be called again. Where
  /// a player's marks on memory cannot outlive it, as on a GPU, nothing happens.
  virtual Result<> renew() { return {}; }
};

struct BufferSpec {
  std::string name = {};  ///< For messages.
  std::int64_t bytes = 0;
  std::int64_t alignment = 64;
  bool shared = true;  ///< False: the referee's own (pool sets, truths); never mapped by a player.
};

/// |d| <= absolute + relative |truth| + magnitude S, elementwise, and where S <= exact_below (0
/// without S) also |d| <= exact_within.
struct Allowance {
  bool exact =
      false;  ///< Bit-equal after conversion of the truth to the output's type; others ignored.
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

/// Which rows of a region a reduced check looks at: blocks of rows, drawn by `seed`; first and last
/// row always. share >= 1: all.
struct Selection {
  std::uint64_t seed = 0;
  double share = 1;
};

struct Mismatch {
  std::vector<std::int64_t> at;  ///< Coordinates.
  double got = 0;
  double want = 0;
};

/// What a comparison of one region with its truth saw. Sums run over compared elements only.
struct Comparison {
  std::int64_t compared = 0;
  std::int64_t failed = 0;  ///< Beyond the allowance, or non-finite where the truth is not.
  std::int64_t nonfinite_failed = 0;
  double worst_fraction = 0;  ///< Largest |d| ÷ allowance.
  double max_abs_diff = 0;
  double max_abs_truth = 0;
  double sum_sq_diff = 0;
  double sum_sq_truth = 0;
  double sum_got = 0;
  double sum_want = 0;
  std::vector<Mismatch> first;  ///< At most 64, in memory order.
};

/// Operations on buffers. Every one is deterministic given its seed and agrees between back ends.
class BufferOps {
 public:
  virtual ~BufferOps() = default;
  /// Draws the tensor's values (row padding gets poison bytes).
  virtual Result<> fill(Buffer& to, const Tensor& tensor, std::uint64_t seed) = 0;
  /// Random bytes everywhere in the payload; as floats these are finite, large and never equal
  /// twice.
  virtual Result<> poison(Buffer& to, std::uint64_t seed) = 0;
  virtual Result<> copy(Buffer& to, const Buffer& from) = 0;
  /// Converts a tensor of reals to float64 in a buffer of 8 bytes per element, same layout and
  /// pitch.
  virtual Result<> widen(Buffer& to, const Buffer& from, const Tensor& tensor) = 0;
  /// The opposite: float64 to the tensor's type, to the nearest, ties to even. Row padding stays.
  virtual Result<> narrow(Buffer& to, const Buffer& from, const Tensor& tensor) = 0;
  /// Compares one region of `got` (tensor's dtype) with `truth` (float64; integers: tensor's
  /// dtype), same layout; `magnitude` may be null.
  virtual Result<Comparison> compare(const Buffer& got, const Buffer& truth,
                                     const Buffer* magnitude, const Tensor& tensor,
                                     const Region& region, const Allowance& allowance,
                                     const Selection& selection) = 0;
  /// Bytes that differ between two buffers, row padding included; `padding_only` looks at nothing
  /// else.
  virtual Result<std::int64_t> count_differences(const Buffer& a, const Buffer& b,
                                                 const Tensor& tensor, bool padding_only) = 0;
  /// Empty if every canary of a shared buffer is whole, else words saying which side and byte.
  virtual Result<std::string> check_guards(Buffer& buffer) = 0;
};

struct PlayerSpec {
  std::string name = {};  ///< For messages: "candidate", "opponent", "reference".
  JailLevel jail = JailLevel::Namespace;
  std::int64_t memory_bytes = 0;      ///< Beyond the mapped buffers; 0 means the default limit.
  int threads = 0;                    ///< OMP_NUM_THREADS; 0 means all cores of the device.
  std::vector<Buffer*> buffers = {};  ///< Mapped in this order; Call refers to them by index.
  std::vector<bool> writable = {};    ///< Per buffer; a read-only input faults when written.
  /// cuda: it is to load a host launcher, so it sees the libraries of CUDA. For trusted code alone.
  bool runs_host_code = false;
  /// Another player will be wanted before long: one is made ready meanwhile. On cuda that takes a
  /// tenth of a second in which nothing can be timed.
  bool is_followed = true;
};

/// Trusted kernels run for their time: how the ceilings of a device are measured.
struct TrustedRun {
  std::string unit = {};       ///< BuildUnit::role of a unit that equip() got.
  const Plan* plan = nullptr;  ///< Launches alone; its tensors are `buffers`, by index.
  std::vector<Buffer*> buffers = {};
  int repeats = 1;  ///< The plan so many times, one after another.
};

/// One device with its facts, buffers and players. Not thread-safe; the caller holds the lease.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual Result<std::unique_ptr<Buffer>> allocate(const BufferSpec& spec) = 0;
  virtual BufferOps& ops() = 0;
  /// Makes every cache cold for these buffers, from the referee's side; they must be this device's.
  virtual Result<> flush(std::span<Buffer* const> buffers) = 0;
  /// Starts a disposable process in a jail with the buffers mapped; costs milliseconds.
  virtual Result<std::unique_ptr<Player>> start_player(const PlayerSpec& spec) = 0;
  /// True while the device answers and computes correctly; after a fault, before the next player.
  /// What keeps it from being tried out, such as too little memory, is an error to retry; so is a
  /// GPU that is lost: no work of this process can bring it back.
  virtual Result<bool> probe() = 0;
  /// Whether the device counts a failure of its own (memory errors that it could not correct) since
  /// it was opened, by what its maker's management library tells this process. False where nobody
  /// tells. No player has a say in it.
  virtual bool has_failed() { return false; }
  /// Hands over trusted kernels that the device's own operations need (cuda: what trusted_units()
  /// lists, built for its arch). Before anything else; a device that needs none ignores them.
  virtual Result<> equip(std::span<const BuildUnit> units);
  /// Runs trusted kernels in the referee's own context and waits for them: the nanoseconds between
  /// two events, one recorded before the first launch and one after the last, all on one stream.
  /// Tells kernels that fault or do not exist as errors; a device without such kernels likewise.
  virtual Result<double> run_trusted(const TrustedRun& run);
  /// Bytes that may still be allocated without disturbing anyone.
  virtual std::int64_t free_bytes() const = 0;
};

}  // namespace kw::device

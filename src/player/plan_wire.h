// A launch plan as bytes for a player: tables of fixed-layout records, sent in one memfd.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// An encoded plan is a PlanHead, then the records of each kind in the order of its counts, then
/// names, then data; each part begins at a multiple of 8. Decoding checks every count, index and
/// range that can be checked without knowing the player's buffers and the kernels.
namespace kw::player {

inline constexpr std::uint32_t kPlanMagic = 0x3150'4c4b;
inline constexpr std::uint32_t kPlanVersion = 2;
inline constexpr std::size_t kMaxPlanBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxPlanSteps = 4096;
inline constexpr std::size_t kMaxPlanBranches = 64;
/// Largest parameters of one launch, in bytes: CUDA's bound since 12.1.
inline constexpr std::size_t kMaxParameterBytes = 32764;
inline constexpr std::size_t kMaxTensorMapRank = 5;
inline constexpr std::size_t kTensorMapBytes = 128;

struct PlanHead {
  std::uint32_t magic = kPlanMagic;
  std::uint32_t version = kPlanVersion;
  std::uint64_t bytes = 0;  ///< Size of the encoded plan.
  std::uint32_t tables = 0;
  std::uint32_t maps = 0;
  std::uint32_t steps = 0;
  std::uint32_t arguments = 0;
  std::uint32_t afters = 0;  ///< Entries of type std::uint32_t: indices of earlier steps.
  std::uint32_t name_bytes = 0;
  std::uint64_t data_bytes = 0;
};

/// A constant table: a range of the data, which the player copies to the device.
struct WireTable {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

enum class PlaceKind : std::uint32_t { Buffer = 1, Table };

struct WirePlace {
  PlaceKind kind = PlaceKind::Buffer;
  std::uint32_t index = 0;
  std::uint64_t offset = 0;
};

/// Operands of cuTensorMapEncodeTiled, with its enumerations as numbers.
struct WireTensorMap {
  WirePlace base;
  std::uint32_t element = 0;
  std::uint32_t rank = 1;
  std::uint64_t sizes[kMaxTensorMapRank] = {};
  std::uint64_t strides[kMaxTensorMapRank] = {};  ///< Strides in bytes of dimensions 1 and up.
  std::uint32_t box[kMaxTensorMapRank] = {};
  std::uint32_t element_strides[kMaxTensorMapRank] = {};
  std::uint32_t interleave = 0;
  std::uint32_t swizzle = 0;
  std::uint32_t promotion = 0;
  std::uint32_t fill = 0;
};

/// Kinds of steps. Call is a call of a host launcher's entry. The plan of a host launcher has only
/// calls, which run one after the other; their arguments are plain values and addresses in buffers.
enum class WireStepKind : std::uint32_t { Launch = 1, Fill, Copy, Call };

inline constexpr std::uint32_t kStepCooperative = 1;
inline constexpr std::uint32_t kStepProgrammatic = 2;

struct WireStep {
  WireStepKind kind = WireStepKind::Launch;
  std::uint32_t branch = 0;
  std::uint32_t first_after = 0;
  std::uint32_t afters = 0;
  // The fields below belong to Launch; a Call uses the arguments alone.
  std::uint32_t name = 0;  ///< Offset of the kernel's name in PlanView::names.
  std::uint32_t name_bytes = 0;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t cluster[3] = {};  ///< All 0: no cluster.
  std::uint32_t shared_bytes = 0;
  std::int32_t carveout = -1;
  std::uint32_t flags = 0;
  std::uint32_t first_argument = 0;
  std::uint32_t arguments = 0;
  // The fields below belong to Fill and Copy.
  WirePlace to;
  WirePlace from;
  std::uint64_t bytes = 0;
  std::uint64_t value = 0;
  std::uint32_t unit = 1;
  std::uint32_t reserved = 0;
};

enum class WireArgumentKind : std::uint32_t { Scalar = 1, Address, TensorMap };

struct WirePlanArgument {
  WireArgumentKind kind = WireArgumentKind::Scalar;
  std::uint32_t parameter = 0;
  std::uint32_t at = 0;
  std::uint32_t bytes = 0;
  std::uint64_t image = 0;
  WirePlace place;
  std::uint32_t map = 0;
  std::uint32_t reserved = 0;
};

static_assert(sizeof(PlanHead) == 48 && sizeof(WireTable) == 16 && sizeof(WirePlace) == 16);
static_assert(sizeof(WireTensorMap) % 8 == 0 && sizeof(WireStep) % 8 == 0);
static_assert(sizeof(WirePlanArgument) % 8 == 0);

/// A checked plan; spans point into the encoded bytes.
struct PlanView {
  std::span<const WireTable> tables;
  std::span<const WireTensorMap> maps;
  std::span<const WireStep> steps;
  std::span<const WirePlanArgument> arguments;
  std::span<const std::uint32_t> afters;
  std::string_view names;
  std::span<const std::byte> data;

  std::string_view name(const WireStep& step) const {
    return names.substr(step.name, step.name_bytes);
  }
  std::span<const WirePlanArgument> arguments_of(const WireStep& step) const {
    return arguments.subspan(step.first_argument, step.arguments);
  }
  std::span<const std::uint32_t> afters_of(const WireStep& step) const {
    return afters.subspan(step.first_after, step.afters);
  }
};

/// Checks and decodes; `bytes` must be 8-aligned. Gives nothing if any record is out of bounds. The
/// caller must check buffers and offsets into them.
std::optional<PlanView> decode_plan(std::span<const std::byte> bytes);

/// The records of a plan before they are encoded.
struct PlanParts {
  std::vector<WireTable> tables;
  std::vector<WireTensorMap> maps;
  std::vector<WireStep> steps;
  std::vector<WirePlanArgument> arguments;
  std::vector<std::uint32_t> afters;
  std::vector<char> names;
  std::vector<std::byte> data;
};

std::vector<std::byte> encode_plan(const PlanParts& parts);

}  // namespace kw::player

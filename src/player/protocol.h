// The wire protocol between a referee and a player: fixed-layout messages over one socket pair.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// One message is one packet of a SOCK_SEQPACKET pair of the same machine, so layout and byte order
/// are those of the machine. The player greets with Hello; then every request gets one answer that
/// repeats its sequence number. Descriptors travel with Map (one per buffer), Equip, Load of a
/// cubin and Bind (the encoded plan). Decoding trusts nothing: both sides check every length,
/// count, index and kind.
namespace kw::player {

inline constexpr int kChannelFd = 3;  ///< Where a player finds its end of the pair.
inline constexpr std::uint32_t kMagic = 0x3150'574b;
inline constexpr std::uint16_t kVersion = 5;
/// Below the kernel's default socket buffer (208 KiB), so that a request can be queued while the
/// player is stopped.
inline constexpr std::size_t kMaxMessage = std::size_t{160} << 10;
inline constexpr std::size_t kMaxBuffersPerMap = 64;  ///< The kernel passes at most 253.
inline constexpr std::size_t kMaxBuffers = 4096;
inline constexpr std::size_t kMaxLaunches = 256;
inline constexpr std::size_t kNameBytes = 128;
inline constexpr std::size_t kTextBytes = 512;
inline constexpr std::size_t kMaxStamps = 8;
inline constexpr std::uint64_t kMaxLeadNs = 10'000'000;

enum class Kind : std::uint16_t {
  Map = 1,      ///< MapHead, MapEntry[count]; may come several times before Prepare.
  Prepare,      ///< PrepareRequest; a GPU's player locks itself down. Answer: Ready.
  Load,         ///< LoadRequest; a CPU's player locks itself down, then loads. Answer: Loaded.
  Call,         ///< CallHead, Launch[], WireArgument[]. Answer: Done.
  Empty,        ///< RunRequest: a Call or Run with nothing in it. Answer: Done.
  Equip,        ///< Header alone, with the cubin of trusted kernels; before Prepare. Answer: Ready.
  Bind,         ///< BindRequest, with an encoded plan (plan_wire.h). Answer: Loaded.
  Run,          ///< RunRequest: a bound plan, once. Answer: Done.
  Forget,       ///< PlanRequest: every object loaded and this plan built anew. Answer: Done.
  KeepOnly,     ///< PlanRequest: other plans go, and buffers that it does not name. Answer: Done.
  Hello = 101,  ///< Answers; all are an Answer.
  Ready,
  Loaded,
  Done,
  Failed,
};

struct Header {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  Kind kind = Kind::Empty;
  std::uint32_t bytes = 0;  ///< Of the whole message.
  std::uint32_t reserved = 0;
  std::uint64_t sequence = 0;  ///< Random per request; an answer must repeat it.
};

enum class BufferKind : std::uint32_t {
  Memfd = 1,
  DeviceAllocation,
  Clock,  ///< A ClockPage (clock_page.h); no buffer that a call can name.
};
enum class Access : std::uint32_t { ReadOnly = 1, ReadWrite };

struct MapHead {
  Header header;
  std::uint64_t count = 0;
};

/// A buffer: `mapped_bytes` of its descriptor, with `guard_bytes` of unmapped addresses on either
/// side.
struct MapEntry {
  BufferKind kind = BufferKind::Memfd;
  Access access = Access::ReadOnly;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t payload_offset = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t guard_bytes = 0;
};

struct PrepareRequest {
  Header header;
  std::uint64_t memory_bytes = 0;  ///< Address space beyond the buffers; 0: unlimited.
  std::uint32_t threads = 1;
  std::uint32_t reserved = 0;
};

enum class ObjectFormat : std::uint32_t { ElfSo = 1, Cubin };

struct LoadRequest {
  Header header;
  ObjectFormat format = ObjectFormat::ElfSo;
  std::uint32_t reserved = 0;
  char file[kNameBytes] = {};   ///< elf-so: plain name in the player's object folder. cubin: empty.
  char entry[kNameBytes] = {};  ///< elf-so: the function to call. cubin: empty, plans name theirs.
};

struct BindRequest {
  Header header;
  std::int32_t object = 0;
  std::uint32_t reserved = 0;
};

struct PlanRequest {
  Header header;
  std::int32_t plan = 0;  ///< Handle from Bind.
  std::uint32_t reserved = 0;
};

/// The plan of a host launcher by its function, not by the graph that was captured of it.
inline constexpr std::uint32_t kRunByStream = 1;

struct RunRequest {
  Header header;
  std::int32_t plan = 0;  ///< Handle from Bind.
  std::uint32_t flags = 0;
  std::uint64_t nonce = 0;    ///< Random; marks what is written into the clock page. 0: no stamps.
  std::uint64_t lead_ns = 0;  ///< How long the spacer runs on after its announcement.
};

struct CallHead {
  Header header;
  std::int32_t object = 0;
  std::uint32_t launches = 0;   ///< A plan; a host function is a plan of one launch.
  std::uint64_t arguments = 0;  ///< Over all launches of the plan, in their order.
};

struct Launch {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::uint32_t arguments = 0;
  char kernel[kNameBytes] = {};  ///< Empty: the object's entry.
};

struct WireArgument {
  std::int32_t buffer = -1;  ///< -1: `value` is a scalar's image, else an offset into the payload.
  std::uint32_t reserved = 0;
  std::uint64_t value = 0;
};

/// Why a player answers Failed.
enum class Trouble : std::uint32_t {
  None,
  BadRequest,
  MapFailed,
  LockdownFailed,
  LoadRefused,
  Signal,
  Exception,  ///< Left the candidate uncaught.
  OutOfMemory,
  LaunchFailed,  ///< The driver refused; nothing ran.
  DeviceFault,   ///< The device stopped the code; the context is lost.
};

struct Answer {
  Header header;
  Trouble trouble = Trouble::None;
  std::int32_t signal = 0;    ///< Signal: which. DeviceFault: CUDA's number of the error.
  std::uint64_t address = 0;  ///< Of a fault.
  std::int32_t object = -1;   ///< Loaded: the handle for CallHead::object.
  std::uint32_t in_guard = 0;
  std::uint32_t stamps = 0;
  std::uint32_t text_bytes = 0;
  std::uint64_t stamp_ns[kMaxStamps] = {};  ///< Done of a Run: [0] is the time between its events.
  /// Failed: what went wrong. Loaded, of a host launcher's plan: why it could not be captured.
  char text[kTextBytes] = {};

  std::string_view words() const { return {text, text_bytes}; }
  void set_words(std::string_view words);
};

/// A request that has been checked; spans point into the message.
struct MapView {
  std::span<const MapEntry> entries;
};
struct CallView {
  const CallHead* head = nullptr;
  std::span<const Launch> launches;
  std::span<WireArgument> arguments;  ///< Writable, so that a player can resolve them.
};

/// The header of any well-formed message, else nothing: magic, version, length.
std::optional<Header> decode_header(std::span<const std::byte> message);
/// What a player does with a request, `message` aligned to 8. Indices into buffers and objects are
/// the caller's to check.
std::optional<MapView> decode_map(std::span<const std::byte> message);
std::optional<PrepareRequest> decode_prepare(std::span<const std::byte> message);
std::optional<LoadRequest> decode_load(std::span<const std::byte> message);
std::optional<BindRequest> decode_bind(std::span<const std::byte> message);
/// Of kind Forget or KeepOnly.
std::optional<PlanRequest> decode_plan_request(std::span<const std::byte> message);
/// Of kind Run or Empty.
std::optional<RunRequest> decode_run(std::span<const std::byte> message);
std::optional<CallView> decode_call(std::span<std::byte> message);
/// What a referee does with anything that comes back: an Answer of a known kind whose counts are
/// within bounds and whose fields fit its kind.
std::optional<Answer> decode_answer(std::span<const std::byte> message);

/// Requests as bytes. Their counts must fit kMaxMessage; see call_bytes().
std::vector<std::byte> encode_map(std::uint64_t sequence, std::span<const MapEntry> entries);
std::vector<std::byte> encode_call(std::uint64_t sequence, std::int32_t object,
                                   std::span<const Launch> launches,
                                   std::span<const WireArgument> arguments);
std::size_t call_bytes(std::size_t launches, std::size_t arguments);

}  // namespace kw::player

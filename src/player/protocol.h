// The wire protocol between a referee and a player: fixed-layout messages over one socket pair.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// A message is one packet of a SOCK_SEQPACKET pair within one machine, so layout and byte order
/// are the machine's. The player greets with Hello; after that every request gets one answer, which
/// repeats the request's sequence number. Descriptors travel with Map (one per buffer), Equip, Load
/// of a cubin, and Bind (the encoded plan). Decoding trusts nothing: both sides check every length,
/// count, index and kind.
namespace kw::player {

inline constexpr int kChannelFd = 3;  ///< Descriptor at which a player finds its end of the pair.
inline constexpr std::uint32_t kMagic = 0x3150'574b;
inline constexpr std::uint16_t kVersion = 5;
/// Largest message. Below the kernel's default socket buffer (208 KiB), so that a request can be
/// queued while the player is stopped.
inline constexpr std::size_t kMaxMessage = std::size_t{160} << 10;
/// Most buffers in one Map message; the kernel passes at most 253 descriptors.
inline constexpr std::size_t kMaxBuffersPerMap = 64;
inline constexpr std::size_t kMaxBuffers = 4096;
inline constexpr std::size_t kMaxLaunches = 256;
inline constexpr std::size_t kNameBytes = 128;
inline constexpr std::size_t kTextBytes = 512;
inline constexpr std::size_t kMaxStamps = 8;
inline constexpr std::uint64_t kMaxLeadNs = 10'000'000;

enum class Kind : std::uint16_t {
  /// Consists of MapHead and MapEntry[count]; may be sent several times before Prepare. Answer:
  /// Ready.
  Map = 1,
  Prepare,  ///< PrepareRequest; a GPU player locks itself down. Answer: Ready.
  Load,     ///< LoadRequest; a CPU player locks itself down, then loads. Answer: Loaded.
  Call,     ///< CallHead, Launch[], WireArgument[]. Answer: Done.
  Empty,    ///< RunRequest: an empty Call or Run. Answer: Done.
  /// A header alone, sent with the descriptor of the trusted kernels' cubin, before Prepare.
  /// Answer: Ready.
  Equip,
  Bind,    ///< BindRequest, with an encoded plan (plan_wire.h). Answer: Loaded.
  Run,     ///< RunRequest: runs a bound plan once. Answer: Done.
  Forget,  ///< PlanRequest: loads every object anew and rebuilds this plan. Answer: Done.
  /// PlanRequest: drops all other plans, and the buffers that the named plan does not use. Answer:
  /// Done.
  KeepOnly,
  Hello = 101,  ///< First of the answers, each of which is an Answer.
  Ready,
  Loaded,
  Done,
  Failed,
};

struct Header {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  Kind kind = Kind::Empty;
  std::uint32_t bytes = 0;  ///< Length of the whole message.
  std::uint32_t reserved = 0;
  std::uint64_t sequence = 0;  ///< Random number of the request; the answer must repeat it.
};

enum class BufferKind : std::uint32_t {
  Memfd = 1,
  DeviceAllocation,
  Clock,  ///< A ClockPage (clock_page.h), which is no buffer that a call can name.
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
  /// elf-so: plain file name in the player's object folder. cubin: empty.
  char file[kNameBytes] = {};
  /// elf-so: name of the function to call. cubin: empty, since plans name the kernels.
  char entry[kNameBytes] = {};
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

/// Flag of a Run: calls the function of a host launcher's plan instead of running the captured
/// graph.
inline constexpr std::uint32_t kRunByStream = 1;

struct RunRequest {
  Header header;
  std::int32_t plan = 0;  ///< Handle from Bind.
  std::uint32_t flags = 0;
  std::uint64_t nonce = 0;    ///< Random number that marks entries in the clock page; 0: no stamps.
  std::uint64_t lead_ns = 0;  ///< How long the spacer runs after its announcement.
};

struct CallHead {
  Header header;
  std::int32_t object = 0;
  std::uint32_t launches = 0;  ///< Number of launches; a host function is a plan of one launch.
  /// Number of arguments of all launches, which follow in the launches' order.
  std::uint64_t arguments = 0;
};

struct Launch {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::uint32_t arguments = 0;
  char kernel[kNameBytes] = {};  ///< Name of the kernel; empty: the object's entry.
};

struct WireArgument {
  /// Index of the buffer into whose payload `value` is an offset; -1: `value` is the image of a
  /// scalar.
  std::int32_t buffer = -1;
  std::uint32_t reserved = 0;
  std::uint64_t value = 0;
};

/// Reason why a player answers Failed.
enum class Trouble : std::uint32_t {
  None,
  BadRequest,
  MapFailed,
  LockdownFailed,
  LoadRefused,
  Signal,
  Exception,  ///< An exception left the candidate uncaught.
  OutOfMemory,
  LaunchFailed,  ///< The driver refused the launch; nothing ran.
  DeviceFault,   ///< The device stopped the code, and the context is lost.
};

struct Answer {
  Header header;
  Trouble trouble = Trouble::None;
  std::int32_t signal = 0;    ///< Signal: its number. DeviceFault: CUDA's number of the error.
  std::uint64_t address = 0;  ///< Address of the fault.
  std::int32_t object = -1;   ///< Loaded: handle to use in CallHead::object.
  std::uint32_t in_guard = 0;
  std::uint32_t stamps = 0;
  std::uint32_t text_bytes = 0;
  /// Answer Done to a Run: [0] is the time between the events around the plan.
  std::uint64_t stamp_ns[kMaxStamps] = {};
  /// Failed: what went wrong. Loaded, for a plan of a host launcher: why it could not be captured.
  char text[kTextBytes] = {};

  std::string_view words() const { return {text, text_bytes}; }
  void set_words(std::string_view words);
};

/// A checked request; spans point into the message.
struct MapView {
  std::span<const MapEntry> entries;
};
struct CallView {
  const CallHead* head = nullptr;
  std::span<const Launch> launches;
  /// Writable, so that a player can resolve the arguments in place.
  std::span<WireArgument> arguments;
};

/// The header of a message with the right magic, version and length, else nothing.
std::optional<Header> decode_header(std::span<const std::byte> message);
/// Checks and decodes a request for a player; `message` must be 8-aligned. The caller must check
/// indices into buffers and objects.
std::optional<MapView> decode_map(std::span<const std::byte> message);
std::optional<PrepareRequest> decode_prepare(std::span<const std::byte> message);
std::optional<LoadRequest> decode_load(std::span<const std::byte> message);
std::optional<BindRequest> decode_bind(std::span<const std::byte> message);
/// Decodes a request of kind Forget or KeepOnly.
std::optional<PlanRequest> decode_plan_request(std::span<const std::byte> message);
/// Decodes a request of kind Run or Empty.
std::optional<RunRequest> decode_run(std::span<const std::byte> message);
std::optional<CallView> decode_call(std::span<std::byte> message);
/// Checks what a referee receives: an Answer of a known kind whose counts are within bounds and
/// whose fields fit its kind; else nothing.
std::optional<Answer> decode_answer(std::span<const std::byte> message);

/// Encodes a request. The counts must fit kMaxMessage; call_bytes() gives the size of a Call.
std::vector<std::byte> encode_map(std::uint64_t sequence, std::span<const MapEntry> entries);
std::vector<std::byte> encode_call(std::uint64_t sequence, std::int32_t object,
                                   std::span<const Launch> launches,
                                   std::span<const WireArgument> arguments);
std::size_t call_bytes(std::size_t launches, std::size_t arguments);

}  // namespace kw::player

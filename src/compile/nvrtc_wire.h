// What the controller and kw-nvrtc say to each other: jobs, answers and fates as checked bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// kw-nvrtc greets once on its control channel (a SOCK_SEQPACKET pair). A job is one NvrtcPacket
/// there with three descriptors: the job in sealed memory, the write end of a stream for the
/// answer, which only the compiling child uses, and a SOCK_SEQPACKET end on which kw-nvrtc itself
/// says how the child ended. Both sides of a pair are processes of one machine, so layout and byte
/// order are the machine's; nothing that comes back is believed before it was decoded here.
namespace kw::compile {

inline constexpr int kNvrtcControlFd = 3;
inline constexpr std::uint32_t kNvrtcMagic = 0x4352'574b;
inline constexpr std::uint32_t kNvrtcVersion = 1;
inline constexpr std::size_t kNvrtcTextBytes = 1024;
/// Largest job: sources are limited to far less.
inline constexpr std::size_t kNvrtcJobBytes = std::size_t{32} << 20;
/// Parts of one message: files, options, names.
inline constexpr std::size_t kNvrtcParts = 4096;

/// Once, when NVRTC is loaded and warm, or why it cannot be.
struct NvrtcGreeting {
  std::uint32_t magic = kNvrtcMagic;
  std::uint32_t version = kNvrtcVersion;
  std::int32_t major = 0;  ///< Of NVRTC; 0 in case of trouble.
  std::int32_t minor = 0;
  std::uint32_t has_pch = 0;  ///< 12.8 and newer.
  std::uint32_t text_bytes = 0;
  char text[kNvrtcTextBytes] = {};  ///< Architectures, "75 80 90"; or the trouble in words.

  std::string_view words() const { return {text, text_bytes}; }
  void set_words(std::string_view words);
};

/// What the control channel carries; the rest travels in the job's memory.
struct NvrtcPacket {
  std::uint32_t magic = kNvrtcMagic;
  std::uint32_t version = kNvrtcVersion;
  std::uint64_t wall_ns = 0;  ///< From the fork of the child to its end.
  std::uint64_t cpu_seconds = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t precompiled = 0;  ///< Jobs of equal value share a precompiled header; 0: none.
};

/// How a child ended, as its parent saw it.
struct NvrtcFate {
  std::uint32_t magic = kNvrtcMagic;
  std::int32_t code = -1;      ///< Exit code; -1 if a signal ended it.
  std::int32_t signal = 0;     ///< Or 0.
  std::uint32_t was_late = 0;  ///< Killed at its wall-clock limit.
  std::int64_t cpu_ns = 0;
  std::int64_t max_rss_bytes = 0;
};

/// One translation unit in NVRTC's terms.
struct NvrtcJob {
  /// Where the source begins with headers worth precompiling: that many of its bytes.
  std::uint64_t prefix_bytes = 0;
  std::uint64_t log_bytes = 0;     ///< More of the log is not sent.
  std::uint64_t object_bytes = 0;  ///< A larger object is not sent.
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers;  ///< Name and text.
  std::vector<std::string> options;
  std::vector<std::string> names;  ///< Name expressions.
};

/// What a child says of its job.
struct NvrtcAnswer {
  std::int32_t result = 0;          ///< nvrtcResult.
  std::uint32_t log_was_cut = 0;    ///< The log was longer than it may be.
  std::uint32_t object_is_big = 0;  ///< The object was larger than it may be, and is missing.
  std::string result_name;          ///< "NVRTC_ERROR_COMPILATION"
  std::string log;
  std::string object;                ///< A cubin; empty unless result is 0.
  std::vector<std::string> symbols;  ///< One for each name of the job, if result is 0.
};

std::string encode(const NvrtcJob& job);
std::string encode(const NvrtcAnswer& answer);
/// Nothing for anything that encode() does not write.
std::optional<NvrtcJob> decode_job(std::string_view bytes);
/// `names`: how many the job had.
std::optional<NvrtcAnswer> decode_answer(std::string_view bytes, std::size_t names);
std::optional<NvrtcGreeting> decode_greeting(std::span<const std::byte> bytes);
std::optional<NvrtcPacket> decode_packet(std::span<const std::byte> bytes);
std::optional<NvrtcFate> decode_fate(std::span<const std::byte> bytes);

}  // namespace kw::compile

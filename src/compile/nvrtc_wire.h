// Messages between the controller and kw-nvrtc: jobs, answers and fates as checked bytes.
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

/// kw-nvrtc greets once on its control channel (a SOCK_SEQPACKET pair). A job is sent there as an
/// NvrtcPacket with three descriptors: the job in sealed memory; the write end of a stream for the
/// answer, which only the compiling child uses; and a SOCK_SEQPACKET end on which kw-nvrtc itself
/// reports how the child ended. Both processes run on one machine, so layout and byte order are the
/// machine's. Replies are trusted only after they were decoded here.
namespace kw::compile {

inline constexpr int kNvrtcControlFd = 3;
inline constexpr std::uint32_t kNvrtcMagic = 0x4352'574b;
inline constexpr std::uint32_t kNvrtcVersion = 1;
inline constexpr std::size_t kNvrtcTextBytes = 1024;
/// Largest job; the limit on sources is far smaller.
inline constexpr std::size_t kNvrtcJobBytes = std::size_t{32} << 20;
/// Most parts of one message: files, options, names.
inline constexpr std::size_t kNvrtcParts = 4096;

/// Sent once when NVRTC is loaded and warm, or with the reason why it cannot be.
struct NvrtcGreeting {
  std::uint32_t magic = kNvrtcMagic;
  std::uint32_t version = kNvrtcVersion;
  std::int32_t major = 0;  ///< Major version of NVRTC; 0: it could not be loaded.
  std::int32_t minor = 0;
  std::uint32_t has_pch = 0;  ///< Whether NVRTC can precompile headers: 12.8 and newer can.
  std::uint32_t text_bytes = 0;
  /// Architectures, "75 80 90"; or why NVRTC could not be loaded.
  char text[kNvrtcTextBytes] = {};

  std::string_view words() const { return {text, text_bytes}; }
  void set_words(std::string_view words);
};

/// Message of the control channel for one job; the job itself travels in memory.
struct NvrtcPacket {
  std::uint32_t magic = kNvrtcMagic;
  std::uint32_t version = kNvrtcVersion;
  std::uint64_t wall_ns = 0;  ///< Limit on the time from the fork of the child to its end.
  std::uint64_t cpu_seconds = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t precompiled = 0;  ///< Jobs with the same value share a precompiled header; 0: none.
};

/// How a child ended, as its parent saw it.
struct NvrtcFate {
  std::uint32_t magic = kNvrtcMagic;
  std::int32_t code = -1;      ///< Exit code; -1 if a signal ended the child.
  std::int32_t signal = 0;     ///< The signal that ended the child, or 0.
  std::uint32_t was_late = 0;  ///< The child was killed at its wall-clock limit.
  std::int64_t cpu_ns = 0;
  std::int64_t max_rss_bytes = 0;
};

/// One translation unit in NVRTC's terms.
struct NvrtcJob {
  /// Number of bytes at the start of the source that are headers worth precompiling.
  std::uint64_t prefix_bytes = 0;
  std::uint64_t log_bytes = 0;     ///< Most bytes of the log to send.
  std::uint64_t object_bytes = 0;  ///< Largest object to send.
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers;  ///< Name and text of each header.
  std::vector<std::string> options;
  std::vector<std::string> names;  ///< Name expressions to look up.
};

/// A child's answer to its job.
struct NvrtcAnswer {
  std::int32_t result = 0;          ///< Value of nvrtcResult.
  std::uint32_t log_was_cut = 0;    ///< The log exceeded its limit and was cut.
  std::uint32_t object_is_big = 0;  ///< The object exceeded its limit and is missing.
  std::string result_name;          ///< Name of `result`: "NVRTC_ERROR_COMPILATION".
  std::string log;
  std::string object;                ///< A cubin; empty unless `result` is 0.
  std::vector<std::string> symbols;  ///< A symbol for each name of the job, if `result` is 0.
};

std::string encode(const NvrtcJob& job);
std::string encode(const NvrtcAnswer& answer);
/// Decodes what encode() wrote; nothing for anything else.
std::optional<NvrtcJob> decode_job(std::string_view bytes);
/// Decodes an answer to a job with `names` names.
std::optional<NvrtcAnswer> decode_answer(std::string_view bytes, std::size_t names);
std::optional<NvrtcGreeting> decode_greeting(std::span<const std::byte> bytes);
std::optional<NvrtcPacket> decode_packet(std::span<const std::byte> bytes);
std::optional<NvrtcFate> decode_fate(std::span<const std::byte> bytes);

}  // namespace kw::compile

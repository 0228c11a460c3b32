// JailPolicy: what kw-jail is told to enforce, and the messages it sends back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kw::platform {

/// Descriptors on which kw-jail finds policy and report channel; above all that a payload is given.
inline constexpr int kPolicyFd = 900;
inline constexpr int kReportFd = 901;

/// Value of JailPolicy::uid that keeps the current uid.
inline constexpr std::uint32_t kKeepUid = ~std::uint32_t{0};

struct JailPolicy {
  bool supervise = false;  ///< Stay as the first process of a pid namespace.
  bool landlock = false;
  bool seccomp = false;
  bool new_processes = false;
  bool local_sockets = false;
  bool private_network = false;
  bool keeps_admin = false;
  bool names_threads = false;  ///< Under Landlock: the payload may write its own /proc/self/task.
  bool shares_uid = false;     ///< The payload has the uid of other processes and could reach them.
  bool share_nproc = false;    ///< max_processes comes on top of what the machine runs at launch.
  std::uint32_t uid = kKeepUid;
  std::uint64_t max_processes = 0;
  std::uint64_t max_open_files = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  std::string cwd;
  std::vector<std::string> readable;
  std::vector<std::string> writable;
  std::vector<std::string> devices;
  std::vector<std::string> argv;
  std::vector<std::string> env;
};

/// The policy as "name=value" records, each ended by a zero byte, which no path or argument holds.
std::string encode(const JailPolicy& policy);
/// Reads what encode() wrote; false for anything else.
bool decode(std::string_view bytes, JailPolicy& policy);

/// The first byte of each report on kReportFd, a SOCK_SEQPACKET. The senders of Supervisor and
/// Payload wait for one byte in answer; their pids travel as credentials, which the kernel
/// translates between namespaces.
enum class JailReport : char {
  Supervisor = 'S',  ///< Sent by the first process of the namespace.
  Payload = 'P',     ///< Sent before the program is executed, with all restrictions in force.
  Running = 'R',     ///< The program has been executed (without supervisor: end of file instead).
  Failed = 'E',      ///< Followed by what could not be done, in words.
  Ended = 'X',       ///< Followed by PayloadEnd.
};

struct PayloadEnd {
  std::int32_t code;
  std::int32_t signal;
  std::int64_t cpu_ns;
  std::int64_t max_rss_bytes;
};

}  // namespace kw::platform

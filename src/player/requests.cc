// Encodes the requests that the referee sends to players.
// SPDX-License-Identifier: Apache-2.0
#include "player/protocol.h"

namespace kw::player {
namespace {

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + bytes);
}

Header header_of(Kind kind, std::size_t bytes, std::uint64_t sequence) {
  Header header;
  header.kind = kind;
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.sequence = sequence;
  return header;
}

}  // namespace

std::vector<std::byte> encode_map(std::uint64_t sequence, std::span<const MapEntry> entries) {
  MapHead head;
  head.header = header_of(Kind::Map, sizeof head + entries.size_bytes(), sequence);
  head.count = entries.size();
  std::vector<std::byte> message;
  message.reserve(head.header.bytes);
  append(message, &head, sizeof head);
  append(message, entries.data(), entries.size_bytes());
  return message;
}

std::vector<std::byte> encode_call(std::uint64_t sequence, std::int32_t object,
                                   std::span<const Launch> launches,
                                   std::span<const WireArgument> arguments) {
  CallHead head;
  head.header = header_of(Kind::Call, call_bytes(launches.size(), arguments.size()), sequence);
  head.object = object;
  head.launches = static_cast<std::uint32_t>(launches.size());
  head.arguments = arguments.size();
  std::vector<std::byte> message;
  message.reserve(head.header.bytes);
  append(message, &head, sizeof head);
  append(message, launches.data(), launches.size_bytes());
  append(message, arguments.data(), arguments.size_bytes());
  return message;
}

}  // namespace kw::player

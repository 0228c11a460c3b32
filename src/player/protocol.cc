// Decodes and checks the messages between referee and player; allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#include "player/protocol.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kw::player {
namespace {

template <class T>
std::optional<T> decode_fixed(std::span<const std::byte> message, Kind kind) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto header = decode_header(message);
  if (!header || header->kind != kind || message.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, message.data(), sizeof value);
  return value;
}

bool is_terminated(const char (&name)[kNameBytes]) {
  return std::memchr(name, 0, sizeof name) != nullptr;
}

bool is_sound(const MapEntry& e) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 46;
  return (e.kind == BufferKind::Memfd || e.kind == BufferKind::DeviceAllocation ||
          e.kind == BufferKind::Clock) &&
         (e.access == Access::ReadOnly || e.access == Access::ReadWrite) && e.mapped_bytes > 0 &&
         e.mapped_bytes < limit && e.guard_bytes < limit && e.payload_offset <= e.mapped_bytes &&
         e.payload_bytes <= e.mapped_bytes - e.payload_offset;
}

}  // namespace

void Answer::set_words(std::string_view words) {
  text_bytes = static_cast<std::uint32_t>(std::min(words.size(), sizeof text));
  if (text_bytes > 0) std::memcpy(text, words.data(), text_bytes);
}

std::optional<Header> decode_header(std::span<const std::byte> message) {
  Header header;
  if (message.size() < sizeof header || message.size() > kMaxMessage) return std::nullopt;
  std::memcpy(&header, message.data(), sizeof header);
  if (header.magic != kMagic || header.version != kVersion || header.bytes != message.size())
    return std::nullopt;
  return header;
}

std::optional<MapView> decode_map(std::span<const std::byte> message) {
  const auto header = decode_header(message);
  MapHead head;
  if (!header || header->kind != Kind::Map || message.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, message.data(), sizeof head);
  if (head.count > kMaxBuffersPerMap ||
      message.size() != sizeof head + head.count * sizeof(MapEntry))
    return std::nullopt;
  const std::span entries(reinterpret_cast<const MapEntry*>(message.data() + sizeof head),
                          static_cast<std::size_t>(head.count));
  if (!std::ranges::all_of(entries, is_sound)) return std::nullopt;
  return MapView{entries};
}

std::optional<PrepareRequest> decode_prepare(std::span<const std::byte> message) {
  auto request = decode_fixed<PrepareRequest>(message, Kind::Prepare);
  if (request && (request->threads < 1 || request->threads > 65536)) return std::nullopt;
  return request;
}

std::optional<LoadRequest> decode_load(std::span<const std::byte> message) {
  auto request = decode_fixed<LoadRequest>(message, Kind::Load);
  if (!request) return std::nullopt;
  if (request->format != ObjectFormat::ElfSo && request->format != ObjectFormat::Cubin)
    return std::nullopt;
  if (!is_terminated(request->file) || !is_terminated(request->entry)) return std::nullopt;
  if (std::strchr(request->file, '/') != nullptr) return std::nullopt;
  return request;
}

std::optional<BindRequest> decode_bind(std::span<const std::byte> message) {
  const auto request = decode_fixed<BindRequest>(message, Kind::Bind);
  return request && request->object < 0 ? std::nullopt : request;
}

std::optional<PlanRequest> decode_plan_request(std::span<const std::byte> message) {
  const auto header = decode_header(message);
  if (!header || (header->kind != Kind::Forget && header->kind != Kind::KeepOnly))
    return std::nullopt;
  const auto request = decode_fixed<PlanRequest>(message, header->kind);
  return request && request->plan < 0 ? std::nullopt : request;
}

std::optional<RunRequest> decode_run(std::span<const std::byte> message) {
  const auto header = decode_header(message);
  if (!header || (header->kind != Kind::Run && header->kind != Kind::Empty)) return std::nullopt;
  const auto request = decode_fixed<RunRequest>(message, header->kind);
  if (request &&
      (request->plan < 0 || request->lead_ns > kMaxLeadNs || (request->flags & ~kRunByStream) != 0))
    return std::nullopt;
  return request;
}

std::optional<CallView> decode_call(std::span<std::byte> message) {
  const auto header = decode_header(message);
  if (!header || header->kind != Kind::Call || message.size() < sizeof(CallHead))
    return std::nullopt;
  const auto* head = reinterpret_cast<const CallHead*>(message.data());
  constexpr std::uint64_t most = kMaxMessage / sizeof(WireArgument);
  if (head->launches < 1 || head->launches > kMaxLaunches || head->arguments > most)
    return std::nullopt;
  const auto arguments = static_cast<std::size_t>(head->arguments);
  if (message.size() != call_bytes(head->launches, arguments)) return std::nullopt;
  CallView view;
  view.head = head;
  std::byte* at = message.data() + sizeof(CallHead);
  view.launches = {reinterpret_cast<const Launch*>(at), head->launches};
  at += view.launches.size_bytes();
  view.arguments = {reinterpret_cast<WireArgument*>(at), arguments};
  std::uint64_t wanted = 0;
  for (const Launch& launch : view.launches) {
    if (!is_terminated(launch.kernel) || launch.arguments > most) return std::nullopt;
    wanted += launch.arguments;
  }
  if (wanted != head->arguments) return std::nullopt;
  return view;
}

std::optional<Answer> decode_answer(std::span<const std::byte> message) {
  const auto header = decode_header(message);
  if (!header || message.size() != sizeof(Answer)) return std::nullopt;
  Answer answer;
  std::memcpy(&answer, message.data(), sizeof answer);
  if (answer.stamps > kMaxStamps || answer.text_bytes > kTextBytes) return std::nullopt;
  if (static_cast<std::uint32_t>(answer.trouble) > static_cast<std::uint32_t>(Trouble::DeviceFault))
    return std::nullopt;
  const bool has_trouble = answer.trouble != Trouble::None;
  switch (answer.header.kind) {
    case Kind::Hello:
    case Kind::Ready:
    case Kind::Done:
      return has_trouble ? std::nullopt : std::optional(answer);
    case Kind::Loaded:
      return has_trouble || answer.object < 0 ? std::nullopt : std::optional(answer);
    case Kind::Failed:
      return has_trouble ? std::optional(answer) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::size_t call_bytes(std::size_t launches, std::size_t arguments) {
  return sizeof(CallHead) + launches * sizeof(Launch) + arguments * sizeof(WireArgument);
}

}  // namespace kw::player

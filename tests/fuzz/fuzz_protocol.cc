// Fuzzes packets from a hostile player, and requests as a player gets them: any bytes are decoded
// within bounds or refused, and accepted requests are consistent.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "player/plan_wire.h"
#include "player/protocol.h"

using namespace kw::player;

namespace {

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void check_call(std::span<std::byte> message) {
  const auto call = decode_call(message);
  if (!call) return;
  std::uint64_t sum = 0;
  for (const Launch& launch : call->launches) sum += std::strlen(launch.kernel) + launch.arguments;
  for (WireArgument& argument : call->arguments)
    argument.value = sum;  // writes every byte of the argument
  require(call->arguments.size() == call->head->arguments);
}

/// Walks all parts of a plan that a player would walk.
void check_plan(std::span<const std::byte> bytes) {
  const auto plan = decode_plan(bytes);
  if (!plan) return;
  std::size_t sum = 0;
  for (const WireStep& step : plan->steps) {
    sum += plan->name(step).size();
    for (const std::uint32_t after : plan->afters_of(step)) require(after < plan->steps.size());
    for (const WirePlanArgument& a : plan->arguments_of(step)) {
      require(a.at + a.bytes <= kMaxParameterBytes);
      if (a.kind == WireArgumentKind::TensorMap) sum += plan->maps[a.map].rank;
    }
  }
  for (const WireTable& table : plan->tables)
    for (const std::byte b : plan->data.subspan(table.offset, table.bytes))
      sum += static_cast<std::size_t>(b);
  [[maybe_unused]] static volatile std::size_t sink;  // keeps the reads of every byte
  sink = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The bytes are copied exactly to 16-aligned memory, so that the sanitizer sees a read of one
  // byte too many.
  std::vector<std::max_align_t> memory((size + sizeof(std::max_align_t) - 1) /
                                       sizeof(std::max_align_t));
  auto* bytes = reinterpret_cast<std::byte*>(memory.data());
  if (size > 0) std::memcpy(bytes, data, size);
  const std::span<std::byte> message(bytes, size);

  if (const auto answer = decode_answer(message)) {
    require(answer->words().size() <= kTextBytes && answer->stamps <= kMaxStamps);
    require((answer->header.kind == Kind::Failed) == (answer->trouble != Trouble::None));
  }
  if (const auto map = decode_map(message))
    for (const MapEntry& entry : map->entries)
      require(entry.payload_offset + entry.payload_bytes <= entry.mapped_bytes);
  if (const auto load = decode_load(message)) require(std::strlen(load->file) < kNameBytes);
  if (const auto prepare = decode_prepare(message)) require(prepare->threads > 0);
  if (const auto bind = decode_bind(message)) require(bind->object >= 0);
  if (const auto named = decode_plan_request(message)) require(named->plan >= 0);
  if (const auto run = decode_run(message)) require(run->plan >= 0);
  check_call(message);
  check_plan(message);
  return 0;
}

// Keeps judges' readings in the store as facts, one for an attempt, found by the attempt's key.
// SPDX-License-Identifier: Apache-2.0
#include "engine/readings.h"

#include <fmt/format.h>

#include "record/codec.h"

namespace kw::engine {
namespace {

constexpr const char* kReadingFact = "reading";

std::string reading_key(std::int64_t run, int attempt) {
  return fmt::format("{} {}", run, attempt);
}

}  // namespace

Result<std::optional<Reading>> reading_of(const store::RunStore& store, std::int64_t run,
                                          int attempt) {
  const auto text = KW_TRY(store.facts().recall(kReadingFact, reading_key(run, attempt)));
  if (!text) return std::optional<Reading>();
  return std::optional(KW_TRY(decode<Reading>(*text)));
}

Result<> keep_reading(store::RunStore& store, std::int64_t run, const Reading& reading) {
  return store.facts().remember(kReadingFact, reading_key(run, reading.attempt), encode(reading));
}

}  // namespace kw::engine

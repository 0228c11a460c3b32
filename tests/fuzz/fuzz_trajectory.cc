// Fuzzes lines of exported runs: any bytes give an attempt, a step of a record, or error messages.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/recorded.h"
#include "report/export.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto attempt = kw::report::read_trajectory(text, "fuzz:1");
  if (!attempt) {
    if (attempt.error().what.empty()) __builtin_trap();
    return 0;
  }
  const auto step = kw::engine::step_of(*attempt);
  if (!step && step.error().what.empty()) __builtin_trap();
  if (step && kw::search::RecordedLandscape::is_searchable({*step}))
    kw::search::RecordedLandscape({*step}).best();
  return 0;
}

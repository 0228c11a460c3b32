// Script: replies and faults in a text file for the scripted model; format in docs/models.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/exchange.h"

namespace kw::llm {

/// The scripted answer to one call: a reply or a fault.
struct ScriptEntry {
  enum class Fault { None, Status, Hang, Cut };
  ChatReply reply;
  Fault fault = Fault::None;
  int status = 0;  ///< The HTTP status of Fault::Status.
  std::optional<std::chrono::milliseconds> retry_after;
  std::chrono::milliseconds delay{0};  ///< The wait before the first byte.
  std::int64_t repeat = 1;             ///< How often the entry is served; 0: for ever.
};

/// Parses a script: each entry begins with a line that starts with "===", followed by directives
/// ("!name …") and the text of the reply. Errors are `origin:line:1: message`, with the nearest
/// known directive.
Result<std::vector<ScriptEntry>> parse_script(std::string_view text, std::string_view origin);

}  // namespace kw::llm

// Script: replies and faults written down beforehand, in a text file; format in docs/models.md.
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

/// What the model does when it is asked the nth time.
struct ScriptEntry {
  enum class Fault { None, Status, Hang, Cut };
  ChatReply reply;
  Fault fault = Fault::None;
  int status = 0;  ///< Of Fault::Status.
  std::optional<std::chrono::milliseconds> retry_after;
  std::chrono::milliseconds delay{0};  ///< Before the first byte.
  std::int64_t repeat = 1;             ///< Times that it is served; 0: for ever.
};

/// Entries begin with a line that starts with "===", then come directives ("!name …"), then the
/// text of the reply. Errors are `origin:line:1: message`, with the nearest known directive.
Result<std::vector<ScriptEntry>> parse_script(std::string_view text, std::string_view origin);

}  // namespace kw::llm

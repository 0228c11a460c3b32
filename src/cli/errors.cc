// Reports errors to people and programs.
// SPDX-License-Identifier: Apache-2.0
#include "cli/errors.h"

#include <cstdio>

#include "base/foreign_text.h"
#include "base/json.h"

namespace kw::cli {

int report_error(const Global& global, const Error& error, ExitCode code) {
  if (global.is_interrupted && global.is_interrupted()) code = kInterrupted;
  if (global.json) {
    Json object;
    ErrorCode kind = error.code;
    if (kind == ErrorCode::Failed && code == kUsage) kind = ErrorCode::BadInput;
    if (code == kInterrupted) kind = ErrorCode::Cancelled;
    object["error"] = {
        {"code", name_of(kind)}, {"what", error.what}, {"where", error.where}, {"exit_code", code}};
    std::printf("%s\n", dump_json(object).c_str());
  }
  // A path may contain a line break, which would split the message.
  const Error shown{error.what, sanitise_line(error.where)};
  std::fprintf(stderr, "kw: %s\n", describe(shown).c_str());
  return code;
}

ExitCode code_of(const Error& error) { return error.is_input ? kUsage : kEnvironment; }

int end_command(const Global& global, const Result<int>& code) {
  return code ? *code : report_error(global, code.error(), code_of(code.error()));
}

}  // namespace kw::cli

// kw explain RUN ATTEMPT: one page of text about that attempt: where it came from, how it ended,
// what came of it.
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/life.h"

namespace kw::cli {
namespace {

struct ExplainFlags {
  std::string run;
  std::string attempt;
};

Result<int> parse_attempt(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1)
    return fail_input(ErrorCode::BadInput, About{"attempt"},
                      "an attempt is named by its number, 1 or above, not '" + text + "'");
  return number;
}

Result<int> explain(const Global& global, const ExplainFlags& flags) {
  const int number = KW_TRY(parse_attempt(flags.attempt));
  const Life life = KW_TRY(session::life_of(global, flags.run, number));
  const std::string text = global.json ? dump_json(life_json(life)) + "\n" : page_of(life);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kDone;
}

}  // namespace

Command explain_command() {
  auto flags = std::make_shared<ExplainFlags>();
  Command command;
  command.name = "explain";
  command.summary = "Tell in words who proposed an attempt, why, and what became of it";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
    f.positional("attempt", flags->attempt, "Number of the attempt");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, explain(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

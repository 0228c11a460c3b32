// kw replay RUN: feeds the recorded results to the strategy again; its decisions must equal the
// recorded ones byte for byte.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "session/replay.h"

namespace kw::cli {
namespace {

/// The number of the first line that differs, counted from 1; 0: no line differs.
std::size_t first_difference(const std::vector<std::string_view>& a,
                             const std::vector<std::string_view>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) return i + 1;
  return 0;
}

std::string line_at(const std::vector<std::string_view>& lines, std::size_t number) {
  return number <= lines.size() ? std::string(lines[number - 1]) : "(nothing)";
}

Result<int> replay(const Global& global, const std::string& name) {
  const auto [run, log, recorded, replayed] = KW_TRY(session::replay(global, name));
  const auto old_lines = split_lines(recorded);
  const auto new_lines = split_lines(replayed);
  const bool is_same = recorded == replayed;
  const std::size_t at = first_difference(old_lines, new_lines);
  if (global.json) {
    Json object{{"run", run}, {"decisions", new_lines.size()}, {"is_identical", is_same}};
    if (!is_same)
      object["first_difference"] = {
          {"line", at}, {"recorded", line_at(old_lines, at)}, {"replayed", line_at(new_lines, at)}};
    std::printf("%s\n", dump_json(object).c_str());
  } else if (is_same) {
    std::printf("%s: %zu decisions, identical to %s\n", run.c_str(), new_lines.size(), log.c_str());
  } else {
    std::printf("%s:%zu: differs\n  recorded: %s\n  replayed: %s\n", log.c_str(), at,
                line_at(old_lines, at).c_str(), line_at(new_lines, at).c_str());
  }
  return is_same ? kDone : kNotGood;
}

}  // namespace

Command replay_command() {
  auto run = std::make_shared<std::string>();
  Command command;
  command.name = "replay";
  command.summary = "Replay a finished run without device and compare its decisions";
  command.declare = [run](Flags& f) {
    f.positional("run", *run, "Name of a run, as kw runs lists it");
  };
  command.run = [run](const Global& global) { return end_command(global, replay(global, *run)); };
  return command;
}

}  // namespace kw::cli

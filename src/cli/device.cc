// kw device: what this machine is and what it was measured to reach.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "record/codec.h"

namespace kw::cli {
namespace {

void print_facts(const DeviceFacts& facts) {
  fmt::print("{} ({})\n  id        {}\n  cores     {} usable\n  isa       {}\n  memory    {}\n",
             facts.model, name_of(facts.target), facts.id, facts.cores, join(facts.isa, " "),
             format_bytes(static_cast<std::uint64_t>(facts.memory_bytes)));
  for (const Cache& c : facts.caches)
    fmt::print("  L{}        {}, shared by {}\n", c.level,
               format_bytes(static_cast<std::uint64_t>(c.bytes)), c.shared_by);
  if (!facts.compiler.empty()) fmt::print("  compiler  {}\n", facts.compiler);
  fmt::print("  kernel    {}\n", facts.kernel);
}

void print_ceilings(const DeviceFacts& facts) {
  fmt::print("\nceilings, measured {}\n  {:<10} {:<6} {:<7} {:>7} {:>14} {:>8} {:>8}\n",
             facts.measured_at, "kind", "level", "isa", "threads", "rate", "spread", "samples");
  for (const Ceiling& c : facts.ceilings)
    fmt::print("  {:<10} {:<6} {:<7} {:>7} {:>14} {:>7.1f}% {:>8}\n", c.kind, c.level,
               c.isa.empty() ? "–" : c.isa, c.threads,
               format_si(c.per_second, c.kind.starts_with("fma") ? "flop/s" : "B/s"),
               c.spread * 100, c.samples);
}

Result<int> show(const Global& global, bool must_measure) {
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  const bool is_known = KW_TRY(store.recall("device", "cpu")).has_value();
  const auto bench = KW_TRY(Bench::open(global, &store));
  const DeviceFacts facts =
      must_measure || !is_known ? KW_TRY(bench->measure(true)) : bench->facts();
  const std::vector<std::string>& notes = bench->carrier().notes();
  if (global.json) {
    Json object = encode_json(facts);
    object["notes"] = notes;
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  print_facts(facts);
  print_ceilings(facts);
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  return kDone;
}

}  // namespace

Command device_command() {
  auto must_measure = std::make_shared<bool>(false);
  Command command;
  command.name = "device";
  command.summary = "Show this machine's facts and measured ceilings";
  command.declare = [must_measure](Flags& f) {
    f.on_off("--measure", *must_measure, "Measure all ceilings anew, about 10 s");
  };
  command.run = [must_measure](const Global& global) {
    return end_command(global, show(global, *must_measure));
  };
  return command;
}

}  // namespace kw::cli

// kw device: describes this machine, and the ceilings that were measured on it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/target_flags.h"
#include "record/codec.h"
#include "session/device.h"

namespace kw::cli {
namespace {

struct DeviceFlags {
  TargetFlags target;
  bool must_measure = false;
};

void print_gpu(const DeviceFacts& facts) {
  const GpuFacts& gpu = facts.gpu.front();
  const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<std::uint64_t>(n)); };
  fmt::print(
      "{} ({}{})\n  id        {}\n  arch      {}, {} multiprocessors of {} threads, {} at most\n"
      "  memory    {}, {} bits at {}\n  L2        {}\n"
      "  shared    {} a block, {} a multiprocessor\n  driver    {}\n",
      facts.model, name_of(facts.target), gpu.is_mig ? ", a MIG slice" : "", facts.id, gpu.arch,
      gpu.multiprocessors, gpu.threads_per_multiprocessor, format_si(gpu.clock_hz, "Hz"),
      bytes(facts.memory_bytes), gpu.memory_bus_bits, format_si(gpu.memory_clock_hz, "Hz"),
      bytes(gpu.l2_bytes), bytes(gpu.shared_per_block), bytes(gpu.shared_per_multiprocessor),
      gpu.driver);
  if (gpu.timer_tick_ns > 0) fmt::print("  timer     ticks every {} ns\n", gpu.timer_tick_ns);
  for (const DatasheetRates& sheet : gpu.datasheet)
    fmt::print("  sheet     {}, f32 {}, tf32 {}, f16 {} ({})\n", format_si(sheet.memory, "B/s"),
               format_si(sheet.f32, "flop/s"), format_si(sheet.tf32, "flop/s"),
               format_si(sheet.f16, "flop/s"), sheet.source);
  fmt::print("  kernel    {}\n", facts.kernel);
}

void print_facts(const DeviceFacts& facts) {
  if (!facts.gpu.empty()) return print_gpu(facts);
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
               format_si(c.per_second, is_flops(c) ? "flop/s" : "B/s"), c.spread * 100, c.samples);
}

Result<int> show_device(const Global& global, const DeviceFlags& flags) {
  const Aim aim = KW_TRY(flags.target.aim());
  const auto [facts, notes] = KW_TRY(session::examine_device(global, aim, flags.must_measure));
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
  auto flags = std::make_shared<DeviceFlags>();
  Command command;
  command.name = "device";
  command.summary = "Show this machine's facts and its measured bandwidths and peak rates";
  command.declare = [flags](Flags& f) {
    flags->target.declare(f, false);
    f.on_off("--measure", flags->must_measure,
             "Measure bandwidths and peak rates again, about 10 s");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, show_device(global, *flags));
  };
  return command;
}

}  // namespace kw::cli

// Exchanges bundles (files with evaluation requests or their results) between a workspace and a
// judge on another machine.
// SPDX-License-Identifier: Apache-2.0
#include "session/judging/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "device/known_devices.h"
#include "engine/run.h"
#include "record/codec.h"
#include "record/target.h"
#include "worker/bundle.h"

namespace kw::session {
namespace {

// Kinds under which the store keeps the facts about bundles.
constexpr const char* kAsked = "bundle_asked";
constexpr const char* kAnswer = "bundle_answer";
constexpr const char* kDevice = "bundle_device";
// The value that older builds stored for an evaluation sent out in a bundle; later builds store its
// target and architecture.
constexpr const char* kAnyTarget = "1";
constexpr std::size_t kMostCeilings = 6;  // most ceilings that one line shows

/// Whether the evaluation will be requested again: its baseline could not be timed because the
/// machine was busy.
bool is_to_be_repeated(const Evaluation& evaluation) {
  return evaluation.verdict.outcome == Outcome::Unmeasurable &&
         evaluation.id.starts_with(engine::kBaselineId);
}

/// The key under which the store remembers the judging device. The architecture is part of the key,
/// because different architectures are different devices.
std::string device_key(const Aim& aim) {
  return std::string(name_of(aim.target)) + (aim.arch.empty() ? "" : " " + aim.arch);
}

bool runs_code_for(const Aim& aim, const DeviceFacts& facts) {
  return facts.target == aim.target &&
         (aim.arch.empty() ||
          (!facts.gpu.empty() && device::runs_on(aim.arch, facts.gpu.front().arch)));
}

Result<std::optional<DeviceFacts>> known_device(const store::RunStore& store, const Aim& aim) {
  // Older builds stored one device for each target, under the target's name alone.
  for (const std::string& key : {device_key(aim), std::string(name_of(aim.target))})
    if (const auto text = KW_TRY(store.facts().recall(kDevice, key))) {
      auto facts = KW_TRY(decode<DeviceFacts>(*text));
      if (runs_code_for(aim, facts)) return std::optional(std::move(facts));
    }
  return std::optional<DeviceFacts>();
}

/// The device for people: "Tesla T4, sm_75".
std::string device_words(const DeviceFacts& facts) {
  return facts.gpu.empty() ? facts.model
                           : fmt::format("{}, {}", facts.model, facts.gpu.front().arch);
}

/// The device with the card's id, to tell cards of one model apart: "Tesla T4, sm_75,
/// gpu-0c30e8dddf35".
std::string card_words(const DeviceFacts& facts) {
  constexpr std::size_t kOfId = 16;
  return device_words(facts) + ", " + facts.id.substr(0, kOfId);
}

}  // namespace

Result<> note_asked(store::RunStore& store, const std::string& key, const Aim& aim) {
  return store.facts().remember(kAsked, key, device_key(aim));
}

Result<TakenResults> take_results(store::RunStore& store, const std::string& file, const Aim& aim) {
  worker::BundleResults results = KW_TRY(as_input(worker::read_results(file)));
  const std::string target(name_of(aim.target));
  if (results.facts.target != aim.target)
    return fail_input(
        ErrorCode::Contradiction,
        About{fmt::format("target {}, not {}", name_of(results.facts.target), target)},
        "these results are for target " + std::string(name_of(results.facts.target)) +
            ", and this run is for " + target,
        file);
  if (!runs_code_for(aim, results.facts))
    return fail_input(ErrorCode::Contradiction, About{"device"},
                      "these results come from a " + device_words(results.facts) +
                          ", which cannot run code for " + aim.arch +
                          ", for which this run's code is compiled",
                      file);
  const auto known = KW_TRY(known_device(store, aim));
  if (known && known->id != results.facts.id)
    return fail_input(
        ErrorCode::Changed, About{"device"},
        "these results come from another device (" + card_words(results.facts) +
            ") than earlier results (" + card_words(*known) +
            "), so their times cannot be compared; use a new workspace for this device",
        file);
  for (const worker::BundledAnswer& answer : results.answers) {
    const auto asked = KW_TRY(store.facts().recall(kAsked, answer.key));
    if (!asked)
      return fail_input(ErrorCode::NotFound, About{"request"},
                        "this file holds results for requests that this workspace never made",
                        file);
    if (*asked != device_key(aim) && *asked != target && *asked != kAnyTarget)
      return fail_input(ErrorCode::Contradiction,
                        About{fmt::format("a run for {}, not {}", *asked, device_key(aim))},
                        "this file holds results for a run for " + *asked +
                            ", and this run is for " + device_key(aim),
                        file);
  }
  TakenResults taken;
  for (const worker::BundledAnswer& answer : results.answers) {
    if (is_to_be_repeated(answer.evaluation)) continue;
    // A second result for the same evaluation is ignored, because the search may already have
    // decided by the first.
    if (KW_TRY(store.facts().recall(kAnswer, answer.key))) continue;
    KW_TRY(store.facts().remember(kAnswer, answer.key, encode(answer.evaluation)));
    ++taken.news;
  }
  if (!known) KW_TRY(store.facts().remember(kDevice, device_key(aim), encode(results.facts)));
  taken.facts = std::move(results.facts);
  return taken;
}

std::vector<std::string> describe_judge(const DeviceFacts& facts, const Aim& aim) {
  std::vector<std::string> lines = {fmt::format("judged on {}, {}", device_words(facts), facts.id)};
  std::vector<std::string> ceilings;
  for (const Ceiling& c : facts.ceilings)
    if (is_flops(c) || c.level == "DRAM")
      ceilings.push_back(fmt::format("{} in {} {}", c.kind, c.level,
                                     format_si(c.per_second, is_flops(c) ? "flop/s" : "B/s")));
  if (ceilings.size() > kMostCeilings) ceilings.resize(kMostCeilings);
  if (!ceilings.empty()) lines.push_back("its ceilings: " + join(ceilings, ", "));
  if (!facts.gpu.empty() && facts.gpu.front().arch != aim.arch)
    lines.push_back(
        fmt::format("launch plans of this run keep to the limits that every {} GPU has", aim.arch));
  return lines;
}

std::string judge_elsewhere(const Aim& aim, const compile::Compiler& compiler) {
  DeviceFacts judge;
  if (!aim.arch.empty()) judge.id = "elsewhere " + aim.arch;
  return judge_id_of(judge, compiler);
}

Result<DeviceFacts> bundle_facts(const store::RunStore& store, const Aim& aim) {
  if (auto known = KW_TRY(known_device(store, aim))) return std::move(*known);
  return facts_elsewhere(aim);
}

Result<DeviceFacts> facts_elsewhere(const Aim& aim) {
  DeviceFacts facts;
  facts.target = aim.target;
  facts.id = "elsewhere";
  facts.model = "a machine elsewhere";
  if (row_of(aim.target).needs_arch) {
    if (aim.arch.empty())
      return fail_input(
          ErrorCode::Missing, About{"--arch"},
          "--carrier bundle must know which GPU to compile for: give --arch sm_90a or another "
          "architecture");
    facts.gpu = {device::least_facts(aim.arch)};
  }
  return facts;
}

Result<std::unique_ptr<evaluate::BundleCarrier>> open_bundle(
    compile::Compiler& compiler, store::RunStore& store, const std::string& task, const Aim& aim,
    std::optional<compile::Disassembler> disassembler) {
  evaluate::BundleOptions options;
  options.disassembler = std::move(disassembler);
  // The file's name contains the target or architecture, because runs of one task for several
  // devices may wait for results at the same time.
  options.file = store.root() / fmt::format("{}.{}.bundle", task,
                                            aim.arch.empty() ? name_of(aim.target) : aim.arch);
  options.facts = KW_TRY(bundle_facts(store, aim));
  options.build_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.recall = [&store](const std::string& key) -> Result<std::optional<Evaluation>> {
    const auto text = KW_TRY(store.facts().recall(kAnswer, key));
    if (!text) return std::optional<Evaluation>();
    return std::optional(KW_TRY(decode<Evaluation>(*text)));
  };
  options.expect = [&store, aim](const std::string& key) { return note_asked(store, key, aim); };
  return std::make_unique<evaluate::BundleCarrier>(compiler, std::move(options));
}

}  // namespace kw::session

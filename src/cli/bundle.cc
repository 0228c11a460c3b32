// Bundles between a workspace and a machine elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle.h"

#include <algorithm>
#include <thread>

#include "device/known_devices.h"
#include "engine/run.h"
#include "record/codec.h"
#include "worker/bundle.h"

namespace kw::cli {
namespace {

// Kinds of remembered facts.
constexpr const char* kAsked = "bundle_asked";
constexpr const char* kAnswer = "bundle_answer";
constexpr const char* kDevice = "bundle_device";
// What older builds noted of an evaluation that was asked for, instead of its target.
constexpr const char* kAnyTarget = "1";

/// Whether it is asked for again: a baseline that a busy machine kept from being timed.
bool is_to_be_repeated(const Evaluation& evaluation) {
  return evaluation.verdict.outcome == Outcome::Unmeasurable &&
         evaluation.id.starts_with(engine::kBaselineId);
}

Result<std::optional<DeviceFacts>> known_device(const store::RunStore& store, Target target) {
  const auto text = KW_TRY(store.recall(kDevice, std::string(name_of(target))));
  if (!text) return std::optional<DeviceFacts>();
  return std::optional(KW_TRY(decode<DeviceFacts>(*text)));
}

}  // namespace

Result<std::size_t> take_results(store::RunStore& store, const std::string& file) {
  const worker::BundleResults results = KW_TRY(as_input(worker::read_results(file)));
  const auto known = KW_TRY(known_device(store, results.facts.target));
  if (known && known->id != results.facts.id)
    return fail_input("these results are of another device (" + results.facts.model +
                          ") than those before (" + known->model + "): times cannot be compared",
                      file);
  const std::string target(name_of(results.facts.target));
  for (const worker::BundledAnswer& answer : results.answers) {
    const auto asked = KW_TRY(store.recall(kAsked, answer.key));
    if (!asked) return fail_input("it answers what this workspace never asked", file);
    if (*asked != target && *asked != kAnyTarget)
      return fail_input("it answers on " + target + " what was asked of " + *asked, file);
  }
  std::size_t news = 0;
  for (const worker::BundledAnswer& answer : results.answers) {
    if (is_to_be_repeated(answer.evaluation)) continue;
    // The first answer stands: decisions may rest on it.
    if (KW_TRY(store.recall(kAnswer, answer.key))) continue;
    KW_TRY(store.remember(kAnswer, answer.key, encode(answer.evaluation)));
    ++news;
  }
  if (!known)
    KW_TRY(
        store.remember(kDevice, std::string(name_of(results.facts.target)), encode(results.facts)));
  return news;
}

Result<DeviceFacts> bundle_facts(const store::RunStore& store, const Aim& aim) {
  if (auto known = KW_TRY(known_device(store, aim.target))) return std::move(*known);
  return facts_elsewhere(aim);
}

Result<DeviceFacts> facts_elsewhere(const Aim& aim) {
  DeviceFacts facts;
  facts.target = aim.target;
  facts.id = "elsewhere";
  facts.model = "a machine elsewhere";
  if (aim.target == Target::Cuda) {
    if (aim.arch.empty())
      return fail_input("a bundle needs to know what to compile for: --arch sm_90a or another");
    facts.gpu = {device::least_facts(aim.arch)};
  }
  return facts;
}

Result<std::unique_ptr<evaluate::BundleCarrier>> open_bundle(
    compile::Compiler& compiler, store::RunStore& store, const std::string& task,
    const DeviceFacts& facts, std::optional<compile::Disassembler> disassembler) {
  evaluate::BundleOptions options;
  options.disassembler = std::move(disassembler);
  options.file = store.root() / (task + ".bundle");
  options.facts = facts;
  options.build_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.recall = [&store](const std::string& key) -> Result<std::optional<Evaluation>> {
    const auto text = KW_TRY(store.recall(kAnswer, key));
    if (!text) return std::optional<Evaluation>();
    return std::optional(KW_TRY(decode<Evaluation>(*text)));
  };
  options.expect = [&store, target = std::string(name_of(facts.target))](const std::string& key) {
    return store.remember(kAsked, key, target);
  };
  return std::make_unique<evaluate::BundleCarrier>(compiler, std::move(options));
}

}  // namespace kw::cli

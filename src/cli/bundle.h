// Runs whose evaluations are judged elsewhere: --carrier bundle and --results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/session.h"
#include "evaluate/bundle_carrier.h"
#include "store/run_store.h"

namespace kw::cli {

/// Notes that a bundle for this target and arch asks for the evaluation of this key.
Result<> note_asked(store::RunStore& store, const std::string& key, const Aim& aim);

/// Takes results over into the store; the same file again changes nothing. Errors (give up) and no
/// change at all: a damaged file, one that answers what this workspace never asked or asked for
/// another target or arch, or one of another device than earlier results for this target and arch,
/// or of one that runs no code for it.
struct TakenResults {
  std::size_t news = 0;  ///< How many were new.
  DeviceFacts facts;     ///< Where they were judged.
};
Result<TakenResults> take_results(store::RunStore& store, const std::string& file, const Aim& aim);

/// Lines for a person: who judged, its ceilings, and where it is of another arch than was asked
/// for.
std::vector<std::string> describe_judge(const DeviceFacts& facts, const Aim& aim);

/// judge_id_of the judges elsewhere for this aim, whose device is not known before its results:
/// times for one arch are none for another.
std::string judge_elsewhere(const Aim& aim, const compile::Compiler& compiler);

/// A device of the target and arch, of which nothing else is known.
Result<DeviceFacts> facts_elsewhere(const Aim& aim);

/// What is known of the device elsewhere: of earlier results, else of the arch.
Result<DeviceFacts> bundle_facts(const store::RunStore& store, const Aim& aim);

/// A carrier that writes runs/<task>.cpu.bundle, or runs/<task>.<arch>.bundle. `compiler` and
/// `store` must outlive it.
Result<std::unique_ptr<evaluate::BundleCarrier>> open_bundle(
    compile::Compiler& compiler, store::RunStore& store, const std::string& task, const Aim& aim,
    std::optional<compile::Disassembler> disassembler);

}  // namespace kw::cli

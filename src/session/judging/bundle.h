// Runs whose evaluations are judged on another machine: --carrier bundle and --results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "evaluate/bundle_carrier.h"
#include "session/judging/local_judge.h"
#include "session/tasks.h"
#include "store/run_store.h"

namespace kw::session {

/// Records that a bundle for this target and architecture requests the evaluation with this key.
Result<> note_asked(store::RunStore& store, const std::string& key, const Aim& aim);

/// Takes results into the store; taking the same file again changes nothing. Errors (give up), all
/// of which leave the store unchanged: a damaged file; results that this workspace never requested,
/// or requested for another target or architecture; results of a device that differs from the
/// device of earlier results, or that cannot run the code.
struct TakenResults {
  std::size_t news = 0;  ///< How many results the store did not have yet.
  DeviceFacts facts;     ///< The device on which the kernels were judged.
};
Result<TakenResults> take_results(store::RunStore& store, const std::string& file, const Aim& aim);

/// Lines for a person: which machine judged, its ceilings, and a note if its architecture differs
/// from the requested one.
std::vector<std::string> describe_judge(const DeviceFacts& facts, const Aim& aim);

/// The judge id (see judge_id_of) for a judge on another machine, whose device is unknown before
/// its first results. The id differs between architectures, because times on one say nothing about
/// another.
std::string judge_elsewhere(const Aim& aim, const compile::Compiler& compiler);

/// Facts about a device of which only target and architecture are known.
Result<DeviceFacts> facts_elsewhere(const Aim& aim);

/// The facts of the judging device on another machine: from its earlier results, or else from the
/// architecture alone.
Result<DeviceFacts> bundle_facts(const store::RunStore& store, const Aim& aim);

/// A carrier that writes runs/<task>.cpu.bundle, or runs/<task>.<arch>.bundle. `compiler` and
/// `store` must outlive the carrier.
Result<std::unique_ptr<evaluate::BundleCarrier>> open_bundle(
    compile::Compiler& compiler, store::RunStore& store, const std::string& task, const Aim& aim,
    std::optional<compile::Disassembler> disassembler);

}  // namespace kw::session

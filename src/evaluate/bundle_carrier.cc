// Writes waiting evaluations into a file, and gives results that were brought back.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/bundle_carrier.h"

#include <fmt/format.h>

#include "compile/cpu_compiler.h"
#include "record/target.h"
#include "worker/bundle.h"
#include "worker/equipment.h"

namespace kw::evaluate {

Result<DeviceFacts> BundleCarrier::open(const std::optional<DeviceFacts>& remembered) {
  if (remembered) options_.facts = *remembered;
  return options_.facts;
}

Result<> BundleCarrier::submit(EvaluationRequest request) {
  Waiting waiting;
  waiting.id = request.id;
  // Where kernels are compiled for a named architecture, the machine with the device may have
  // another processor than ours. References, which need not be fast, are then built for any.
  if (row_of(options_.facts.target).needs_arch)
    for (BuildUnit& unit : request.units)
      if (!row_of(unit.target).needs_arch) unit.arch = compile::kAnyProcessor;
  waiting.prepared = KW_TRY(prepare(request, compiler_, options_.build_threads));
  if (!waiting.prepared.ended) waiting.key = worker::bundle_key(request);
  waiting.request = std::move(request);
  waiting_.push_back(std::move(waiting));
  return {};
}

Result<std::size_t> BundleCarrier::write() const {
  worker::Bundle bundle;
  bundle.target = options_.facts.target;
  bundle.processor = worker::bundle_processor();
  KW_TRY(worker::add_equipment(
      bundle, KW_TRY(worker::build_equipment(options_.facts, compiler_, options_.build_threads))));
  for (const Waiting& waiting : waiting_) {
    if (waiting.prepared.ended || KW_TRY(options_.recall(waiting.key))) continue;
    KW_TRY(options_.expect(waiting.key));
    KW_TRY(worker::add(bundle, waiting.key, waiting.request));
  }
  KW_TRY(worker::write_bundle(options_.file, bundle));
  return bundle.evaluations.size();
}

Result<Evaluation> BundleCarrier::next() {
  if (waiting_.empty())
    return fail(ErrorCode::WrongState, "no evaluation was submitted, so there is none to wait for",
                "bundle carrier");
  Evaluation evaluation;
  const Waiting& first = waiting_.front();
  if (first.prepared.ended) {
    evaluation = *first.prepared.ended;
    evaluation.device = options_.facts.id;
    evaluation.machine = options_.facts.model;
  } else if (auto brought = KW_TRY(options_.recall(first.key))) {
    evaluation = std::move(*brought);
    evaluation.id = first.id;
    if (options_.disassembler && evaluation.verdict.is_correct())
      if (auto code = start_reading_code(*options_.disassembler, first.request); code.valid())
        add_code_findings(code.get(), evaluation);
  } else {
    const std::size_t count = KW_TRY(write());
    return fail(
        ErrorCode::WrongState, About{options_.file.string()},
        fmt::format("{} evaluation{} wait{} in {}: take it to the machine with the device, run "
                    "kw-worker --bundle FILE --out RESULTS there, and go on with --results RESULTS",
                    count, count == 1 ? "" : "s", count == 1 ? "s" : "", options_.file.string()),
        "", Advice::Stop);
  }
  evaluation.stage_ns["compile"] = first.prepared.build_ns;
  waiting_.pop_front();
  return evaluation;
}

}  // namespace kw::evaluate
